// Tab of a run that came of a design or sweep: how the search went, where it looked, and what it found.

import { colourAt, gradientStops } from "../draw/colours";
import { formatValue } from "../draw/numbers";
import type { Study } from "../types";
import { firstRun, type Context } from "./context";
import { clear, el, section, setText } from "./dom";
import { capital } from "./format";
import type { Tab } from "./panel";
import { scatter, type Dot } from "./scatter";
import { bestSoFar, columnsOf, isFeasible, parameterRows, ranks, rowText, soughtOf, succeeds, wantsLog } from "./study";

export class StudyTab implements Tab {
    readonly id = "study";
    readonly label = "Study";
    readonly icon = "study";
    private readonly study: Study;
    private readonly sought: number;
    private readonly history = el("div");
    private readonly landscape = el("div");
    private readonly pointed = el("p", { class: "hint study-row", "aria-live": "polite" });
    private readonly selects: [HTMLSelectElement, HTMLSelectElement];
    private width = 0;

    constructor(context: Context) {
        this.study = firstRun(context).study!;
        this.sought = soughtOf(this.study);
        const parameters = columnsOf(this.study, "parameter");
        this.selects = [this.select("Across", parameters[0] ?? 0), this.select("Upwards", parameters[1] ?? this.sought)];
        new ResizeObserver(() => this.draw()).observe(this.history);
    }

    build(host: HTMLElement): void {
        const { study } = this;
        host.append(
            section(study.kind === "design" ? "Design" : "Sweep",
                study.goal === "" ? null : el("p", { class: "hint" }, `${study.highest ? "Highest" : "Lowest"} of `, el("code", {}, study.goal)),
                el("dl", { class: "facts" }, ...this.facts().flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, text)]))),
            ...(this.sought < 0 ? [] : [section("History", this.history)]),
            section("Landscape", el("div", { class: "row" }, ...this.selects), this.landscape, this.key()),
            this.pointed,
            section("Parameters", this.table()));
    }

    shown(visible: boolean): void {
        if (visible) {
            this.draw();
        }
    }

    private facts(): [string, string][] {
        const { study } = this, shares = columnsOf(study, "success")[0];
        const column = study.columns[this.sought], failed = study.rows.filter((row) => Number.isNaN(row[this.sought] ?? NaN)).length;
        const facts: [string, string][] = [["Evaluations", failed > 0 ? `${study.rows.length}, ${failed} without a value` : String(study.rows.length)]];
        for (const [name, row] of [["start", study.start], ["best", study.best]] as const) {
            if (row >= 0 && column !== undefined) {
                const value = formatValue(study.rows[row]![this.sought]!, column.unit);
                const share = shares === undefined ? NaN : study.rows[row]![shares]!;
                facts.push([capital(name), `${value}${Number.isNaN(share) ? "" : `, ${Math.round(100 * share)} % succeed`}`]);
            }
        }
        return facts;
    }

    private table(): HTMLElement {
        return el("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Parameters" }, el("table", { class: "table" },
            el("thead", {}, el("tr", {}, ...["", "start", "best", "from, to"].map((head) => el("th", { scope: "col", class: "num" }, head)))),
            el("tbody", {}, ...parameterRows(this.study).map(([name, ...texts]) =>
                el("tr", {}, el("th", { scope: "row" }, name!), ...texts.map((text) => el("td", { class: "num" }, text)))))));
    }

    private select(label: string, chosen: number): HTMLSelectElement {
        const select = el("select", { class: "select small grow", "aria-label": label, onchange: () => this.draw(true) },
            ...this.study.columns.map(({ name }, k) => el("option", { value: k, selected: k === chosen }, name)));
        return select;
    }

    private key(): HTMLElement {
        const bar = el("span", { class: "study-bar" });
        bar.style.background = `linear-gradient(to right, ${gradientStops("values")})`;
        return el("p", { class: "hint study-key" }, el("span", { class: "study-scale" }, "worst", bar, "best"),
            columnsOf(this.study, "success").length > 0 ? " · filled: succeeds" : columnsOf(this.study, "constraint").length > 0 ? " · filled: feasible" : "",
            " · ring: best · square: start");
    }

    /** The better a value ranks, the brighter: outliers do not take the colours of all others. */
    private dots(): Dot[] {
        const { study } = this, rank = ranks(study);
        return study.rows.map((_, row) => ({
            colour: Number.isFinite(rank[row]!) ? colourAt("values", rank[row]!) : "var(--tick)",
            filled: succeeds(study, row) ?? isFeasible(study, row),
            ...(row === study.best ? { mark: "best" as const } : row === study.start ? { mark: "start" as const } : {}),
        }));
    }

    private draw(anew = false): void {
        const width = this.landscape.clientWidth;
        if (width === 0 || (width === this.width && !anew)) {
            return;
        }
        this.width = width;
        const { study } = this, dots = this.dots();
        const point = (row: number | null): void => setText(this.pointed, row === null ? "" : rowText(study, row));
        const values = (k: number): number[] => study.rows.map((row) => row[k] ?? NaN);
        const axis = (k: number) => {
            const { name, unit, low, high, log, role } = study.columns[k]!;
            return { label: name, unit, values: values(k), log: log || (role !== "parameter" && wantsLog(values(k))),
                ...(Number.isFinite(low + high) ? { bounds: [low, high] as [number, number] } : {}) };
        };
        clear(this.history);
        if (this.sought >= 0) {
            this.history.append(scatter({ x: { label: "evaluation", unit: "", values: study.rows.map((_, row) => row + 1) }, y: axis(this.sought), dots,
                ...(study.kind === "design" ? { steps: bestSoFar(study) } : {}) }, width, "Value of each evaluation", point));
        }
        this.landscape.replaceChildren(scatter({ x: axis(Number(this.selects[0].value)), y: axis(Number(this.selects[1].value)), dots }, width, "Evaluations over two columns", point));
    }
}
