// The stages of a launch as a person reads them, and how one goes from one to the next.

import { formatNumber, formatValue, scaleFor } from "../draw/numbers";
import type { Player } from "../play/player";
import type { Figures, Run, RunStage } from "../types";
import { NOTHING } from "./format";
import { nearestFrame } from "./seek";

// Of the stages, in their order.
const STAGE_COLOURS = ["--series-3", "--series-1", "--series-0", "--series-2"];

const DEGREES = 180 / Math.PI;
const TINY = 1e-6; // of a vector's length: such a component is 0 to a reader

/** How a stage ended, and what is said while it has not. */
const ENDS: Record<string, [over: string, lasts: string]> = {
    loading: ["until the load was over", "still loading"],
    launch: ["until it left the ground", "still on the ground"],
    flight: ["until it touched something", "still in the air"],
    landing: ["until it was at rest", "still moving"],
};

/** Its name in style.css. */
export function stageColour(stage: RunStage): string {
    return STAGE_COLOURS[stage.kind % STAGE_COLOURS.length]!;
}

function isOver(stage: RunStage): boolean {
    return Number.isFinite(stage.end);
}

function endText(stage: RunStage): string {
    return ENDS[stage.name]?.[isOver(stage) ? 0 : 1] ?? (isOver(stage) ? "over" : "not over yet");
}

/** "newmark, until it left the ground". */
export function courseText(stage: RunStage): string {
    return `${stage.integrator.replaceAll("_", " ")}, ${endText(stage)}`;
}

/** When it ended; of one that lasts: now. */
export function endOf(stage: RunStage, run: Run): number {
    return isOver(stage) ? stage.end : Math.max(stage.begin, run.times.at(-1) ?? stage.begin);
}

/** "20 → 21.2 ms". */
export function spanText(stage: RunStage, run: Run): string {
    const end = endOf(stage, run), scale = scaleFor(end, "s");
    return `${formatNumber(stage.begin / scale.factor)} → ${formatNumber(end / scale.factor)} ${scale.unit}`;
}

/** The stage of a moment; null: the run has none then, as after the landing. */
export function stageAt(stages: readonly RunStage[], time: number): RunStage | null {
    // A moment that went through text or single precision is still the same.
    const slack = 1e-9 * Math.max(1, Math.abs(time));
    const stage = stages.findLast(({ begin }) => begin <= time + slack);
    return stage === undefined || stage.end < time - slack ? null : stage;
}

/** The frame where a stage begins to be seen: its first, or the nearest where it is too short to have one. */
export function frameOfStage(stage: RunStage, times: readonly number[]): number {
    const first = times.find((time) => time >= stage.begin - 1e-9 * Math.max(1, stage.begin));
    return first !== undefined && !(first >= stage.end) ? first : nearestFrame(times, stage.begin);
}

export function seekStage(player: Player, stage: RunStage): void {
    player.seek(frameOfStage(stage, player.times));
}

/** The next or previous stage from a moment: one that begins to be seen at another frame. null: there is none. */
export function neighbour(stages: readonly RunStage[], times: readonly number[], time: number, direction: 1 | -1): RunStage | null {
    const at = nearestFrame(times, time);
    return (direction > 0
        ? stages.find((stage) => frameOfStage(stage, times) > at)
        : stages.findLast((stage) => frameOfStage(stage, times) < at)) ?? null;
}

// ---- what is told of each -------------------------------------------------------------------------------------------------

interface Reader {
    run: Run;
    stage: RunStage;
    unit: (name: string) => string;
}

type Row = [label: string, text: (reader: Reader) => string];

const vector = ({ stage }: Reader, names: readonly string[]): number[] => names.map((name) => stage.values[name] ?? NaN);
const axes = (start: string) => ["x", "y", "z"].map((axis) => start + axis);

const value = (name: string) => ({ stage, unit }: Reader): string => formatValue(stage.values[name] ?? NaN, unit(name));

const length = (start: string) => (reader: Reader): string =>
    formatValue(Math.hypot(...vector(reader, axes(start))), reader.unit(`${start}x`));

/** Hundredths of a degree are the finest that one asks for. */
const degrees = (radians: number): string => `${formatNumber(Number((radians * DEGREES).toFixed(2)), 6)}°`;

const components = (start: string) => (reader: Reader): string => {
    const parts = vector(reader, axes(start)).slice(0, reader.run.dimension);
    const size = Math.hypot(...parts), scale = scaleFor(size, reader.unit(`${start}x`));
    const texts = parts.map((part) => formatNumber(Math.abs(part) < TINY * size ? 0 : part / scale.factor));
    return Number.isFinite(size) ? `(${texts.join(", ")}) ${scale.unit}` : NOTHING;
};

/** What matters to each stage. */
const ROWS: Record<string, Row[]> = {
    loading: [["Elastic energy", value("elastic")], ["Work done", value("work")]],
    launch: [
        ["Lift-off", ({ stage }) => (isOver(stage) ? formatValue(stage.end, "s") : NOTHING)], ["Speed", value("speed")],
        ["Velocity", components("v")], ["Spin", length("spin_")], ["Angular velocity", components("spin_")],
    ],
    flight: [["Apex above lift-off", value("rise")], ["Range", value("range")], ["Rotation", (reader) => degrees(Math.hypot(...vector(reader, axes("turn_"))))]],
    landing: [
        ["Verdict", ({ stage }) => stage.verdict || NOTHING],
        ["Place", components("")], ["Tilt", ({ stage }) => degrees(stage.values["tilt"] ?? NaN)], ["Speed", value("speed")],
        ["Way since touching", value("range")],
    ],
};

function unitIn(figures: Figures): (name: string) => string {
    return (name) => figures.stage.find((figure) => figure.name === name)?.unit ?? "";
}

/** Labels and texts of a stage: as many as its name says. */
export function rowsOf(stage: RunStage, run: Run): [string, string][] {
    const reader: Reader = { run, stage, unit: unitIn(run.figures) };
    const plane = (label: string): boolean => run.dimension === 2 && label === "Angular velocity";
    return (ROWS[stage.name] ?? []).filter(([label]) => !plane(label)).map(([label, text]) => [label, text(reader)]);
}

/** Energies at the end of every stage, in one unit: rows of the table below the stages. */
export function energiesOf(stages: readonly RunStage[]): { unit: string; rows: [string, string[]][] } {
    const names: [string, string][] = [
        ["kinetic", "Kinetic"], ["elastic", "Elastic"], ["gravity", "Gravity"], ["dissipated", "Lost so far"], ["work", "Work so far"],
    ];
    const sizes = names.flatMap(([name]) => stages.map((stage) => Math.abs(stage.values[name] ?? 0))).filter(Number.isFinite);
    const { factor, unit } = scaleFor(Math.max(0, ...sizes), "J");
    // Below a ten-thousandth of the largest there is nothing to read.
    const text = (energy: number): string => (Math.abs(energy) < 5e-5 * Math.max(...sizes) ? "0" : formatNumber(energy / factor, 3));
    return { unit, rows: names.map(([name, label]) => [label, stages.map((stage) => text(stage.values[name] ?? NaN))]) };
}
