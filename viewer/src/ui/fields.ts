// What bodies can be coloured by, and why something cannot.

import type { Field, Run } from "../types";
import { whyNoDifference } from "../draw/difference";
import type { Context } from "./context";

export interface ColourChoice {
    name: string; // View.colour
    label: string;
    unit: string;
    missing: string | null; // why it cannot be had
    group: string | null; // principal values and components of a tensor: its name
}

/** What a run may have, in the order of the list. Words: how a remark speaks of it. */
const EXPECTED: { name: string; label: string; unit: string; words: RegExp }[] = [
    { name: "von_mises", label: "von Mises stress", unit: "Pa", words: /von Mises|stress/i },
    { name: "strain", label: "Strain", unit: "1", words: /strain/i },
    { name: "speed", label: "Speed", unit: "m/s", words: /speed|velocity/i },
    { name: "displacement", label: "Displacement", unit: "m", words: /displacement/i },
    { name: "pressure", label: "Contact pressure", unit: "Pa", words: /pressure|contact/i },
];

export function capital(text: string): string {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

function reason(words: RegExp, notes: readonly string[]): string {
    return notes.find((note) => words.test(note)) ?? "not recorded in this run";
}

/** Fields that all runs have, those that one could have had but has not, and what is always there. */
export function colourChoices(runs: readonly Run[]): ColourChoice[] {
    const first = runs[0];
    const inAll = (name: string): Field | undefined =>
        runs.every((run) => run.fields.some((field) => field.name === name)) ? first?.fields.find((field) => field.name === name) : undefined;
    const choices: ColourChoice[] = [{ name: "body", label: "Body", unit: "", missing: null, group: null }];
    for (const expected of runs.some((run) => run.modes.length > 0) ? [] : EXPECTED) {
        const field = inAll(expected.name);
        choices.push({
            name: expected.name, label: capital(field?.label ?? expected.label), unit: field?.unit ?? expected.unit,
            missing: field === undefined ? reason(expected.words, runs.flatMap((run) => run.notes)) : null, group: null,
        });
    }
    for (const field of first?.fields ?? []) {
        if (!choices.some((choice) => choice.name === field.name) && inAll(field.name) !== undefined) {
            const group = /^(stress|strain)_/.exec(field.name)?.[1] ?? null;
            choices.push({ name: field.name, label: capital(field.label), unit: field.unit, missing: null, group });
        }
    }
    if (runs.length > 1) {
        const reasons = runs.slice(1).map((run) => whyNoDifference(run, first!));
        choices.push({
            name: "difference", label: `Distance from ${first!.name}`, unit: "m", missing: reasons.every((why) => why !== null) ? reasons[0]! : null,
            group: null,
        });
    }
    return choices;
}

export function choiceOf(context: Context, name: string): ColourChoice | undefined {
    return colourChoices(context.runs).find((choice) => choice.name === name);
}
