// Draws runs, each in a pane, all through one camera. Draws only when something changed.
import * as three from "three";
import type { Frame, Hit, Run } from "../types";
import type { Camera, Store, View } from "../view";
import { measure, metrics } from "../play/metrics";
import { drawAxes, type Rect } from "./axes";
import { Box, type Vec3 } from "./bounds";
import { add, ANGLE, basisOf, distanceOf, dot, fitted, halfHeight, lookFrom, orbited, panned, unit, zoomed } from "./camera";
import { mapOf, type MapName } from "./colours";
import type { Arrows } from "./contacts";
import { Controls } from "./controls";
import { difference, whyNoDifference } from "./difference";
import { layout } from "./layout";
import { sharedUniforms } from "./material";
import { niceAbove } from "./numbers";
import { Pane } from "./pane";
import { meet, type Ray } from "./pick";

const MARGIN = 0.07;
const SHARPEST = 2; // [drawn pixels a pixel] more costs time and shows nothing

export const BACKGROUND = { light: ["#ffffff", "#e9edf2"], dark: ["#262b32", "#15181c"] };

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
}

export type Axis = "+x" | "-x" | "+y" | "-y" | "+z" | "-z" | "iso" | "home";

export class Stage {
    readonly canvas: HTMLCanvasElement;
    readonly scenes: Pane[];
    /** Somebody else may take a gesture that starts: return true (dragging a body). */
    onPointer: (event: PointerEvent) => boolean = () => false;

    private readonly overlay = document.createElement("canvas");
    private readonly renderer: three.WebGLRenderer;
    private readonly shared = sharedUniforms();
    private readonly perspective = new three.PerspectiveCamera();
    private readonly parallel = new three.OrthographicCamera();
    private wish: Camera | null = null; // null: everything in sight, as soon as there are frames
    private ownCamera: Camera | null = null; // what this wrote into the view last
    private cuts: ReadonlyMap<number, [number, number, number, number]> = new Map();
    private exaggeration = 1;
    private differenceMax = 0; // [m] seen so far
    private fresh = false; // frames came that are not on the graphics card yet
    private prepared = 0; // [ms]
    private scheduled = 0;
    private width = 1;
    private height = 1;
    private rects: Rect[] = [];
    private readonly scaleListeners: (() => void)[] = [];
    private shownScale = "";

    constructor(private readonly host: HTMLElement, private readonly store: Store, readonly runs: readonly Run[]) {
        try {
            this.renderer = new three.WebGLRenderer({ antialias: true, alpha: true, powerPreference: "high-performance" });
        } catch {
            throw new Error("this browser cannot draw bodies: it has no WebGL 2, or it is switched off");
        }
        three.ColorManagement.enabled = false;
        this.renderer.outputColorSpace = three.LinearSRGBColorSpace; // shaders write what the screen shows
        this.renderer.autoClear = false;
        this.renderer.info.autoReset = false;
        this.canvas = this.renderer.domElement;
        for (const canvas of [this.canvas, this.overlay]) {
            Object.assign(canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%", display: "block" });
        }
        this.overlay.style.pointerEvents = "none";
        host.append(this.canvas, this.overlay);
        this.scenes = runs.map((run) => new Pane(run, this.shared));
        this.shared.uLit.value = this.flat ? 0 : 1;
        new Controls(this.canvas, this.controlHost());
        this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
        this.canvas.addEventListener("webglcontextrestored", () => this.refresh());
        this.canvas.addEventListener("dblclick", (event) => this.centreOn(event.clientX, event.clientY));
        new ResizeObserver(() => this.resize()).observe(host);
        store.listen((view, changed) => this.viewChanged(view, changed));
        this.resize();
        this.applyTheme(store.get());
        this.applyOverlay(store.get());
        this.applyClip(store.get());
        this.applyLook(store.get());
    }

    get flat(): boolean {
        return this.runs.every((run) => run.dimension === 2);
    }

    // ---- what is shown -----------------------------------------------------------------------------------------------

    setFrames(frames: readonly (Frame | null)[]): void {
        const start = performance.now();
        const view = this.store.get();
        this.scenes.forEach((pane, k) => {
            const frame = frames[k] ?? null;
            if (frame !== pane.frame || view.colour === "difference") {
                pane.frame = frame;
                pane.setFrame(frame, this.valuesOf(k, frames), this.exaggeration, arrowsOf(view));
            }
        });
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

    /** Parts of bodies that are left out: body, xyz . p > w. */
    setCuts(cuts: ReadonlyMap<number, [number, number, number, number]>): void {
        this.cuts = cuts;
        this.applyLook(this.store.get());
        this.invalidate();
    }

    /** What the colours mean, null while bodies have their own. */
    scale(): Scale | null {
        const { colour, range } = this.store.get();
        if (colour === "body") {
            return null;
        }
        if (colour === "difference") {
            return { label: `distance from ${this.runs[0]?.name ?? "the first"}`, unit: "m", range: range ?? [0, niceAbove(this.differenceMax)], map: mapOf(colour) };
        }
        const fields = this.runs.flatMap((run) => run.fields.filter((field) => field.name === colour));
        if (fields.length === 0) {
            return null;
        }
        const whole: [number, number] = [Math.min(...fields.map((f) => f.range[0])), Math.max(...fields.map((f) => f.range[1]))];
        return { label: fields[0]!.label, unit: fields[0]!.unit, range: range ?? whole, map: mapOf(colour) };
    }

    /** Called when scale() has changed, also because a live run's values grew. */
    onScale(listener: () => void): void {
        this.scaleListeners.push(listener);
    }

    /** Why a run has no difference to the first one; null if it has. */
    noDifference(pane: number): string | null {
        return whyNoDifference(this.runs[pane]!, this.runs[0]!);
    }

    // ---- the camera --------------------------------------------------------------------------------------------------

    frameAll(): void {
        const now = this.camera();
        this.setCamera(this.fit(basisOf(now).back, now.projection));
    }

    look(axis: Axis): void {
        this.setCamera(this.fit(lookFrom(axis, this.flat ? 2 : 3), this.camera().projection));
    }

    /** From azimuth and elevation, fitting given bodies: pictures. */
    lookAt(from: Vec3, bodies: readonly number[] | null, zoom: number, points?: Iterable<Float32Array>): void {
        const camera = this.fit(from, this.camera().projection, bodies, points);
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

    // ---- places on the screen ----------------------------------------------------------------------------------------

    /** Panes in the stage's element [pixels]. */
    panes(): readonly Rect[] {
        return this.rects;
    }

    /** Where a point is seen in the stage's element [pixels]; null behind the camera. */
    project(point: Vec3, pane = 0): { x: number; y: number } | null {
        const rect = this.rects[pane] ?? this.rects[0]!, camera = this.camera();
        const { right, up, back } = basisOf(camera);
        const offset = add(point, camera.target, -1), distance = distanceOf(camera);
        const depth = camera.projection === "perspective" ? 1 - dot(offset, back) / distance : 1;
        if (depth <= 0.01) {
            return null;
        }
        const rate = rect.height / 2 / (halfHeight(camera) * depth);
        return { x: rect.x + rect.width / 2 + rate * dot(offset, right), y: rect.y + rect.height / 2 - rate * dot(offset, up) };
    }

    /** Value at a vertex of what the colours show; null if it has none. */
    valueAt(pane: number, vertex: number): number | null {
        return this.scenes[pane]?.values?.[vertex] ?? null;
    }

    /** What the colours span; null while bodies have their own. */
    range(): [number, number] | null {
        return this.scale()?.range ?? null;
    }

    pick(clientX: number, clientY: number): Hit | null {
        const start = performance.now();
        const at = this.rayAt(clientX, clientY);
        const hit = at ? this.hit(at.pane, at.ray) : null;
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
        const share = dot(add(through, at.ray.from, -1), back) / dot(at.ray.along, back);
        return add(at.ray.from, at.ray.along, share);
    }

    // ---- drawing -----------------------------------------------------------------------------------------------------

    /** Draws soon, once for all that changed until then. */
    invalidate(): void {
        if (this.scheduled === 0) {
            this.scheduled = requestAnimationFrame(() => this.render());
        }
    }

    render(): void {
        if (this.scheduled !== 0) {
            cancelAnimationFrame(this.scheduled);
            this.scheduled = 0;
        }
        const start = performance.now();
        this.draw(this.rects, Math.min(window.devicePixelRatio || 1, SHARPEST), this.height);
        if (metrics.wait) {
            this.renderer.getContext().readPixels(0, 0, 1, 1, 0x1908, 0x1401, new Uint8Array(4));
        }
        const took = performance.now() - start;
        measure("draw", took);
        if (this.fresh) {
            this.fresh = false;
            measure("upload", this.prepared + took);
            this.prepared = 0;
            metrics.firstPicture ||= performance.now();
        }
        this.drawOverlay(this.overlay, this.rects, this.width, this.height, Math.min(window.devicePixelRatio || 1, SHARPEST), this.store.get().axes);
    }

    /** The panes as an image, at any size, with the axes but without anything else of the page. */
    snapshot(options: PictureOptions): HTMLCanvasElement {
        const { width = this.width, height = this.height } = options;
        const most = this.renderer.capabilities.maxTextureSize;
        const fine = 2 * Math.max(width, height) <= Math.min(most, 8192) ? 2 : 1;
        const camera = this.wish;
        const rects = layout(this.scenes.length, width, height);
        const canvas = document.createElement("canvas");
        canvas.width = width;
        canvas.height = height;
        const context = canvas.getContext("2d")!;
        if (!options.transparent) {
            paper(context, rects, this.store.get().theme);
        }
        this.renderer.setPixelRatio(fine);
        this.renderer.setSize(width, height, false);
        this.draw(rects, fine, height);
        context.imageSmoothingQuality = "high";
        context.drawImage(this.canvas, 0, 0, width, height);
        this.drawOverlay(canvas, rects, width, height, 1, options.axes ?? this.store.get().axes, true);
        this.wish = camera;
        this.resize();
        return canvas;
    }

    picture(options: PictureOptions): Promise<Blob> {
        return blobOf(this.snapshot(options));
    }

    private draw(rects: readonly Rect[], ratio: number, height: number): void {
        const camera = this.camera(), { renderer } = this;
        renderer.info.reset();
        renderer.setScissorTest(false);
        this.scenes.forEach((pane) => pane.drawShades(renderer));
        renderer.setScissorTest(true);
        renderer.setClearColor(0, 0);
        this.light(camera, ratio);
        this.scenes.forEach((pane, k) => {
            const { x, y, width, height: tall } = rects[k]!;
            const bottom = height - y - tall;
            renderer.setViewport(x, bottom, width, tall);
            renderer.setScissor(x, bottom, width, tall);
            renderer.clear();
            this.shared.uSize.value.set(width * ratio, tall * ratio);
            pane.bodies.sortGhosts(camera.position);
            renderer.render(pane.scene, this.lens(camera, width / tall));
        });
    }

    private lens(camera: Camera, aspect: number): three.Camera {
        const distance = distanceOf(camera), radius = Math.max(...this.scenes.map((pane) => pane.home.radius), this.everything().radius);
        const reach = 9 * radius + Math.hypot(...add(camera.target, this.everything().centre, -1));
        let lens: three.PerspectiveCamera | three.OrthographicCamera;
        if (camera.projection === "perspective") {
            lens = this.perspective;
            lens.fov = (2 * Math.atan(Math.tan(ANGLE / 2) / camera.zoom) * 180) / Math.PI;
            lens.aspect = aspect;
            lens.near = 0.02 * distance;
            lens.far = distance + reach;
        } else {
            lens = this.parallel;
            const half = halfHeight(camera);
            Object.assign(lens, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: distance - reach, far: distance + reach });
        }
        lens.position.set(...camera.position);
        lens.up.set(...camera.up);
        lens.lookAt(...camera.target);
        lens.updateProjectionMatrix();
        lens.updateMatrixWorld();
        return lens;
    }

    private light(camera: Camera, ratio: number): void {
        const { right, up, back } = basisOf(camera), shared = this.shared;
        shared.uKey.value.set(...unit(add(add(right.map((x) => -0.45 * x) as Vec3, up, 0.65), back, 0.8)));
        shared.uParallel.value = camera.projection === "parallel" ? 1 : 0;
        shared.uEye.value.set(...(camera.projection === "parallel" ? back : camera.position));
        shared.uPixel.value = ratio;
    }

    private drawOverlay(canvas: HTMLCanvasElement, rects: readonly Rect[], width: number, height: number, ratio: number, axes: boolean, picture = false): void {
        const context = canvas.getContext("2d")!;
        if (!picture) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        const { theme } = this.store.get();
        const { right, up, back } = basisOf(this.camera());
        const turned = [0, 1, 2].map((k) => [right[k]!, up[k]!, back[k]!] as Vec3);
        rects.forEach((rect, k) => {
            if (axes) {
                drawAxes(context, rect, turned, theme, this.flat);
            }
            if (picture && rects.length > 1) {
                this.drawName(context, rect, this.runs[k]!.name, k);
            }
        });
    }

    private drawName(context: CanvasRenderingContext2D, rect: Rect, name: string, pane: number): void {
        const { theme, colour } = this.store.get();
        context.font = "600 13px system-ui, sans-serif";
        context.textAlign = "left";
        context.textBaseline = "top";
        context.fillStyle = theme === "dark" ? "#e6e9ed" : "#2b3138";
        context.fillText(name, rect.x + 14, rect.y + 12, rect.width - 28);
        const why = colour === "difference" ? this.noDifference(pane) : null;
        if (why) {
            context.font = "12px system-ui, sans-serif";
            context.fillText(`no difference to ${this.runs[0]!.name}: ${why}`, rect.x + 14, rect.y + 31, rect.width - 28);
        }
    }

    // ---- following the view ------------------------------------------------------------------------------------------

    private viewChanged(view: Readonly<View>, changed: ReadonlySet<keyof View>): void {
        if (changed.has("camera") && view.camera !== this.ownCamera) {
            this.wish = view.camera;
        }
        if (changed.has("theme")) {
            this.applyTheme(view);
        }
        if (changed.has("arrowScale") || changed.has("arrows")) {
            this.scenes.forEach((pane) => pane.setArrows(arrowsOf(view)));
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
        const silent: (keyof View)[] = ["time", "playing", "speed", "loop", "bookmarks", "panel", "plots", "pins", "follow"];
        if ([...changed].some((key) => !silent.includes(key))) {
            this.invalidate();
        }
    }

    private applyTheme(view: Readonly<View>): void {
        this.shared.uDark.value = view.theme === "dark" ? 1 : 0;
        this.host.style.background = `linear-gradient(${BACKGROUND[view.theme].join(", ")})`;
    }

    private applyLook(view: Readonly<View>): void {
        const scale = this.scale();
        this.scenes.forEach((pane) => pane.setLook({
            colour: pane.values && scale ? view.colour : "body", range: scale?.range ?? [0, 1], dark: view.theme === "dark",
            hidden: view.hidden, ghost: view.ghost, wireframe: view.wireframe, clipped: view.clip.axis !== null, cuts: this.cuts,
        }, view.contacts));
        const text = JSON.stringify(scale);
        if (text !== this.shownScale) {
            this.shownScale = text;
            this.scaleListeners.forEach((listener) => listener());
        }
    }

    private applyOverlay(view: Readonly<View>): void {
        this.scenes.forEach((pane) => pane.setOverlay(view.overlay ? this.scenes.filter((other) => other !== pane) : []));
    }

    /** The plane is fixed when it is chosen: it would move with the bodies otherwise. */
    private applyClip(view: Readonly<View>): void {
        const { axis, at, flip } = view.clip;
        this.scenes.forEach((pane) => pane.clipped());
        if (axis === null) {
            this.shared.uClip.value.set(0, 0, 0, 1);
            return;
        }
        const k = "xyz".indexOf(axis), box = this.everything(), sign = flip ? -1 : 1;
        const place = box.low[k]! + at * (box.high[k]! - box.low[k]!);
        const normal = [0, 0, 0];
        normal[k] = sign;
        this.shared.uClip.value.set(normal[0]!, normal[1]!, normal[2]!, sign * place);
    }

    private valuesOf(k: number, frames: readonly (Frame | null)[]): Float32Array | null {
        const { colour } = this.store.get(), frame = frames[k], first = frames[0];
        if (!frame || colour === "body") {
            return null;
        }
        if (colour !== "difference") {
            return frame.fields.get(colour) ?? null;
        }
        if (!first || this.noDifference(k) !== null) {
            return null;
        }
        const values = difference(frame, first);
        this.differenceMax = values.reduce((most, value) => Math.max(most, value), this.differenceMax);
        return values;
    }

    private reload(): void {
        const frames = this.scenes.map((pane) => pane.frame), view = this.store.get();
        this.scenes.forEach((pane, k) => pane.setFrame(pane.frame, this.valuesOf(k, frames), this.exaggeration, arrowsOf(view)));
        this.invalidate();
    }

    private refresh(): void {
        this.reload();
        this.applyLook(this.store.get());
    }

    private everything(): Box {
        const { hidden } = this.store.get();
        return this.scenes.reduce((box, pane) => box.add(pane.box(hidden)), new Box());
    }

    // ---- the camera, inside ------------------------------------------------------------------------------------------

    /** Without a wish: everything in sight, once there are frames. */
    camera(): Camera {
        const wish = this.wish ?? this.store.get().camera;
        if (wish) {
            return wish;
        }
        const fit = this.fit(lookFrom("home", this.flat ? 2 : 3), this.flat ? "parallel" : "perspective");
        if (this.scenes.some((pane) => pane.frame)) {
            this.wish = fit;
        }
        return fit;
    }

    private fit(from: Vec3, projection: Camera["projection"], bodies: readonly number[] | null = null, points?: Iterable<Float32Array>): Camera {
        const rect = this.rects[0] ?? { width: 1, height: 1 };
        return fitted({
            points: points ?? this.points(bodies), from, aspect: rect.width / rect.height, projection, margin: MARGIN,
            up: this.flat ? [0, 1, 0] : [0, 0, 1],
        });
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

    private setCamera(camera: Camera): void {
        this.wish = this.ownCamera = camera;
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
        const stage = this;
        return {
            get camera() {
                return stage.camera();
            },
            set camera(camera: Camera) {
                stage.wish = camera;
            },
            get turns() {
                return !stage.flat;
            },
            paneAt: (x: number, y: number) => stage.paneRect(stage.paneAt(x, y) ?? 0),
            moved: (done: boolean) => (done && stage.wish ? stage.setCamera(stage.wish) : stage.invalidate()),
            taken: (event: PointerEvent) => stage.onPointer(event),
        };
    }

    // ---- places, inside ----------------------------------------------------------------------------------------------

    private paneAt(clientX: number, clientY: number): number | null {
        const box = this.host.getBoundingClientRect(), x = clientX - box.left, y = clientY - box.top;
        const k = this.rects.findIndex((r) => x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height);
        return k < 0 ? null : k;
    }

    private paneRect(pane: number): Rect {
        const box = this.host.getBoundingClientRect(), rect = this.rects[pane]!;
        return { ...rect, x: rect.x + box.left, y: rect.y + box.top };
    }

    private rayAt(clientX: number, clientY: number): { pane: number; ray: Ray } | null {
        const pane = this.paneAt(clientX, clientY);
        if (pane === null) {
            return null;
        }
        const rect = this.paneRect(pane), camera = this.camera(), { right, up, back } = basisOf(camera);
        const half = halfHeight(camera), x = (clientX - rect.x - rect.width / 2) / (rect.height / 2), y = (rect.y + rect.height / 2 - clientY) / (rect.height / 2);
        const seen = add(add(camera.target, right, x * half), up, y * half);
        if (camera.projection === "perspective") {
            return { pane, ray: { from: camera.position, along: unit(add(seen, camera.position, -1)) } };
        }
        const far = distanceOf(camera) + 20 * this.everything().radius;
        return { pane, ray: { from: add(seen, back, far), along: back.map((c) => -c) as Vec3 } };
    }

    private hit(number: number, ray: Ray): Hit | null {
        const pane = this.scenes[number]!, { run, bodies } = pane, { hidden, ghost } = this.store.get();
        const clip = this.shared.uClip.value;
        const away = (body: number, x: number, y: number, z: number) => {
            const cut = this.cuts.get(body);
            return clip.x * x + clip.y * y + clip.z * z > clip.w || (cut !== undefined && cut[0] * x + cut[1] * y + cut[2] * z > cut[3]);
        };
        const never = (body: number) => hidden.includes(body) || run.bodies[body]!.plane;
        // Transparent bodies only where nothing else is.
        const met = meet(run, bodies.position, bodies.boxes, ray, { skip: (body) => never(body) || ghost.includes(body), away })
            ?? meet(run, bodies.position, bodies.boxes, ray, { skip: never, away });
        if (!met) {
            return null;
        }
        const weights = [1 - met.u - met.v, met.u, met.v], corners = [0, 1, 2].map((k) => run.tri[3 * met.triangle + k]!);
        const vertex = corners[weights.indexOf(Math.max(...weights))]!;
        const value = pane.values ? corners.reduce((sum, corner, k) => sum + weights[k]! * pane.values![corner]!, 0) : null;
        return { pane: number, body: met.body, vertex, node: run.node[vertex]!, point: add(ray.from, ray.along, met.distance), value };
    }

    private resize(): void {
        this.width = Math.max(1, this.host.clientWidth);
        this.height = Math.max(1, this.host.clientHeight);
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, SHARPEST));
        this.renderer.setSize(this.width, this.height, false);
        this.rects = layout(this.scenes.length, this.width, this.height);
        // Drawn at once: a resized canvas is empty until then, which would flicker.
        if (this.wish || this.store.get().camera || this.scenes.some((pane) => pane.frame)) {
            this.render();
        }
    }
}

function arrowsOf({ arrowScale, arrows }: Readonly<View>): Arrows {
    return { scale: arrowScale, ...arrows };
}

/** The background that the page has behind the canvas. */
function paper(context: CanvasRenderingContext2D, rects: readonly Rect[], theme: "light" | "dark"): void {
    const height = Math.max(...rects.map((rect) => rect.y + rect.height));
    const gradient = context.createLinearGradient(0, 0, 0, height);
    BACKGROUND[theme].forEach((colour, k) => gradient.addColorStop(k, colour));
    context.fillStyle = gradient;
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
}

export function blobOf(canvas: HTMLCanvasElement, type = "image/png"): Promise<Blob> {
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be packed"))), type));
}
