// The clock: which moment is shown, and who fetches its frames. The newest wish wins: while frames are under way, later wishes only
// replace each other, so that scrubbing never queues up. Frames of several runs are handed over together, all of one moment.
import type { Frame, Source } from "../types";
import type { Store, View } from "../view";
import { frameAt, mergeTimes } from "./timeline";

const AHEAD = 3; // frames fetched in advance while playing
const LONGEST_TICK = 0.5; // [s] a slow browser keeps the pace; after a pause of it the clock does not jump further

interface Lane {
    source: Source;
    wanted: number;
    shown: number;
    frame: Frame | null;
    ahead: number; // fetches in advance that are under way
    arrivals: number; // of a live run, when it was looked at last
}

export type FrameListener = (frames: readonly (Frame | null)[]) => void;

export class Player {
    /** A live run: show the newest frame whenever one comes. */
    following: boolean;

    private readonly lanes: Lane[];
    private readonly listeners: FrameListener[] = [];
    private readonly errorListeners: ((message: string) => void)[] = [];
    private moments: number[] = [];
    private ownTime = NaN; // what this wrote into the view last
    private ticking = 0;
    private lastTick = 0;
    private busy = false; // frames are under way

    constructor(readonly sources: readonly Source[], private readonly store: Store) {
        this.lanes = sources.map((source) => ({ source, wanted: -1, shown: -1, frame: null, ahead: 0, arrivals: 0 }));
        this.following = sources.some((source) => source.live !== null);
        this.moments = mergeTimes(sources.map((source) => source.run.times));
        this.oscillate(store.get());
        store.listen((view, changed) => this.viewChanged(view, changed));
        this.lanes.forEach((lane) => lane.source.live?.onChange(() => this.arrived(lane)));
        this.want();
        this.run();
    }

    get times(): readonly number[] {
        return this.moments;
    }

    get start(): number {
        return this.moments[0] ?? 0;
    }

    get end(): number {
        return this.moments[this.moments.length - 1] ?? 0;
    }

    get frames(): (Frame | null)[] {
        return this.lanes.map((lane) => lane.frame);
    }

    /** Nothing is under way: what is shown is what the view asks for. */
    get settled(): boolean {
        return !this.busy && this.lanes.every((lane) => lane.wanted === lane.shown);
    }

    onFrame(listener: FrameListener): void {
        this.listeners.push(listener);
        if (this.lanes.some((lane) => lane.frame)) {
            listener(this.frames);
        }
    }

    onError(listener: (message: string) => void): void {
        this.errorListeners.push(listener);
    }

    /** n frames forward, back if negative; stops playing. */
    step(n: number): void {
        const at = frameAt(this.moments, this.store.get().time);
        const next = Math.min(Math.max(at + n, 0), this.moments.length - 1);
        this.store.set({ playing: false });
        this.seek(this.moments[next] ?? 0);
    }

    seek(time: number): void {
        this.store.set({ time: Math.min(Math.max(time, this.start), this.end) });
    }

    /** Back to the newest moment of a live run. */
    follow(): void {
        this.following = true;
        this.seek(this.end);
    }

    toggle(): void {
        const view = this.store.get();
        if (!view.playing && !view.loop && view.time >= this.end) {
            this.seek(this.start);
        }
        this.store.set({ playing: !view.playing });
    }

    private viewChanged(view: Readonly<View>, changed: ReadonlySet<keyof View>): void {
        if (changed.has("time")) {
            if (view.time !== this.ownTime && this.sources.some((source) => source.live)) {
                this.following = view.time >= this.end;
            }
            this.want();
        }
        if (changed.has("mode") || changed.has("amplitude")) {
            this.oscillate(view);
            this.lanes.forEach((lane) => (lane.shown = -1)); // the same number is another frame now
            this.want();
        }
        if (changed.has("playing")) {
            this.run();
        }
    }

    private oscillate(view: Readonly<View>): void {
        this.sources.forEach((source) => source.oscillate?.(view.mode, view.amplitude));
    }

    /** Starts the clock if it should run. It rests otherwise: an idle page costs nothing. */
    private run(): void {
        if (this.store.get().playing && this.ticking === 0) {
            this.lastTick = performance.now();
            this.ticking = requestAnimationFrame((now) => this.tick(now));
        }
    }

    private tick(now: number): void {
        this.ticking = 0;
        const view = this.store.get();
        if (!view.playing) {
            return;
        }
        const passed = Math.min(Math.max(now - this.lastTick, 0) / 1000, LONGEST_TICK);
        this.lastTick = now;
        if (!this.following) {
            this.advance(view, view.time + passed * view.speed);
        }
        this.ticking = requestAnimationFrame((next) => this.tick(next));
    }

    private advance(view: Readonly<View>, time: number): void {
        const live = this.sources.some((source) => source.live);
        if (time <= this.end) {
            this.setTime(time);
        } else if (live) {
            this.follow();
        } else if (view.loop && this.end > this.start) {
            this.setTime(this.start + ((time - this.start) % (this.end - this.start)));
        } else {
            this.setTime(this.end);
            this.store.set({ playing: false });
        }
    }

    private setTime(time: number): void {
        this.ownTime = time;
        this.store.set({ time });
    }

    /** A live run told something: maybe there is a newer frame. */
    private arrived(lane: Lane): void {
        const live = lane.source.live!;
        if (live.arrivals === lane.arrivals) {
            return;
        }
        lane.arrivals = live.arrivals;
        this.moments = mergeTimes(this.sources.map((other) => other.run.times));
        // The same number may stand for another frame after a reset, or when old ones were forgotten.
        lane.shown = -1;
        if (this.following) {
            this.setTime(this.end);
        }
        this.want();
        // Once the picture with it was drawn. A hidden page draws nothing, so that nothing is sent to it.
        requestAnimationFrame(() => setTimeout(() => live.drawn()));
    }

    private want(): void {
        const time = this.store.get().time;
        for (const lane of this.lanes) {
            lane.wanted = frameAt(lane.source.run.times, time);
        }
        if (!this.busy) {
            void this.pump();
        }
    }

    private get behind(): boolean {
        return this.lanes.some((lane) => lane.wanted !== lane.shown && lane.wanted >= 0);
    }

    private async pump(): Promise<void> {
        this.busy = true;
        try {
            while (this.behind) {
                await this.loadAll();
            }
        } finally {
            this.busy = false;
        }
    }

    private async loadAll(): Promise<void> {
        const errors = await Promise.all(this.lanes.map((lane) => this.load(lane)));
        const error = errors.find((message) => message !== null);
        if (error) {
            this.errorListeners.forEach((listener) => listener(error));
        }
        if (errors.includes(null)) {
            this.listeners.forEach((listener) => listener(this.frames));
        }
        this.lanes.forEach((lane) => this.lookAhead(lane));
    }

    /** What went wrong, null if nothing did. */
    private async load(lane: Lane): Promise<string | null> {
        const { wanted } = lane;
        if (wanted < 0 || wanted === lane.shown) {
            return null;
        }
        lane.shown = wanted; // also of one that cannot be had, or it would be tried for ever
        try {
            lane.frame = await lane.source.frame(wanted);
            return null;
        } catch (error) {
            return error instanceof Error ? error.message : String(error);
        }
    }

    private lookAhead(lane: Lane): void {
        const view = this.store.get();
        // What is made on the spot costs the same ahead.
        if (!view.playing || lane.source.live || lane.source.run.modes.length > 0 || lane.shown < 0) {
            return;
        }
        const count = lane.source.run.times.length;
        for (let k = 1; k <= AHEAD && lane.ahead < AHEAD; k++) {
            const next = lane.shown + k < count ? lane.shown + k : view.loop ? (lane.shown + k) % count : -1;
            if (next >= 0) {
                lane.ahead += 1;
                // An error shows up again when the frame itself is wanted.
                lane.source.frame(next).catch(() => null).finally(() => (lane.ahead -= 1));
            }
        }
    }
}
