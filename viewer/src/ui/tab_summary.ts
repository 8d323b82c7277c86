// Tab: the figures of the run, and remarks.

import { formatValue } from "../draw/numbers";
import type { Run } from "../types";
import { firstRun, type Context } from "./context";
import { el, section } from "./dom";
import { groupFigures, stageFigures, type Figure } from "./figures";
import { formatCount, NOTHING } from "./format";
import type { Tab } from "./panel";

/** A figure as text. */
export function figureText(figure: Figure, value: unknown): string {
    if (typeof value === "number") {
        return figure.whole ? formatCount(value) : formatValue(value, figure.unit);
    }
    if (value === null || value === undefined) {
        return NOTHING;
    }
    return typeof value === "string" || typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

function about(run: Run): [string, string][] {
    const frames = formatCount(run.times.length);
    return [
        ["Title", run.title], ["Dimension", `${run.dimension}D`], ["Step", formatValue(run.step, "s")],
        ["End", formatValue(run.end, "s")], ["Bodies", formatCount(run.bodies.length)],
        ["Triangles drawn", formatCount(run.tri.length / 3)],
        ["Frames", run.recorded === run.times.length ? frames : `${frames} of ${formatCount(run.recorded)}`],
    ];
}

export class SummaryTab implements Tab {
    readonly id = "summary";
    readonly label = "Summary";
    readonly icon = "summary";

    constructor(private readonly context: Context) {}

    build(host: HTMLElement): void {
        const run = firstRun(this.context);
        const facts = (rows: [string, string, boolean?][]): HTMLElement =>
            el("dl", { class: "facts" }, ...rows.flatMap(([label, text, long]) =>
                [el("dt", {}, label), el("dd", { class: long === true ? "long" : null }, text)]));
        const remarks = [run.thinned, ...run.notes].filter((note): note is string => note !== null && note !== "");
        if (remarks.length > 0) {
            host.append(section("Remarks", el("ul", { class: "notes" }, ...remarks.map((note) => el("li", {}, note)))));
        }
        host.append(section("Scene", facts(about(run))));
        if (run.summary === null) {
            host.append(el("p", { class: "hint" }, run.live ? "The summary is written when the run has ended." : "This run has no summary."));
            return;
        }
        const choices = String(run.summary["choices"] ?? "").split("\n").filter((line) => line !== "");
        if (choices.length > 0) {
            host.append(section("Chosen by the method", el("ul", { class: "notes" }, ...choices.map((line) => el("li", {}, line)))));
        }
        // Those of stages have a tab for themselves.
        const elsewhere = new Set(stageFigures(run.figures).map((figure) => figure.name));
        const summary = Object.fromEntries(Object.entries(run.summary).filter(([name]) => !elsewhere.has(name)));
        for (const group of groupFigures([summary], run.figures.run)) {
            host.append(section(group.title, facts(group.figures.map((figure) => {
                const text = figureText(figure, summary[figure.name]);
                return [figure.label, text, text.length > 24];
            }))));
        }
    }
}
