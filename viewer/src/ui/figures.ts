// The figures of runs: the tables of several runs in one, the summary by groups, and which of several values is best.

import type { Figures, Run, RunFigure } from "../types";
import { capital } from "./format";

/** What of the summary is shown: a figure, or a text. */
export type Figure = Pick<RunFigure, "name" | "label" | "unit" | "whole" | "better">;

export interface FigureGroup {
    title: string;
    figures: Figure[];
}

export type Summary = Readonly<Record<string, unknown>>;

/** The tables of several runs: other methods have figures of their own. */
export function figuresOfAll(runs: readonly Run[]): Figures {
    const once = <T>(lists: T[][], name: (entry: T) => string): T[] => {
        const found = new Map<string, T>();
        lists.flat().forEach((entry) => found.has(name(entry)) || found.set(name(entry), entry));
        return [...found.values()];
    };
    return {
        charts: once(runs.map((run) => run.figures.charts), (chart) => chart.id),
        step: once(runs.map((run) => run.figures.step), (figure) => figure.name),
        run: once(runs.map((run) => run.figures.run), (figure) => figure.name),
        stageNames: once(runs.map((run) => run.figures.stageNames), (name) => name),
        stage: once(runs.map((run) => run.figures.stage), (figure) => figure.name),
    };
}

/** What a summary says of stages. */
export function stageFigures({ stageNames, stage }: Figures): RunFigure[] {
    const texts = ["integrator", "verdict"].map((name) => ({ name, label: name, unit: "" }));
    return stageNames.flatMap((name) => [...texts, ...stage].map((figure) =>
        ({ ...figure, name: `${name}.${figure.name}`, group: capital(name), whole: false, better: null })));
}

const words = (name: string, label: string): Figure => ({ name, label, unit: "", whole: false, better: null });

// What a summary has beside figures; what the method chose is a list of its own.
const RUN_TEXTS = [words("status", "Status"), words("reason", "Reason"), words("method", "Method")];
const PROGRAM_TEXTS = [words("version", "Version"), words("blas", "BLAS"), words("state_hash", "State hash")];

// Groups of the figures that all methods have; others are named after their method.
const COMMON = ["run", "speed", "contact", "balance"];

/** Groups as far as some of the summaries have them; what the table does not know comes last. */
export function groupFigures(summaries: readonly Summary[], table: readonly RunFigure[]): FigureGroup[] {
    const groups = new Map<string, Figure[]>(COMMON.map((group) => [group, group === "run" ? RUN_TEXTS : []]));
    for (const figure of table) {
        groups.set(figure.group, [...(groups.get(figure.group) ?? []), { ...figure, label: capital(figure.label) }]);
    }
    groups.set("program", PROGRAM_TEXTS);
    const known = new Set(["choices", ...[...groups.values()].flat().map((figure) => figure.name)]);
    const present = new Set(summaries.flatMap((summary) => Object.keys(summary)));
    const has = (name: string): boolean =>
        present.has(name) && summaries.some((summary) => summary[name] !== "" && summary[name] !== undefined);
    groups.set("other", [...present].filter((name) => !known.has(name)).map((name) => words(name, name.replaceAll("_", " "))));
    const methods = new Set(table.map((figure) => figure.group).filter((group) => !COMMON.includes(group)));
    const titleOf = (group: string): string => (methods.has(group) ? group : capital(group));
    return [...groups].map(([group, figures]) => ({ title: titleOf(group), figures: figures.filter((figure) => has(figure.name)) }))
        .filter((group) => group.figures.length > 0);
}

/** Which of several values are best; none where all are the same or a value is missing everywhere. */
export function bestOf(figure: Figure, values: readonly unknown[]): boolean[] {
    const none = values.map(() => false);
    const sizes = values.map((value) => (typeof value === "number" && Number.isFinite(value) ? value : null));
    const finite = sizes.filter((size): size is number => size !== null);
    if (figure.better === null || finite.length < 2) {
        return none;
    }
    const best = figure.better === "high" ? Math.max(...finite) : Math.min(...finite);
    const marks = sizes.map((size) => size === best);
    return finite.every((size) => size === best) ? none : marks;
}
