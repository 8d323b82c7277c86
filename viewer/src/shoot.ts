// Pictures for `brunt export`: the address says what to draw (docs/viewer.md, Pictures), the page posts the pictures back.
import { isSigned, toRgb, type Rgb } from "./draw/colours";
import { direction } from "./draw/camera";
import type { Vec3 } from "./draw/bounds";
import { composePicture, panelSize, type Sheet } from "./draw/compose";
import { formatNumber } from "./draw/numbers";
import { centred, sample, spanOfMost } from "./draw/span";
import { blobOf, Stage } from "./draw/stage";
import { frameAt } from "./play/timeline";
import type { Run, Source } from "./types";
import { Store, type View } from "./view";

const MOST_PICTURES = 100000;
const MOST_PANELS = 64;
const SURVEYED = 24; // frames of a film that decide on camera and range
const LARGEST = 8192; // [pixels]

type Plane = [number, number, number, number];

/** What the address asks for, or null if it does not ask for pictures. */
export function pictureWish(hash: string): URLSearchParams | null {
    const wish = new URLSearchParams(hash.replace(/^#/, ""));
    return wish.has("shoot") ? wish : null;
}

/** Opens, draws and posts; what goes wrong is posted as well. */
export async function shoot(host: HTMLElement, open: () => Promise<readonly Source[]>, wish: URLSearchParams): Promise<void> {
    let sent = 0;
    const send = async (body: Blob | string) => {
        const answer = await fetch(`shot/${sent}`, { method: "POST", body });
        if (!answer.ok) {
            throw new Error(`brunt did not take the picture: ${answer.status} ${answer.statusText}`);
        }
        sent += 1;
    };
    try {
        const studio = new Studio(host, await open(), wish);
        await studio.prepare();
        // A film shows a frame as often as its time asks for; it is drawn once.
        let last = { key: "", picture: null as Blob | null };
        for (const moments of studio.pictures) {
            const key = wish.has("label") ? "" : moments.join(" ");
            if (key === "" || key !== last.key) {
                last = { key, picture: await studio.picture(moments) };
            }
            await send(last.picture!);
        }
        await send(`done ${sent}`);
    } catch (error) {
        await send(error instanceof Error ? error.message : String(error)).catch(() => undefined);
        throw error;
    }
}

function numbers(wish: URLSearchParams, name: string, count: number | null, otherwise: number[]): number[] {
    const text = wish.get(name);
    if (text === null || text === "") {
        return otherwise;
    }
    const values = text.split(/[,x]/).map(Number);
    if (!values.every(Number.isFinite) || (count !== null && values.length !== count)) {
        throw new Error(`${name}=${text}: ${count === null ? "numbers" : `${count} numbers`} separated by commas were expected`);
    }
    return values;
}

const words = (text: string | null): string[] => (text ?? "").split(",").map((word) => word.trim()).filter((word) => word !== "");

function matches(pattern: string, name: string): boolean {
    const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
    return new RegExp(`^${escaped}$`, "u").test(name);
}

function named(run: Run, pattern: string): number[] {
    const found = run.bodies.flatMap((body, k) => (matches(pattern, body.name) ? [k] : []));
    if (found.length === 0) {
        throw new Error(`no body is named ${pattern}; there are ${run.bodies.map((body) => body.name).join(", ")}`);
    }
    return found;
}

/** "NAME:WHAT" of a list. */
function pairs(run: Run, list: string | null, form: RegExp): { bodies: number[]; what: string }[] {
    return words(list).map((word) => {
        const colon = word.lastIndexOf(":"), what = word.slice(colon + 1);
        if (colon < 1 || !form.test(what)) {
            throw new Error(`"${word}" is not understood: a body's name, a colon, and what is wanted`);
        }
        return { bodies: named(run, word.slice(0, colon)), what };
    });
}

function viewOf(run: Run, wish: URLSearchParams): View {
    const bodies = (name: string) => words(wish.get(name)).flatMap((pattern) => named(run, pattern));
    const range = wish.get("range") === "auto" ? [] : numbers(wish, "range", 2, []);
    const colour = wish.get("colour") ?? "body";
    if (colour !== "body" && !run.fields.some((field) => field.name === colour)) {
        const there = run.fields.map((field) => field.name).join(", ");
        throw new Error(`colour=${colour}: the run has no such field; it has ${there === "" ? "none" : there}`);
    }
    return {
        time: 0, playing: false, speed: 1, loop: false, colour, range: range.length === 2 ? [range[0]!, range[1]!] : null, follow: false, most: false,
        contacts: wish.get("contacts") === "1", arrows: { normal: true, friction: true }, arrowScale: numbers(wish, "arrows", 1, [1])[0]!, forcesOn: null,
        wireframe: wish.get("wireframe") === "1", axes: wish.get("axes") === "1", clip: { axis: null, at: 0.5, flip: false },
        hidden: bodies("hide"), ghost: bodies("ghost"), camera: null, bookmarks: [], theme: wish.get("theme") === "dark" ? "dark" : "light",
        panel: null, plots: [], pins: [], overlay: false, mode: 0, amplitude: 0,
    };
}

/** A moment: a number of a frame a run. */
type Moment = number[];

function momentsOf(runs: readonly Run[], wish: URLSearchParams): Moment[] {
    const longest = runs.reduce((a, b) => (b.times.length > a.times.length ? b : a)), { times } = longest;
    if (times.length === 0) {
        throw new Error("the run has no frames");
    }
    const nearest = (run: Run, time: number) => {
        const at = frameAt(run.times, time), next = Math.min(at + 1, run.times.length - 1);
        return Math.abs(run.times[next]! - time) < Math.abs(run.times[at]! - time) ? next : at;
    };
    const at = (time: number) => runs.map((run) => nearest(run, time));
    if (wish.get("frames") === "all") {
        const fps = numbers(wish, "fps", 1, [0])[0]!, speed = numbers(wish, "speed", 1, [1])[0]!;
        if (fps <= 0) {
            return times.map(at);
        }
        if (!(speed > 0)) {
            throw new Error(`speed=${speed}: must be above 0`);
        }
        const count = Math.floor((times[times.length - 1]! - times[0]!) * (fps / speed) + 1e-6) + 1;
        return Array.from({ length: Math.min(count, MOST_PICTURES) }, (_, k) => runs.map((run) => frameAt(run.times, times[0]! + (k * speed) / fps)));
    }
    if (wish.has("frames")) {
        return numbers(wish, "frames", null, []).map((number) => {
            const frame = number < 0 ? times.length + number : number;
            if (!Number.isInteger(frame) || frame < 0 || frame >= times.length) {
                throw new Error(`frame ${number}: there are ${times.length}`);
            }
            return at(times[frame]!);
        });
    }
    const wanted = numbers(wish, "times", null, [times[times.length - 1]!]);
    const late = wanted.find((time) => time > times[times.length - 1]! * (1 + 1e-9));
    if (late !== undefined) {
        throw new Error(`time ${late} s is after the last frame, ${formatNumber(times[times.length - 1]!)} s`);
    }
    return wanted.map(at);
}

/** About an axis by an angle [degrees], the other way round: everything turned is the camera turned back. */
function turner(text: string | null): (v: Vec3) => Vec3 {
    if (text === null || text === "") {
        return (v) => v;
    }
    const found = /^([xyz])[:=](-?[0-9.]+)$/.exec(text);
    if (!found) {
        throw new Error(`turn=${text}: an axis and degrees were expected, as y:30`);
    }
    const i = ("xyz".indexOf(found[1]!) + 1) % 3, j = (i + 1) % 3;
    const angle = (-Number(found[2]) * Math.PI) / 180, c = Math.cos(angle), s = Math.sin(angle);
    return (v) => {
        const out: Vec3 = [...v];
        out[i] = c * v[i]! - s * v[j]!;
        out[j] = s * v[i]! + c * v[j]!;
        return out;
    };
}

class Studio {
    readonly pictures: Moment[][]; // moments of each picture
    private readonly runs: Run[];
    private readonly stores: Store[]; // one a run, as the stages
    private readonly stages: Stage[];
    private readonly sheet: Sheet;
    private readonly labels: string[];

    constructor(host: HTMLElement, private readonly sources: readonly Source[], private readonly wish: URLSearchParams) {
        this.runs = sources.map((source) => source.run);
        if (wish.get("patch") === "1") {
            this.runs.forEach((run) => run.bodies.forEach((body) => (body.plane = false)));
        }
        const moments = momentsOf(this.runs, wish), panels = wish.get("panels") === "1";
        if (panels && moments.length * this.runs.length > MOST_PANELS) {
            throw new Error(`${moments.length * this.runs.length} panels in one picture: at most ${MOST_PANELS}`);
        }
        this.pictures = panels ? [moments] : moments.map((moment) => [moment]);
        this.labels = wish.getAll("label");
        const [width, height] = numbers(wish, "size", 2, [960, 600]) as [number, number];
        if (!(width >= 16 && height >= 16 && width <= LARGEST && height <= LARGEST)) {
            throw new Error(`size=${width}x${height}: from 16 to ${LARGEST} pixels`);
        }
        this.stores = this.runs.map((run) => new Store(viewOf(run, wish)));
        this.sheet = {
            width: Math.round(width), height: Math.round(height), labels: this.labelsOf(this.pictures[0]!),
            columns: numbers(wish, "columns", 1, [MOST_PANELS])[0]!, title: wish.get("title") ?? "", scale: null,
            theme: this.stores[0]!.get().theme, transparent: wish.get("transparent") === "1",
        };
        Object.assign(host.style, { position: "fixed", inset: "0", width: "64px", height: "64px" });
        this.stages = this.runs.map((run, k) => new Stage(host, this.stores[k]!, [run]));
        this.stages.forEach((stage) => {
            stage.still = true;
            if (wish.get("sun") !== "0") {
                stage.shine();
            }
        });
    }

    /** Camera and range, from the moments that will be drawn. */
    async prepare(): Promise<void> {
        const { wish, stages, runs } = this;
        stages.forEach((stage, k) => {
            stage.setExaggeration(numbers(wish, "scale", 1, [1])[0]!);
            stage.setCuts(this.cuts(runs[k]!));
            stage.setPaint(this.paint(runs[k]!));
        });
        const moments = this.pictures.flat();
        const every = Math.max(1, Math.ceil(moments.length / SURVEYED));
        const chosen = moments.filter((_, k) => k % every === 0 || k === moments.length - 1);
        const points: Float32Array[] = [], values: number[] = [];
        const fit = runs.map((run) => words(wish.get("fit")).flatMap((pattern) => named(run, pattern)));
        for (const moment of chosen) {
            for (const [k, stage] of stages.entries()) {
                stage.setFrames([await this.sources[k]!.frame(moment[k]!)]);
                points.push(...stage.points(fit[k]!.length > 0 ? fit[k]! : null).map((part) => part.slice()));
                const { colour, hidden } = this.stores[k]!.get();
                sample(runs[k]!, colour, hidden, (vertex) => stage.valueAt(0, vertex), values);
            }
        }
        this.span(values);
        this.sheet.scale = wish.get("bar") === "0" ? null : stages[0]!.scale();
        this.aim(points);
    }

    async picture(moments: Moment[]): Promise<Blob> {
        const size = panelSize(this.sheet), images: HTMLCanvasElement[] = [];
        for (const moment of moments) {
            for (const [k, stage] of this.stages.entries()) {
                stage.setFrames([await this.sources[k]!.frame(moment[k]!)]);
                images.push(stage.snapshot({ ...size, transparent: true }));
            }
        }
        return blobOf(composePicture({ ...this.sheet, labels: this.labelsOf(moments) }, images));
    }

    /** What the colours span: the same for all runs. */
    private span(values: number[]): void {
        const scales = this.stages.map((stage) => stage.scale()?.range).filter((range) => range !== undefined);
        let range: [number, number] | null = null;
        if (this.wish.get("range") === "auto" && values.length > 0) {
            range = spanOfMost(values);
            range = range !== null && isSigned(this.stores[0]!.get().colour) ? centred(range) : range;
        } else if (scales.length > 1) {
            range = [Math.min(...scales.map((one) => one[0])), Math.max(...scales.map((one) => one[1]))];
        }
        if (range !== null) {
            this.stores.forEach((store) => store.set({ range }));
        }
    }

    private aim(points: Float32Array[]): void {
        const { wish, runs } = this;
        const [azimuth, elevation] = numbers(wish, "view", 2, [-60, 18]) as [number, number];
        const turn = turner(wish.get("turn")), flat = runs.every((run) => run.dimension === 2);
        this.stages.forEach((stage) => stage.aim({
            from: flat ? [0, 0, 1] : turn(direction(azimuth, elevation)), up: flat ? [0, 1, 0] : turn([0, 0, 1]), points,
            projection: flat || wish.get("projection") === "parallel" ? "parallel" : "perspective",
            zoom: numbers(wish, "zoom", 1, [1])[0]!, ...panelSize(this.sheet),
        }));
    }

    /** Texts below the panels of a picture: as given in turn, or else names of runs and times, where there are several. */
    private labelsOf(moments: Moment[]): string[] {
        const all = this.pictures.flat(), several = all.length > 1, { times } = this.runs[0]!;
        const step = times.length > 1 ? (times[times.length - 1]! - times[0]!) / (times.length - 1) : 0;
        const digits = step > 0 && this.pictures.length > 1 ? Math.min(Math.max(Math.ceil(-Math.log10(step)), 0), 6) : -1;
        return moments.flatMap((moment) => this.runs.map((run, k) => {
            if (this.labels.length > 0) {
                return this.labels[all.indexOf(moment) * this.runs.length + k] ?? "";
            }
            const time = run.times[moment[k]!]!, name = this.runs.length > 1 ? run.name : "";
            const at = several ? `${digits < 0 ? formatNumber(time, 3) : time.toFixed(digits)} s` : "";
            return [name, at].filter((text) => text !== "").join(", ");
        }));
    }

    private cuts(run: Run): Map<number, Plane> {
        const cuts = new Map<number, Plane>();
        for (const { bodies, what } of pairs(run, this.wish.get("cut"), /^[+-][xyz]$/)) {
            const axis = "xyz".indexOf(what[1]!), sign = what[0] === "+" ? 1 : -1;
            for (const body of bodies) {
                const { vertexFirst, vertexCount } = run.bodies[body]!;
                let sum = 0;
                for (let v = vertexFirst; v < vertexFirst + vertexCount; v++) {
                    sum += run.rest[3 * v + axis]!;
                }
                const plane: Plane = [0, 0, 0, (sign * sum) / Math.max(vertexCount, 1)];
                plane[axis] = sign;
                cuts.set(body, plane);
            }
        }
        return cuts;
    }

    private paint(run: Run): Map<number, Rgb> {
        const paint = new Map<number, Rgb>();
        for (const { bodies, what } of pairs(run, this.wish.get("paint"), /^#[0-9a-fA-F]{6}(\+#[0-9a-fA-F]{6})*$/)) {
            const colours = what.split("+").map(toRgb);
            bodies.forEach((body, k) => paint.set(body, colours[k % colours.length]!));
        }
        return paint;
    }
}
