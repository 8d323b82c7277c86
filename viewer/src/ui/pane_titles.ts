// Below each pane of a page with several runs: its name and what makes it another than the first.

import { isCompare, type Context } from "./context";
import { el, follow, onceAFrame, setText } from "./dom";
import { differingSettings, settingsText } from "./settings";

export function paneTitles(context: Context): HTMLElement | null {
    if (!isCompare(context)) {
        return null;
    }
    const { stage, store, runs } = context;
    const settings = differingSettings(runs);
    const same = settings.length === 0 ? "" : "the same settings";
    const texts = runs.map((_, i) => (i === 0 ? "reference" : settingsText(settings, i) || same));
    const lines = runs.map(() => el("span", { class: "muted" }));
    const titles = runs.map((run, i) => el("div", { class: "pane-title" }, el("strong", {}, run.name), lines[i]));
    const place = onceAFrame(() => stage.panes().forEach((pane, i) => {
        Object.assign(titles[i]!.style, { left: `${pane.x}px`, top: `${pane.y + pane.height}px`, width: `${pane.width}px`, height: `${stage.foot}px` });
    }));
    new ResizeObserver(place).observe(stage.canvas);
    place();
    const explain = (): void => lines.forEach((line, i) => {
        const reason = store.get().colour === "difference" ? stage.noDifference(i) : null;
        setText(line, reason === null ? texts[i]! : `no difference to ${runs[0]!.name}: ${reason}`);
        titles[i]!.title = `${runs[i]!.name}: ${line.textContent ?? ""}`;
    });
    follow(store, ["colour"], explain);
    // After the stage has them.
    context.player.onFrame(() => queueMicrotask(explain));
    return el("div", { class: "pane-titles" }, ...titles);
}
