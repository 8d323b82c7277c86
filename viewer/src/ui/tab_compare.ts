// Tab of a page with several runs: their figures side by side.

import type { Context } from "./context";
import { el, follow, section, setToggle, toggle } from "./dom";
import { bestOf, figuresOfAll, groupFigures } from "./figures";
import type { Tab } from "./panel";
import { figureText } from "./tab_summary";

export class CompareTab implements Tab {
    readonly id = "compare";
    readonly label = "Compare";
    readonly icon = "compare";

    constructor(private readonly context: Context) {}

    build(host: HTMLElement): void {
        const { store, runs } = this.context;
        const overlay = toggle("Other runs as ghosts", false, (on) => store.set({ overlay: on }), "O");
        overlay.querySelector("input")!.id = "overlay";
        const difference = toggle("Colour by difference", false,
            (on) => store.set({ colour: on ? "difference" : "body", range: null, follow: false }), "D");
        follow(store, ["overlay", "colour"], (view) => {
            setToggle(overlay, view.overlay);
            setToggle(difference, view.colour === "difference");
        });
        host.append(section("Pictures", overlay, difference));
        const summaries = runs.map((run) => run.summary ?? {});
        const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Figure"), ...runs.map((run) => el("th", { scope: "col" }, run.name))));
        const table = el("table", { class: "table compare-table" }, head);
        for (const group of groupFigures(summaries, figuresOfAll(runs).run)) {
            const body = el("tbody", {}, el("tr", { class: "group" }, el("th", { colspan: runs.length + 1, scope: "colgroup" }, group.title)));
            for (const figure of group.figures) {
                const values = summaries.map((summary) => summary[figure.name]);
                const best = bestOf(figure, summaries.map((summary) => (summary["status"] === "done" ? summary[figure.name] : undefined)));
                body.append(el("tr", {}, el("th", { scope: "row" }, figure.label), ...values.map((value, i) =>
                    el("td", { class: typeof value === "string" ? "words" : best[i] === true ? "num best" : "num" }, figureText(figure, value),
                        best[i] === true ? el("span", { class: "visually-hidden" }, " (best)") : null))));
            }
            table.append(body);
        }
        host.append(section("Figures", el("p", { class: "hint" }, "The best of a row is bold and marked."),
            el("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Figures of all runs" }, table)));
        const notes = runs.flatMap((run) => [run.thinned, ...run.notes].filter((note) => note !== null).map((note) => `${run.name}: ${note}`));
        if (notes.length > 0) {
            host.append(section("Remarks", el("ul", { class: "notes" }, ...notes.map((note) => el("li", {}, note)))));
        }
    }
}
