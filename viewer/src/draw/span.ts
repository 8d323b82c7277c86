// What colours span when extremes are left out: of a peak at a corner one sees nothing but the peak.
import type { Body, Run } from "../types";
import { niceAbove } from "./numbers";

const SHARE = 0.99;
const SAMPLED = 2000; // vertices of a body

// Values that only a body which deforms has; obstacles keep their colour whatever is shown.
const OF_DEFORMABLE = /^(von_mises|strain|stress_.*|strain_.*)$/;

/** Does the colour of a body show values? */
export function isValued(body: Body, colour: string): boolean {
    return colour !== "body" && body.type !== "static" && (body.type !== "rigid" || !OF_DEFORMABLE.test(colour));
}

/** Adds what the vertices of the bodies that are seen have; of large bodies some vertices. */
export function sample(run: Run, colour: string, hidden: readonly number[], valueAt: (vertex: number) => number | null, values: number[]): void {
    run.bodies.forEach((body, k) => {
        const stride = Math.max(1, Math.floor(body.vertexCount / SAMPLED));
        const end = body.plane || hidden.includes(k) || !isValued(body, colour) ? 0 : body.vertexFirst + body.vertexCount;
        for (let v = body.vertexFirst; v < end; v += stride) {
            const value = valueAt(v);
            if (value !== null && Number.isFinite(value)) {
                values.push(value);
            }
        }
    });
}

/** As far on either side of 0. */
export function centred([low, high]: readonly [number, number]): [number, number] {
    const most = Math.max(Math.abs(low), Math.abs(high));
    return [-most, most];
}

/** Up to a round number above what 99 % of the values are below; of values with a sign 1 % are left out at either end. Exact zeros do not
 * count: where nothing touches there is no pressure. null: there is nothing to span. */
export function spanOfMost(values: readonly number[]): [number, number] | null {
    const sorted = values.filter((value) => value !== 0).sort((a, b) => a - b);
    if (sorted.length === 0) {
        return null;
    }
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))]!;
    const [low, high] = [at(1 - SHARE), at(SHARE)];
    // Rounding leaves pressures of -1e-16: that is no sign.
    const signed = low < -1e-6 * Math.abs(high);
    const span: [number, number] = [signed ? -niceAbove(-low) : 0, high > 0 ? niceAbove(high) : 0];
    return span[0] < span[1] ? span : null;
}
