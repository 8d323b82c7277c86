// To the frame nearest to a time: between frames there is nothing to see.

import type { Player } from "../play/player";
import { frameAt } from "../play/timeline";

export function nearestFrame(times: readonly number[], time: number): number {
    const at = frameAt(times, time);
    const before = times[at] ?? time;
    const after = times[at + 1] ?? before;
    return time - before <= after - time ? before : after;
}

export function seekFrame(player: Player, time: number): void {
    player.seek(nearestFrame(player.times, time));
}
