// Names of the runs in a page that shows several.

import { isCompare, type Context } from "./context";
import { el, follow, onceAFrame } from "./dom";

export function paneTitles(context: Context): HTMLElement | null {
    if (!isCompare(context)) {
        return null;
    }
    const { stage, store, runs } = context;
    const whys = runs.map(() => el("span", { class: "muted" }));
    const titles = runs.map((run, i) => el("div", { class: "pane-title" }, el("strong", {}, run.name), whys[i]));
    const place = onceAFrame(() => stage.panes().forEach((pane, i) => {
        // The upper corners belong to the colour bar and the camera's buttons. However many lines there are, they end at the lower edge.
        Object.assign(titles[i]!.style, {
            left: `${pane.x}px`, top: `${pane.y + pane.height}px`, width: `${pane.width}px`, transform: "translateY(-100%)",
        });
    }));
    new ResizeObserver(place).observe(stage.canvas);
    place();
    const explain = (): void => whys.forEach((why, i) => {
        const reason = store.get().colour === "difference" ? stage.noDifference(i) : null;
        const text = reason === null ? "" : `no difference to ${runs[0]!.name}: ${reason}`;
        if (why.textContent !== text) {
            why.textContent = text;
            place();
        }
    });
    follow(store, ["colour"], explain);
    // After the stage has them.
    context.player.onFrame(() => queueMicrotask(explain));
    return el("div", { class: "pane-titles" }, ...titles);
}
