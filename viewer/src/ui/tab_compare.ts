// Tab of a page with several runs: what was set otherwise, how far they are apart, and their figures side by side.

import { formatValue } from "../draw/numbers";
import type { Difference, Run } from "../types";
import type { Context } from "./context";
import { el, follow, section, setToggle, toggle } from "./dom";
import { bestOf, figuresOfAll, groupFigures, stageFigures } from "./figures";
import { NOTHING } from "./format";
import type { Tab } from "./panel";
import { differingSettings } from "./settings";
import { figureText } from "./tab_summary";

const MOST = 60; // settings that are listed

interface Row {
    label: string;
    mesh: boolean; // needs the same nodes in both
    value: (d: Difference) => string;
}

const metres = (value: number): string => (Number.isFinite(value) ? formatValue(value, "m", 3) : NOTHING);

const ROWS: Row[] = [
    { label: "Largest", mesh: true, value: (d) => metres(d.max) },
    { label: "… at", mesh: true, value: (d) => (d.max > 0 ? `${formatValue(d.maxTime, "s", 3)}, ${d.maxBody}` : NOTHING) },
    { label: "Root mean square", mesh: true, value: (d) => metres(d.rms) },
    { label: "Largest at the end", mesh: true, value: (d) => metres(d.endMax) },
    { label: "Root mean square there", mesh: true, value: (d) => metres(d.endRms) },
    { label: "The end is at", mesh: true, value: (d) => (Number.isFinite(d.timeEnd) ? formatValue(d.timeEnd, "s", 4) : NOTHING) },
    { label: "Largest of probes", mesh: false, value: (d) => metres(d.probeMax) },
];

function scrolling(label: string, table: HTMLElement): HTMLElement {
    return el("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}

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
        host.append(section("Pictures", overlay, difference), this.settings(), this.differences() ?? "");
        const summaries = runs.map((run) => run.summary ?? {});
        const table = this.table("Figure");
        const figures = figuresOfAll(runs);
        for (const group of groupFigures(summaries, [...figures.run, ...stageFigures(figures)])) {
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
            scrolling("Figures of all runs", table)));
        const notes = runs.flatMap((run) => [run.thinned, ...run.notes].filter((note) => note !== null).map((note) => `${run.name}: ${note}`));
        if (notes.length > 0) {
            host.append(section("Remarks", el("ul", { class: "notes" }, ...notes.map((note) => el("li", {}, note)))));
        }
    }

    private table(head: string): HTMLTableElement {
        return el("table", { class: "table compare-table" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, head),
            ...this.context.runs.map((run) => el("th", { scope: "col" }, run.name)))));
    }

    /** What was set otherwise. */
    private settings(): HTMLElement {
        const settings = differingSettings(this.context.runs);
        if (settings.length === 0) {
            return section("Settings that differ", el("p", { class: "hint" }, "None: the scenes are the same."));
        }
        const table = this.table("Setting");
        table.id = "compare-settings";
        table.append(el("tbody", {}, ...settings.slice(0, MOST).map(({ path, values }) => el("tr", {}, el("th", { scope: "row" }, path),
            ...values.map((value) => el("td", { class: value === values[0] ? "words" : "words other" }, value === "" ? NOTHING : value))))));
        const more = settings.length > MOST ? el("p", { class: "hint" }, `${settings.length - MOST} more are in the scenes.`) : null;
        return section("Settings that differ", scrolling("Settings that differ", table), more);
    }

    /** How far the runs are from the first; null: the page was written without. */
    private differences(): HTMLElement | null {
        const { runs } = this.context;
        if (runs.every((run) => run.difference === null)) {
            return null;
        }
        const table = this.table("Distance");
        table.id = "compare-difference";
        const cell = (run: Run, i: number, { value, mesh }: Row, first: boolean): HTMLElement => {
            const d = run.difference;
            const text = i === 0 ? (first ? "reference" : "") : d === null ? NOTHING : mesh && !d.sameMesh ? "other mesh" : value(d);
            return el("td", { class: "num" }, text);
        };
        table.append(el("tbody", {}, ...ROWS.map((row, k) =>
            el("tr", {}, el("th", { scope: "row" }, row.label), ...runs.map((run, i) => cell(run, i, row, k === 0))))));
        return section(`Difference to ${runs[0]!.name}`,
            el("p", { class: "hint" }, "Distance of the same node in both runs, over all frames."), scrolling("Difference to the reference", table));
    }
}
