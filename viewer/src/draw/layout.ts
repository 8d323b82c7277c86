// Panes in the stage: side by side, one above the other where it is narrow.
import type { Rect } from "./axes";

const NARROW = 640; // [pixels]
const GAP = 2;

export const FOOT = 52; // [pixels] below each of several panes: what it shows

/** foot: kept free below each, of low panes less. */
export function layout(count: number, width: number, height: number, foot = 0): Rect[] {
    const columns = count <= 1 ? 1 : width < NARROW || width < height ? (count > 3 ? 2 : 1) : count <= 3 ? count : Math.ceil(count / 2);
    const rows = Math.ceil(Math.max(count, 1) / columns);
    const w = (width - GAP * (columns - 1)) / columns, h = (height - GAP * (rows - 1)) / rows;
    return Array.from({ length: count }, (_, k) => ({
        x: Math.round((k % columns) * (w + GAP)),
        y: Math.round(Math.floor(k / columns) * (h + GAP)),
        width: Math.max(1, Math.floor(w)),
        height: Math.max(1, Math.floor(h) - Math.floor(Math.min(foot, 0.4 * h))),
    }));
}
