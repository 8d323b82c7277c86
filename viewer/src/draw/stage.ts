// Shows runs, each in a pane, all through one camera, as the view says. Draws only when something changed.
import type { Frame, Hit, Run } from "../types";
import type { Camera, Store, View } from "../view";
import { measure, metrics } from "../play/metrics";
import type { Rect } from "./axes";
import { Box, type Vec3 } from "./bounds";
import { add, basisOf, dot, lookFrom, orbited, panned, zoomed } from "./camera";
import { isSigned, mapOf, type MapName, type Rgb } from "./colours";
import { Controls } from "./controls";
import { difference, sameMoment, whyNoDifference } from "./difference";
import { landings } from "./floor";
import { FOOT, layout } from "./layout";
import { niceAbove } from "./numbers";
import { BACKGROUND, Painter, paper, type Shot } from "./painter";
import { Pane } from "./pane";
import { meet, type Ray } from "./pick";
import { Sight } from "./sight";
import { centred } from "./span";

const SHARPEST = 2; // [drawn pixels a pixel] more costs time and shows nothing

/** What the colours mean. */
export interface Scale {
    label: string;
    unit: string;
    range: [number, number];
    map: MapName;
}

export interface PictureOptions {
    width?: number; // [pixels] as on the page
    height?: number;
    transparent?: boolean;
    axes?: boolean;
    fine?: boolean; // false: quickly, a little less smooth
}

export interface Aim {
    from: Vec3; // direction towards the camera
    up: Vec3;
    points: Iterable<Float32Array>; // that must be seen
    projection: Camera["projection"];
    zoom: number;
    width: number; // of a pane
    height: number;
}

export type Axis = "+x" | "-x" | "+y" | "-y" | "+z" | "-z" | "iso" | "home";

type Plane = [number, number, number, number]; // xyz . p > w is left out

export class Stage {
    readonly canvas: HTMLCanvasElement;
    readonly scenes: Pane[];
    /** Somebody else may take a gesture that starts: return true. */
    onPointer: (event: PointerEvent) => boolean = () => false;
    /** [pixels] free below each pane. */
    foot = 0;
    /** Draw only when asked: pictures. */
    still = false;

    private readonly painter: Painter;
    private readonly sight: Sight;
    private ownCamera: Camera | null = null; // what this wrote into the view last
    private cuts: ReadonlyMap<number, Plane> = new Map();
    private paint: ReadonlyMap<number, Rgb> = new Map();
    private exaggeration = 1;
    private differenceMax = 0; // [m] seen so far
    private fresh = false; // frames came that are not on the graphics card yet
    private prepared = 0; // [ms] that went into them
    private scheduled = 0;
    private width = 1;
    private height = 1;
    private readonly scaleListeners: (() => void)[] = [];
    private shownScale = "";

    constructor(private readonly host: HTMLElement, private readonly store: Store, readonly runs: readonly Run[]) {
        this.painter = new Painter(host);
        this.canvas = this.painter.canvas;
        this.scenes = runs.map((run) => new Pane(run, this.painter.shared));
        this.sight = new Sight(runs.every((run) => run.dimension === 2),
                               () => [...this.points(null), ...this.pointsLater()],
                               () => this.scenes.some((pane) => pane.frame));
        this.sight.wish = store.get().camera;
        this.painter.shared.uLit.value = this.flat ? 0 : 1;
        new Controls(this.canvas, this.controlHost());
        this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
        this.canvas.addEventListener("webglcontextrestored", () => this.reload());
        this.canvas.addEventListener("dblclick", (event) => this.centreOn(event.clientX, event.clientY));
        new ResizeObserver(() => this.resized()).observe(host);
        store.listen((view, changed) => this.viewChanged(view, changed));
        this.measureHost();
        this.applyTheme(store.get());
        this.applyOverlay(store.get());
        this.applyClip(store.get());
        this.applyLook(store.get());
    }

    /** The cross of axes: whoever builds the page puts it beside the picture. */
    get cross(): HTMLCanvasElement {
        return this.painter.cross;
    }

    get flat(): boolean {
        return this.sight.flat;
    }

    // ---- what is shown -----------------------------------------------------------------------------------------------

    setFrames(frames: readonly (Frame | null)[]): void {
        const start = performance.now();
        const view = this.store.get(), first = this.scenes.every((pane) => pane.frame === null);
        this.scenes.forEach((pane, k) => {
            const frame = frames[k] ?? null;
            if (frame !== pane.frame || view.colour === "difference") {
                pane.setFrame(frame, this.valuesOf(k, frames), this.exaggeration);
            }
        });
        this.applyArrows(view);
        if (first) {
            this.applyClip(view);
        }
        this.applyLook(view);
        this.prepared += performance.now() - start;
        this.fresh = true;
        this.invalidate();
    }

    /** Displacements larger than they are. */
    setExaggeration(factor: number): void {
        this.exaggeration = factor;
        this.reload();
    }

    /** Parts of bodies that are left out. */
    setCuts(cuts: ReadonlyMap<number, Plane>): void {
        this.cuts = cuts;
        this.applyLook(this.store.get());
        this.invalidate();
    }

    /** Colours of bodies instead of the palette's. */
    setPaint(paint: ReadonlyMap<number, Rgb>): void {
        this.paint = paint;
        this.applyLook(this.store.get());
        this.invalidate();
    }

    /** What the colours mean, null while bodies have their own. */
    scale(): Scale | null {
        const { colour, range } = this.store.get(), map = mapOf(colour);
        if (colour === "body") {
            return null;
        }
        if (colour === "difference") {
            return { label: `distance from ${this.runs[0]!.name}`, unit: "m", range: range ?? [0, niceAbove(this.differenceMax)], map };
        }
        const fields = this.runs.flatMap((run) => run.fields.filter((field) => field.name === colour));
        if (fields.length === 0) {
            return null;
        }
        const [low, high] = [Math.min(...fields.map((f) => f.range[0])), Math.max(...fields.map((f) => f.range[1]))];
        // Rounding leaves pressures of -1e-16.
        const unsigned: [number, number] = [Math.abs(low) < 1e-9 * Math.abs(high) ? 0 : low, high];
        const whole = isSigned(colour) ? centred([low, high]) : unsigned;
        return { label: fields[0]!.label, unit: fields[0]!.unit, range: range ?? whole, map };
    }

    /** What the colours span; null while bodies have their own. */
    range(): [number, number] | null {
        return this.scale()?.range ?? null;
    }

    /** Force of the longest arrow at contacts [N]. */
    largestForce(): number {
        const { forcesOn } = this.store.get();
        return Math.max(0, ...this.scenes.map((pane) => pane.largestForce(forcesOn)));
    }

    /** Called when scale() has changed, also because a live run's values grew. */
    onScale(listener: () => void): void {
        this.scaleListeners.push(listener);
    }

    /** Value at a vertex of what the colours show; null if it has none. */
    valueAt(pane: number, vertex: number): number | null {
        return this.scenes[pane]?.values?.[vertex] ?? null;
    }

    /** Why a run has no difference to the first one; null if it has. */
    noDifference(pane: number): string | null {
        const frame = this.scenes[pane]!.frame, first = this.scenes[0]!.frame;
        return whyNoDifference(this.runs[pane]!, this.runs[0]!)
            ?? (frame && first && !sameMoment(frame, first) ? "it has no frame of this moment" : null);
    }

    // ---- the camera --------------------------------------------------------------------------------------------------

    camera(): Camera {
        return this.sight.camera();
    }

    /** Everything that is seen now, from where the camera is. */
    frameAll(): void {
        const now = this.camera();
        this.setCamera(this.sight.fit(basisOf(now).back, now.projection, { points: this.points(null) }));
    }

    look(axis: Axis): void {
        this.setCamera(this.sight.fit(lookFrom(axis, this.flat ? 2 : 3), this.camera().projection, { points: this.points(null) }));
    }

    /** A camera for pictures. */
    aim({ from, up, points, projection, zoom, width, height }: Aim): void {
        const camera = this.sight.fit(from, projection, { points, up, aspect: width / height });
        this.setCamera(zoom === 1 ? camera : zoomed(camera, zoom));
    }

    setProjection(projection: Camera["projection"]): void {
        this.setCamera({ ...this.camera(), projection });
    }

    /** Turns the bodies [rad], to the right and down; 2D scenes are moved. */
    orbit(dx: number, dy: number): void {
        this.setCamera(this.flat ? panned(this.camera(), dx / 3, -dy / 3) : orbited(this.camera(), dx, dy));
    }

    /** Moves the picture, in heights of it, to the right and down. */
    pan(dx: number, dy: number): void {
        this.setCamera(panned(this.camera(), dx, -dy));
    }

    zoom(factor: number): void {
        this.setCamera(zoomed(this.camera(), factor));
    }

    /** Vertices to frame: of the given bodies, or of all that are seen and are not half-spaces. */
    points(bodies: readonly number[] | null): Float32Array[] {
        const { hidden } = this.store.get();
        return this.scenes.flatMap(({ run, bodies: drawn }) => {
            const solid = run.bodies.some((body, k) => !body.plane && !hidden.includes(k));
            const wanted = (k: number) => (bodies ? bodies.includes(k) : !hidden.includes(k) && !(solid && run.bodies[k]!.plane));
            return run.bodies.flatMap((body, k) => (wanted(k)
                ? [drawn.position.subarray(3 * body.vertexFirst, 3 * (body.vertexFirst + body.vertexCount))] : []));
        });
    }

    /** Bodies that fall would leave a picture that was made for where they start. Of a live run nobody knows: it may land on the floors. */
    private pointsLater(): Float32Array[] {
        const solid = (run: Run, position: Float32Array) => run.bodies.filter((body) => !body.plane)
            .map((body) => position.subarray(3 * body.vertexFirst, 3 * (body.vertexFirst + body.vertexCount)));
        return this.runs.flatMap((run, k) =>
            (run.live ? [landings(run, this.scenes[k]!.box([]))] : run.moments.flatMap((position) => solid(run, position))));
    }

    // ---- places on the screen ----------------------------------------------------------------------------------------

    /** Panes in the stage's element [pixels]. */
    panes(): readonly Rect[] {
        return this.sight.rects;
    }

    /** Where a point is seen in the stage's element [pixels]; null behind the camera. */
    project(point: Vec3, pane = 0): { x: number; y: number } | null {
        return this.sight.project(point, pane);
    }

    pick(clientX: number, clientY: number): Hit | null {
        const start = performance.now();
        const at = this.rayAt(clientX, clientY), hit = at ? this.hit(at.pane, at.ray) : null;
        measure("pick", performance.now() - start);
        return hit;
    }

    /** The point under the pointer at the depth of another one: where a dragged vertex goes. */
    dragPoint(clientX: number, clientY: number, through: Vec3): Vec3 {
        const at = this.rayAt(clientX, clientY);
        if (!at) {
            return through;
        }
        const { back } = basisOf(this.camera());
        return add(at.ray.from, at.ray.along, dot(add(through, at.ray.from, -1), back) / dot(at.ray.along, back));
    }

    /** Light and shadows of a sun from now on: slower, for pictures. 2D scenes have none. */
    shine(): void {
        if (!this.flat) {
            this.painter.shine();
        }
    }

    // ---- drawing -----------------------------------------------------------------------------------------------------

    /** Draws soon, once for all that changed until then. */
    invalidate(): void {
        if (this.scheduled === 0 && !this.still) {
            this.scheduled = requestAnimationFrame(() => this.render());
        }
    }

    render(): void {
        cancelAnimationFrame(this.scheduled);
        this.scheduled = 0;
        const start = performance.now(), view = this.store.get(), shot = this.shot(this.sight.rects);
        this.painter.resize(this.width, this.height, Math.min(window.devicePixelRatio || 1, SHARPEST));
        this.painter.draw(shot);
        if (metrics.wait) {
            this.painter.finish();
        }
        const took = performance.now() - start;
        measure("draw", took);
        if (this.fresh) {
            this.fresh = false;
            measure("upload", this.prepared + took);
            this.prepared = 0;
            metrics.firstPicture ||= performance.now();
        }
        this.painter.drawCross(shot.camera, view.theme, this.flat, view.axes);
    }

    /** The panes as an image, at any size, with the axes but without anything else of the page. */
    snapshot(options: PictureOptions): HTMLCanvasElement {
        const { width = this.width, height = this.height } = options, { painter } = this, { theme, axes } = this.store.get();
        const shot = this.shot(layout(this.scenes.length, width, height));
        const canvas = document.createElement("canvas");
        canvas.width = width;
        canvas.height = height;
        const context = canvas.getContext("2d")!;
        if (!options.transparent) {
            paper(context, theme);
        }
        // Twice as fine, then made smaller: smoother lines. The next drawing on the page resizes the canvas back.
        const fine = options.fine !== false && 2 * Math.max(width, height) <= painter.most;
        painter.resize(width, height, fine ? 2 : 1);
        painter.draw(shot);
        context.imageSmoothingQuality = "high";
        context.drawImage(painter.canvas, 0, 0, width, height);
        painter.annotate(context, shot, theme, this.flat, options.axes ?? axes, this.runs.length > 1 ? this.runs.map((run) => run.name) : []);
        this.invalidate();
        return canvas;
    }

    picture(options: PictureOptions = {}): Promise<Blob> {
        return blobOf(this.snapshot(options));
    }

    private shot(rects: readonly Rect[]): Shot {
        return { panes: this.scenes, rects, camera: this.camera(), box: this.everything() };
    }

    // ---- following the view ------------------------------------------------------------------------------------------

    private viewChanged(view: Readonly<View>, changed: ReadonlySet<keyof View>): void {
        if (changed.has("camera") && view.camera !== this.ownCamera) {
            this.sight.wish = this.ownCamera = view.camera;
        }
        if (changed.has("theme")) {
            this.applyTheme(view);
        }
        if (changed.has("arrowScale") || changed.has("arrows") || changed.has("forcesOn") || changed.has("contacts")) {
            this.applyArrows(view);
        }
        if (changed.has("overlay")) {
            this.applyOverlay(view);
        }
        if (changed.has("clip")) {
            this.applyClip(view);
        }
        if (changed.has("colour")) {
            const frames = this.scenes.map((pane) => pane.frame);
            this.scenes.forEach((pane, k) => pane.setValues(this.valuesOf(k, frames)));
        }
        const look: (keyof View)[] = ["colour", "range", "hidden", "ghost", "wireframe", "contacts", "theme", "clip"];
        if (look.some((key) => changed.has(key))) {
            this.applyLook(view);
        }
        const silent: (keyof View)[] = ["time", "playing", "speed", "loop", "bookmarks", "panel", "plots", "pins", "follow", "mode", "amplitude"];
        if ([...changed].some((key) => !silent.includes(key))) {
            this.invalidate();
        }
    }

    private applyTheme(view: Readonly<View>): void {
        this.painter.shared.uDark.value = view.theme === "dark" ? 1 : 0;
        this.host.style.background = `linear-gradient(${BACKGROUND[view.theme].join(", ")})`;
    }

    private applyLook(view: Readonly<View>): void {
        const scale = this.scale();
        this.scenes.forEach((pane) => pane.setLook({
            colour: pane.values && scale ? view.colour : "body", range: scale?.range ?? [0, 1], dark: view.theme === "dark", hidden: view.hidden,
            ghost: view.ghost, wireframe: view.wireframe, clipped: view.clip.axis !== null, cuts: this.cuts, paint: this.paint,
        }, view.contacts));
        const text = JSON.stringify(scale);
        if (text !== this.shownScale) {
            this.shownScale = text;
            this.scaleListeners.forEach((listener) => listener());
        }
    }

    /** As long as the forces of the moment are large: after an impact the weights of resting bodies would be too small to see. */
    private applyArrows(view: Readonly<View>): void {
        if (view.contacts) {
            const arrows = { scale: view.arrowScale, ...view.arrows, on: view.forcesOn }, largest = this.largestForce();
            this.scenes.forEach((pane) => pane.setArrows(arrows, largest));
        }
    }

    private applyOverlay(view: Readonly<View>): void {
        this.scenes.forEach((pane) => pane.setOverlay(view.overlay ? this.scenes.filter((other) => other !== pane) : []));
    }

    /** The plane is fixed when it is chosen: it would move with the bodies otherwise. */
    private applyClip(view: Readonly<View>): void {
        const { axis, at, flip } = view.clip, { uClip } = this.painter.shared;
        this.scenes.forEach((pane) => pane.clipped());
        if (axis === null) {
            uClip.value.set(0, 0, 0, 1);
            return;
        }
        const k = "xyz".indexOf(axis), box = this.everything(), sign = flip ? -1 : 1;
        const normal: Vec3 = [0, 0, 0];
        normal[k] = sign;
        uClip.value.set(...normal, sign * (box.low[k]! + at * (box.high[k]! - box.low[k]!)));
    }

    private valuesOf(k: number, frames: readonly (Frame | null)[]): Float32Array | null {
        const { colour } = this.store.get(), frame = frames[k], first = frames[0];
        if (!frame || colour === "body") {
            return null;
        }
        if (colour !== "difference") {
            return frame.fields.get(colour) ?? null;
        }
        if (!first || !sameMoment(frame, first) || whyNoDifference(this.runs[k]!, this.runs[0]!) !== null) {
            return null;
        }
        const values = difference(frame, first);
        this.differenceMax = values.reduce((most, value) => Math.max(most, value), this.differenceMax);
        return values;
    }

    private reload(): void {
        const frames = this.scenes.map((pane) => pane.frame), view = this.store.get();
        this.scenes.forEach((pane, k) => pane.setFrame(pane.frame, this.valuesOf(k, frames), this.exaggeration));
        this.applyArrows(view);
        this.applyLook(view);
        this.invalidate();
    }

    private everything(): Box {
        const { hidden } = this.store.get();
        return this.scenes.reduce((box, pane) => box.add(pane.box(hidden)), new Box());
    }

    // ---- gestures ----------------------------------------------------------------------------------------------------

    private setCamera(camera: Camera): void {
        this.sight.wish = this.ownCamera = camera;
        this.store.set({ camera });
        this.invalidate();
    }

    private centreOn(clientX: number, clientY: number): void {
        const hit = this.pick(clientX, clientY);
        if (hit) {
            const camera = this.camera(), shift = add(hit.point, camera.target, -1);
            this.setCamera({ ...camera, target: hit.point, position: add(camera.position, shift) });
        }
    }

    private controlHost() {
        const stage = this, { sight } = this;
        return {
            get camera() {
                return sight.camera();
            },
            set camera(camera: Camera) {
                sight.wish = camera;
            },
            turns: !this.flat,
            paneAt: (clientX: number, clientY: number) => {
                const box = stage.host.getBoundingClientRect();
                const rect = sight.rects[sight.paneAt(clientX - box.left, clientY - box.top) ?? 0]!;
                return { ...rect, x: rect.x + box.left, y: rect.y + box.top };
            },
            moved: (done: boolean) => (done && sight.wish ? stage.setCamera(sight.wish) : stage.invalidate()),
            taken: (event: PointerEvent) => stage.onPointer(event),
        };
    }

    private rayAt(clientX: number, clientY: number): { pane: number; ray: Ray } | null {
        const box = this.host.getBoundingClientRect(), x = clientX - box.left, y = clientY - box.top;
        const pane = this.sight.paneAt(x, y);
        return pane === null ? null : { pane, ray: this.sight.ray(x, y, pane, 20 * this.everything().radius) };
    }

    private hit(number: number, ray: Ray): Hit | null {
        const pane = this.scenes[number]!, { run, bodies } = pane, { hidden, ghost } = this.store.get();
        const clip = this.painter.shared.uClip.value;
        const away = (body: number, x: number, y: number, z: number) => {
            const cut = this.cuts.get(body);
            return clip.x * x + clip.y * y + clip.z * z > clip.w || (cut !== undefined && cut[0] * x + cut[1] * y + cut[2] * z > cut[3]);
        };
        const never = (body: number) => hidden.includes(body) || run.bodies[body]!.plane;
        // Transparent bodies only where nothing else is.
        const met = meet(run, bodies.position, bodies.boxes, ray, { skip: (body) => never(body) || ghost.includes(body), away })
            ?? (ghost.length > 0 ? meet(run, bodies.position, bodies.boxes, ray, { skip: never, away }) : null);
        if (!met) {
            return null;
        }
        const weights = [1 - met.u - met.v, met.u, met.v], corners = [0, 1, 2].map((k) => run.tri[3 * met.triangle + k]!);
        const vertex = corners[weights.indexOf(Math.max(...weights))]!;
        const value = pane.values ? corners.reduce((sum, corner, k) => sum + weights[k]! * pane.values![corner]!, 0) : null;
        return { pane: number, body: met.body, vertex, node: run.node[vertex]!, point: add(ray.from, ray.along, met.distance), value };
    }

    private measureHost(): void {
        this.width = Math.max(1, this.host.clientWidth);
        this.height = Math.max(1, this.host.clientHeight);
        const { length } = this.scenes, bare = layout(length, this.width, this.height)[0]!.height;
        this.sight.rects = layout(length, this.width, this.height, length > 1 ? FOOT : 0);
        this.foot = bare - this.sight.rects[0]!.height;
    }

    private resized(): void {
        this.measureHost();
        // Drawn at once: a resized canvas is empty until then, which would flicker.
        if (!this.still && this.scenes.some((pane) => pane.frame)) {
            this.render();
        }
    }
}

export function blobOf(canvas: HTMLCanvasElement): Promise<Blob> {
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be packed")))));
}
