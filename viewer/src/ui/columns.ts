// Columns of a series as a person reads them, and which of them belong together as force and displacement.

import type { Figures } from "../types";
import { capital } from "./format";

export interface Column {
    name: string; // in the series
    label: string;
    unit: string;
    group: string; // of the list in which a person looks for it
    measured: boolean; // of a hold, probe or body; others are of the run and its solver
}

/** NAME.force_x and so on: what stands behind the last dot. id: what of one name is plotted together. */
const QUANTITIES: { pattern: RegExp; id: string; label: string; unit: string }[] = [
    { pattern: /^force_([xyz])$/, id: "force", label: "reaction", unit: "N" },
    { pattern: /^torque_([xyz])$/, id: "torque", label: "torque", unit: "N m" },
    { pattern: /^contact_([xyz])$/, id: "contact", label: "contact force", unit: "N" },
    { pattern: /^d([xyz])$/, id: "d", label: "displacement", unit: "m" },
    { pattern: /^v([xyz])$/, id: "v", label: "velocity", unit: "m/s" },
    { pattern: /^r([xyz])$/, id: "r", label: "rotation", unit: "rad" },
    { pattern: /^([xyz])$/, id: "at", label: "position", unit: "m" },
    { pattern: /^length()$/, id: "length", label: "length", unit: "m" },
];

export interface Measured {
    name: string; // of the hold, probe or body
    id: string;
    label: string;
    unit: string;
    axis: string;
}

/** What a column of a hold, probe or body measures (docs/output.md); null: it is none. */
export function measuredOf(column: string): Measured | null {
    const dot = column.lastIndexOf(".");
    for (const { pattern, id, label, unit } of dot > 0 ? QUANTITIES : []) {
        const axis = pattern.exec(column.slice(dot + 1))?.[1];
        if (axis !== undefined) {
            return { name: column.slice(0, dot), id, label, unit, axis };
        }
    }
    return null;
}

/** All columns: what was measured first, then the run's figures. */
export function columnsOf(names: readonly string[], figures: Figures): Column[] {
    const columns = names.map((name): Column => {
        const figure = figures.step.find((one) => one.name === name);
        const measured = figure === undefined ? measuredOf(name) : null;
        if (measured !== null) {
            return { name, label: `${measured.label} ${measured.axis}`.trim(), unit: measured.unit, group: measured.name, measured: true };
        }
        // An axis says what it is of: beside others of its chart that need not be said, alone it must.
        const of = /^[xyz]$/.test(figure?.label ?? "") ? figures.charts.find((chart) => chart.id === figure!.chart)?.title : undefined;
        const label = of === undefined ? capital(figure?.label ?? name) : `${of} ${figure!.label}`;
        return { name, label, unit: figure?.unit ?? "", group: figure?.group ?? "Run", measured: false };
    });
    return [...columns.filter((column) => column.measured), ...columns.filter((column) => !column.measured)];
}

/** How far a column's values reach; 0 without any. */
export function reach(values: ArrayLike<number> | null): number {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < (values?.length ?? 0); ++i) {
        low = Math.min(low, values![i]!);
        high = Math.max(high, values![i]!);
    }
    return high > low ? high - low : 0;
}

/** Force over displacement: of the hold that is moved farthest, along the axis of its motion; where none is moved, the reaction that changes
 * most over the displacement of the probe that moves farthest. null: the run measures no such pair, or nothing happens. */
export function forceDisplacement(names: readonly string[], valuesOf: (name: string) => ArrayLike<number> | null): { x: string; y: string } | null {
    const measured = names.map((column) => ({ column, what: measuredOf(column) })).filter((one) => one.what !== null);
    const best = (list: typeof measured): string | null => {
        const reaches = list.map(({ column }) => reach(valuesOf(column)));
        const most = Math.max(0, ...reaches);
        return most > 0 ? list[reaches.indexOf(most)]!.column : null;
    };
    const forceOf = (what: Measured): string => `${what.name}.force_${what.axis}`;
    const displacements = measured.filter(({ what }) => what!.id === "d");
    // Supports give way by rounding alone.
    const least = 1e-6 * Math.max(0, ...displacements.map(({ column }) => reach(valuesOf(column))));
    const moved = best(displacements.filter(({ column, what }) =>
        names.includes(forceOf(what!)) && reach(valuesOf(column)) > least && reach(valuesOf(forceOf(what!))) > 0));
    if (moved !== null) {
        return { x: moved, y: forceOf(measuredOf(moved)!) };
    }
    const x = best(displacements.filter(({ what }) => !names.includes(forceOf(what!))));
    const y = best(measured.filter(({ what }) => what!.id === "force"));
    return x !== null && y !== null ? { x, y } : null;
}

/** Plots of one column over another have ids of their own, so that an address can name them. */
export function pairId(x: string, y: string): string {
    return `xy:${encodeURIComponent(x)}:${encodeURIComponent(y)}`;
}

export function pairOf(id: string): { x: string; y: string } | null {
    const match = /^xy:([^:]*):([^:]*)$/.exec(id);
    try {
        return match === null ? null : { x: decodeURIComponent(match[1]!), y: decodeURIComponent(match[2]!) };
    } catch {
        return null;
    }
}
