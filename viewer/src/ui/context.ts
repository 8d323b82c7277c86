// What every part of the page's shell is given.

import type { Stage } from "../draw/stage";
import type { Player } from "../play/player";
import type { Run, Source } from "../types";
import type { Store } from "../view";
import type { Status } from "./status";

export interface Context {
    store: Store;
    sources: Source[];
    runs: Run[];
    stage: Stage;
    player: Player;
    status: Status;
}

/** The run whose names, bodies and fields the page's lists show: all runs of a comparison have the same. */
export function firstRun(context: Context): Run {
    return context.runs[0]!;
}

/** Does the page show modes of vibration? */
export function hasModes(context: Context): boolean {
    return firstRun(context).modes.length > 0;
}

export function isCompare(context: Context): boolean {
    return context.runs.length > 1;
}
