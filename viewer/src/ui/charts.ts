// Which plots a series of columns gives. What the columns of series.csv are, and which are plotted together, comes with the run
// (its table of figures); only those of holds, probes and bodies are told by their names (docs/output.md).

import type { Figures, StepFigure } from "../types";
import { capital } from "./format";

export interface Line {
    column: string; // of the series; of a derived line: its own name
    label: string;
    sum?: string[]; // derived: the sum of these columns
}

export interface Chart {
    id: string;
    title: string;
    unit: string;
    group: string; // of the list in which a person looks for it
    lines: Line[];
    log: boolean; // at first
    whole: boolean; // counts: ticks at whole numbers
}

// Whose sum is a line of its own.
const STORED = ["kinetic", "elastic", "gravity", "contact"];

// NAME.force_x and so on: what stands behind the last dot.
const QUANTITIES: [RegExp, string, string, string][] = [
    [/^force_([xyz])$/, "force", "reaction", "N"],
    [/^contact_([xyz])$/, "contact", "contact force", "N"],
    [/^d([xyz])$/, "d", "displacement", "m"],
    [/^v([xyz])$/, "v", "velocity", "m/s"],
    [/^r([xyz])$/, "r", "rotation", "rad"],
    [/^([xyz])$/, "at", "position", "m"],
];

/** Of the figures, as far as there are columns of them: charts of the table, then those that a method's own have for themselves. */
function figureCharts(columns: ReadonlySet<string>, figures: Figures): Chart[] {
    const present = figures.step.filter((figure) => columns.has(figure.name));
    const lineOf = ({ name, label }: StepFigure): Line => ({ column: name, label });
    const charts: Chart[] = [];
    for (const { id, title, log } of figures.charts) {
        const members = present.filter((figure) => figure.chart === id);
        const lines = members.map(lineOf);
        if (lines.length === 0) {
            continue;
        }
        if (STORED.every((name) => members.some((figure) => figure.name === name))) {
            lines.unshift({ column: "total", label: "total", sum: STORED });
        }
        charts.push({ id, title, unit: members[0]!.unit, group: "Run", lines, log, whole: members.every((figure) => figure.whole) });
    }
    for (const figure of present.filter(({ chart, group }) => chart === null && group !== null)) {
        const { name, label, unit, whole } = figure;
        charts.push({ id: name, title: capital(label), unit, group: figure.group!, lines: [lineOf(figure)], log: false, whole });
    }
    return charts;
}

function measuredChart(column: string, charts: Map<string, Chart>): boolean {
    const dot = column.lastIndexOf(".");
    const name = column.slice(0, dot);
    for (const [pattern, id, label, unit] of dot > 0 ? QUANTITIES : []) {
        const axis = pattern.exec(column.slice(dot + 1))?.[1];
        if (axis !== undefined) {
            const key = `${name}.${id}`;
            const chart: Chart = charts.get(key) ?? {
                id: key, title: `${name}: ${label}`, unit, group: name, lines: [], log: false, whole: false,
            };
            chart.lines.push({ column, label: axis });
            charts.set(key, chart);
            return true;
        }
    }
    return false;
}

/** All plots of these columns, those of the run's report first. Every column is in one of them, but for figures that have no plot
 * (step and time). */
export function chartsOf(columns: readonly string[], figures: Figures): Chart[] {
    const known = figureCharts(new Set(columns), figures);
    const used = new Set(figures.step.map((figure) => figure.name));
    const measured = new Map<string, Chart>();
    const others: Chart[] = [];
    for (const column of columns) {
        if (!used.has(column) && !measuredChart(column, measured)) {
            others.push({
                id: column, title: column, unit: "", group: "Other", lines: [{ column, label: column }], log: false, whole: false,
            });
        }
        used.add(column);
    }
    return [...known, ...measured.values(), ...others];
}

/** What is shown before a person chooses, by their ids. */
export function firstCharts(columns: readonly string[], figures: Figures): string[] {
    const present = new Set(chartsOf(columns, figures).map((chart) => chart.id));
    return figures.charts.filter((chart) => chart.first && present.has(chart.id)).map((chart) => chart.id);
}

/** Values of a line, NaN as null (a gap in the drawing). log: magnitudes, as a logarithm knows no sign. */
export function lineValues(
    line: Line, column: (name: string) => ArrayLike<number> | null, rows: number, log: boolean,
): (number | null)[] {
    const parts = (line.sum ?? [line.column]).map(column);
    const values: (number | null)[] = new Array<number | null>(rows).fill(null);
    for (let i = 0; i < rows; ++i) {
        let sum = 0;
        for (const part of parts) {
            sum += part?.[i] ?? NaN;
        }
        const value = log ? Math.abs(sum) : sum;
        values[i] = Number.isFinite(value) && !(log && value === 0) ? value : null;
    }
    return values;
}

/** Powers of ten between two numbers, at most five of them; over short ranges 2 and 5 times them as well. */
export function logTicks(low: number, high: number): number[] {
    if (!(low > 0) || !(high > low) || !Number.isFinite(high)) {
        return [];
    }
    const first = Math.floor(Math.log10(low) + 1e-9);
    const last = Math.ceil(Math.log10(high) - 1e-9);
    const every = Math.max(1, Math.ceil((last - first) / 4));
    const factors = last - first <= 2 ? [1, 2, 5] : [1];
    const ticks: number[] = [];
    // From a multiple of the distance on: the same numbers whatever the range.
    for (let power = Math.ceil(first / every) * every; power <= last; power += every) {
        ticks.push(...factors.map((factor) => Number(`${factor}e${power}`)));
    }
    return ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
}

/** Number of the last row at or before a time, -1 without rows. Rows have single precision: 0.05 is a little more than 0.05 there. */
export function rowAt(times: ArrayLike<number>, time: number): number {
    const wanted = time + 2e-7 * Math.abs(time);
    let low = 0, high = times.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle]! <= wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return times.length === 0 ? -1 : Math.max(low - 1, 0);
}
