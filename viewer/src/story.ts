// Where a page opens: the moment and the colours that show what a run is about.
import { colourChoices } from "./ui/fields";
import { nearestFrame } from "./ui/seek";
import type { Run } from "./types";

/** The last frame if bodies touch there, else the one with the most contacts; null: they never touch. */
function touchingTime(run: Run): number | null {
    const contacts = run.series.column("contacts"), times = run.series.column("time");
    if (contacts === null || times === null || contacts.length === 0) {
        return null;
    }
    const most = contacts.reduce((best, count, row) => (count > contacts[best]! ? row : best), 0);
    const row = contacts[contacts.length - 1]! > 0 ? contacts.length - 1 : most;
    return contacts[row]! > 0 ? nearestFrame(run.times, times[row]!) : null;
}

/** Modes: where they swing. Equilibria: the last one, in colours of stress. Bodies that touch: how they press on each other. Others: the start, as they are. */
export function storyOf(runs: readonly Run[]): { time: number; colour: string; most: boolean } {
    const start = Math.min(...runs.map((run) => run.times[0] ?? 0)), end = Math.max(...runs.map((run) => run.times.at(-1) ?? 0));
    if (runs.some((run) => run.modes.length > 0)) {
        return { time: start, colour: "displacement", most: false };
    }
    if (runs.some((run) => run.live)) {
        return { time: start, colour: "body", most: false };
    }
    const has = (name: string): boolean => colourChoices(runs).some((choice) => choice.name === name && choice.missing === null);
    const pressed = has("pressure") && runs.some((run) => run.fields.some((field) => field.name === "pressure" && field.range[1] > 0));
    const still = runs.every((run) => run.still);
    const touching = pressed ? touchingTime(runs[0]!) : null;
    return {
        time: still ? end : touching ?? start,
        colour: touching !== null ? "pressure" : still && has("von_mises") ? "von_mises" : "body",
        // Beside the peak of an impact the pressures of bodies at rest are nothing.
        most: touching !== null,
    };
}
