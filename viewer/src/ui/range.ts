// Which range of values the colours span: of all frames, of the frame shown, or one that a person has locked; of all values, or of
// those that 99 % of the vertices have.

import { MOMENTS } from "../data/source";
import { isSigned } from "../draw/colours";
import { centred, sample, spanOfMost } from "../draw/span";
import { spread } from "../play/timeline";
import type { Context } from "./context";

const SURVEYED = 24; // frames of a run that stand for all, where they are at hand

export type RangeMode = "all" | "frame" | "locked";

export class RangeKeeper {
    private readonly listeners: (() => void)[] = [];
    private surveys = 0; // begun so far: only the newest counts
    private surveyed = -1; // the last one that came to its end

    constructor(private readonly context: Context) {
        const { player, store } = context;
        player.onFrame(() => {
            // After the stage has the frame's values.
            queueMicrotask(() => this.followFrame());
            // The frame that is shown comes first, then those that decide on its colours.
            if (this.surveys === 0) {
                void this.survey();
            }
        });
        store.listen((view, changed) => {
            if (view.most && changed.has("colour") && !changed.has("range")) {
                store.set({ range: null }); // it was that of other values
            }
            if (changed.has("follow") || changed.has("most") || changed.has("colour") || changed.has("hidden")
                || changed.has("mode")) {
                queueMicrotask(() => this.followFrame());
                void this.survey();
            }
            if (changed.has("follow") || changed.has("most") || changed.has("range")) {
                this.tell();
            }
        });
        context.stage.onScale(() => this.tell());
    }

    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }

    /** No frames are being looked at for their values: the range stays until something changes. */
    get settled(): boolean {
        return this.surveyed === this.surveys;
    }

    /** What is in use. */
    current(): [number, number] {
        return this.context.stage.scale()?.range ?? [0, 1];
    }

    unit(): string {
        const unit = this.context.stage.scale()?.unit ?? "";
        return unit === "1" ? "" : unit;
    }

    mode(): RangeMode {
        const { follow, most, range } = this.context.store.get();
        return follow ? "frame" : most || range === null ? "all" : "locked";
    }

    choose(mode: RangeMode): void {
        const { store } = this.context;
        if (mode === "all") {
            store.set({ range: null, follow: false });
            void this.survey();
        } else if (mode === "locked") {
            store.set({ range: this.current(), follow: false, most: false });
        } else {
            store.set({ follow: true });
        }
    }

    /** Can extremes be left out of what is shown now? Of a distance between runs they are what one looks for. */
    trims(): boolean {
        return !["body", "difference"].includes(this.context.store.get().colour);
    }

    /** Extremes left out or not; a locked range is given up for it. */
    flip(): void {
        const { store } = this.context;
        if (this.trims()) {
            store.set({ most: !store.get().most, range: null });
        }
    }

    private get live(): boolean {
        return this.context.runs.some((run) => run.live);
    }

    private followFrame(): void {
        const { store, stage, runs } = this.context;
        const view = store.get();
        // Of a run that is going on nobody knows the frames to come.
        if (view.colour === "body" || !(view.follow || (view.most && this.live))) {
            return;
        }
        const values: number[] = [];
        let low = Infinity;
        let high = -Infinity;
        runs.forEach((run, pane) => {
            if (view.most) {
                sample(run, view.colour, view.hidden, (vertex) => stage.valueAt(pane, vertex), values);
            }
            run.bodies.forEach((body, number) => {
                // What is not seen does not count.
                for (let i = 0; i < body.vertexCount && !body.plane && !view.hidden.includes(number); ++i) {
                    const value = stage.valueAt(pane, body.vertexFirst + i) ?? NaN;
                    low = value < low ? value : low;
                    high = value > high ? value : high;
                }
            });
        });
        this.span((view.most ? spanOfMost(values) : null) ?? [low, high]);
    }

    /** All frames without their extremes: some frames are looked at. */
    private async survey(): Promise<void> {
        const { store, sources } = this.context;
        const { colour, hidden, most, follow } = store.get();
        const number = ++this.surveys;
        if (!most || follow || this.live || !this.trims()) {
            this.surveyed = number;
            return;
        }
        const values: number[] = [];
        for (const source of sources) {
            for (const k of spread(source.run.times.length, source.remote ? MOMENTS : SURVEYED)) {
                // A frame that cannot be had is told by who wants to show it.
                const frame = await source.frame(k).catch(() => null);
                if (number !== this.surveys) {
                    return;
                }
                const field = frame?.fields.get(colour);
                sample(source.run, colour, hidden, (vertex) => field?.[vertex] ?? null, values);
            }
        }
        const span = spanOfMost(values);
        if (span !== null) {
            this.span(span);
        }
        this.surveyed = number;
    }

    private span(seen: [number, number]): void {
        const { colour, range: old } = this.context.store.get();
        const [low, high] = isSigned(colour) && seen[0] <= seen[1] ? centred(seen) : seen;
        if (low < high && (old === null || old[0] !== low || old[1] !== high)) {
            this.context.store.set({ range: [low, high] });
        }
    }

    private tell(): void {
        this.listeners.forEach((listener) => listener());
    }
}
