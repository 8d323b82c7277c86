// What the page makes of a design or sweep: without a browser.

import { formatNumber, formatValue, scaleFor } from "../draw/numbers";
import type { Study, StudyColumn } from "../types";
import { NOTHING } from "./format";

export function columnsOf(study: Study, role: StudyColumn["role"]): number[] {
    return study.columns.flatMap((column, k) => (column.role === role ? [k] : []));
}

/** What is sought, else what is plotted first: the first figure. -1: there is neither. */
export function soughtOf(study: Study): number {
    return columnsOf(study, "objective")[0] ?? columnsOf(study, "figure")[0] ?? -1;
}

/** All constraints hold. */
export function isFeasible(study: Study, row: number): boolean {
    return columnsOf(study, "constraint").every((k) => study.rows[row]![k]! <= 0);
}

/** Succeeds in at least half of its simulations; null: the study does not say. */
export function succeeds(study: Study, row: number): boolean | null {
    const share = study.rows[row]![columnsOf(study, "success")[0] ?? -1];
    return share === undefined || Number.isNaN(share) ? null : share >= 0.5;
}

/** Best value so far at each evaluation, of those that keep the constraints; NaN before the first. */
export function bestSoFar(study: Study): number[] {
    const sought = soughtOf(study), sign = study.highest ? -1 : 1;
    let best = NaN;
    return study.rows.map((values, row) => {
        const value = values[sought] ?? NaN;
        if (Number.isFinite(value) && isFeasible(study, row) && !(sign * best <= sign * value)) {
            best = value;
        }
        return best;
    });
}

/** From 0, the worst evaluation, to 1, the best: those that keep the constraints before those that miss one, then by value; NaN: without a value. */
export function ranks(study: Study): number[] {
    const sought = soughtOf(study), sign = study.highest ? -1 : 1;
    const value = (row: number): number => sign * (study.rows[row]![sought] ?? NaN);
    const better = (a: number, b: number): number => Number(isFeasible(study, b)) - Number(isFeasible(study, a)) || value(a) - value(b);
    const known = study.rows.map((_, row) => row).filter((row) => Number.isFinite(value(row)));
    const sorted = [...known].sort((a, b) => better(b, a)), out = study.rows.map(() => NaN);
    sorted.forEach((row, k) => {
        const same = k > 0 && better(row, sorted[k - 1]!) === 0;
        out[row] = same ? out[sorted[k - 1]!]! : k / Math.max(sorted.length - 1, 1);
    });
    return out;
}

/** A logarithmic axis serves values above 0 that span more than two decades. */
export function wantsLog(values: readonly number[]): boolean {
    const known = values.filter(Number.isFinite);
    return known.length > 1 && Math.min(...known) > 0 && Math.max(...known) > 100 * Math.min(...known);
}

/** Rows of the table of parameters: name, start, best, bounds. */
export function parameterRows(study: Study): string[][] {
    return columnsOf(study, "parameter").map((k) => {
        const { name, unit, low, high } = study.columns[k]!;
        const at = (row: number): string => (row < 0 ? NOTHING : formatValue(study.rows[row]![k]!, unit));
        const scale = scaleFor(Math.max(Math.abs(low), Math.abs(high)), unit);
        const bounds = Number.isFinite(low + high) ? `${formatNumber(low / scale.factor)} to ${formatNumber(high / scale.factor)} ${scale.unit}`.trim() : NOTHING;
        return [name, at(study.start), at(study.best), bounds];
    });
}

/** One evaluation in words, for who points at it. */
export function rowText(study: Study, row: number): string {
    const parts = study.columns.map(({ name, unit, role }, k) => {
        const value = study.rows[row]![k]!;
        return role === "success" ? `${formatNumber(100 * value, 3)} % succeed` : `${name} ${formatValue(value, unit)}`;
    });
    const marks = [row === study.best ? "best" : "", row === study.start ? "start" : ""].filter((mark) => mark !== "");
    return `${row + 1}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}: ${parts.join(", ")}`;
}
