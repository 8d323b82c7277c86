// Which range of values the colours span: of all frames, of the frame shown, or one that a person has locked.

import type { Context } from "./context";

export class RangeKeeper {
    private readonly listeners: (() => void)[] = [];

    constructor(private readonly context: Context) {
        const { player, store } = context;
        // After the stage has the frame's values.
        player.onFrame(() => queueMicrotask(() => this.followFrame()));
        store.listen((_, changed) => {
            if (changed.has("follow") || changed.has("colour") || changed.has("hidden")) {
                queueMicrotask(() => this.followFrame());
            }
            if (changed.has("follow") || changed.has("range")) {
                this.tell();
            }
        });
        context.stage.onScale(() => this.tell());
    }

    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }

    /** What is in use. */
    current(): [number, number] {
        return this.context.stage.scale()?.range ?? [0, 1];
    }

    unit(): string {
        const unit = this.context.stage.scale()?.unit ?? "";
        return unit === "1" ? "" : unit;
    }

    choose(mode: "all" | "frame" | "locked"): void {
        const { store } = this.context;
        if (mode === "all") {
            store.set({ range: null, follow: false });
        } else if (mode === "locked") {
            store.set({ range: this.current(), follow: false });
        } else {
            store.set({ follow: true });
        }
    }

    private followFrame(): void {
        const { store, stage, runs } = this.context;
        const view = store.get();
        if (!view.follow) {
            return;
        }
        let low = Infinity;
        let high = -Infinity;
        runs.forEach((run, pane) => run.bodies.forEach((body, number) => {
            // What is not seen does not count.
            if (body.plane || view.hidden.includes(number)) {
                return;
            }
            for (let i = body.vertexFirst; i < body.vertexFirst + body.vertexCount; ++i) {
                const value = stage.valueAt(pane, i) ?? NaN;
                low = value < low ? value : low;
                high = value > high ? value : high;
            }
        }));
        const old = view.range;
        if (low < high && (old === null || old[0] !== low || old[1] !== high)) {
            store.set({ range: [low, high] });
        }
    }

    private tell(): void {
        this.listeners.forEach((listener) => listener());
    }
}
