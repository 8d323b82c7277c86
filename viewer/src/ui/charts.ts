// Which plots a series of columns gives. What the columns of series.csv are, and which are plotted together, comes with the run
// (its table of figures); only those of holds, probes and bodies are told by their names (docs/output.md).

import type { Figures, Pair, StepFigure } from "../types";
import { measuredOf, pairOf, type Column } from "./columns";
import { capital } from "./format";

const MEASURED_FIRST = 2; // plots of holds and probes that are shown at once

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
    x?: Column; // over this one; else over time
    points?: Pair; // to compare the curve with
}

// Whose sum is a line of its own.
const STORED = ["kinetic", "elastic", "gravity", "contact"];

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
    const what = measuredOf(column);
    if (what === null) {
        return false;
    }
    const key = `${what.name}.${what.id}`;
    const chart: Chart = charts.get(key) ?? {
        id: key, title: `${what.name}: ${what.label}`, unit: what.unit, group: what.name, lines: [], log: false, whole: false,
    };
    chart.lines.push({ column, label: what.axis || what.label });
    charts.set(key, chart);
    return true;
}

/** All plots of these columns over time, those of holds, probes and bodies first. Every column is in one of them, but for figures that
 * have no plot (step and time). */
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
    return [...measured.values(), ...known, ...others];
}

/** A column over another one; null: one of them is not there. asked: the plots of the scene, which may have points of this one. */
export function pairChart(id: string, columns: readonly Column[], asked: readonly Pair[] = []): Chart | null {
    const pair = pairOf(id);
    const find = (name: string | undefined): Column | undefined => columns.find((column) => column.name === name);
    const x = find(pair?.x), y = find(pair?.y);
    if (x === undefined || y === undefined) {
        return null;
    }
    const named = ({ group, label, measured }: Column): string => (measured ? `${group}: ${label}` : label);
    const title = y.measured && x.measured && x.group === y.group ? `${named(y)} over ${x.label}` : `${named(y)} over ${named(x)}`;
    const mine = asked.filter((one) => one.x === x.name && one.y === y.name);
    const points = mine.find((one) => one.points.length > 0);
    return {
        id, title, unit: y.unit, group: mine.length > 0 ? "Of the scene" : "Force over displacement", lines: [{ column: y.name, label: title }],
        log: false, whole: false, x, ...(points === undefined ? {} : { points }),
    };
}

/** What is shown before a person chooses, by their ids: reactions and displacements as far as there are any, then what tells whether the
 * run is sound. */
export function firstCharts(columns: readonly string[], figures: Figures, changes: (column: string) => boolean): string[] {
    const charts = chartsOf(columns, figures);
    const present = new Set(charts.map((chart) => chart.id));
    const measured = charts.filter(({ id, lines }) => /\.(force|d)$/.test(id) && lines.some((line) => changes(line.column)))
        .map((chart) => chart.id).slice(0, MEASURED_FIRST);
    return [...measured, ...figures.charts.filter((chart) => chart.first && present.has(chart.id)).map((chart) => chart.id)];
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
