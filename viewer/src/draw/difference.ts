// How far the same vertices of two runs are apart. Only where the surfaces correspond: the same bodies with as many vertices each.
import type { Frame, Run } from "../types";

/** Why two runs cannot be compared vertex by vertex; null if they can. */
export function whyNoDifference(run: Run, other: Run): string | null {
    if (run.bodies.length !== other.bodies.length) {
        return `they have ${run.bodies.length} and ${other.bodies.length} bodies`;
    }
    for (let k = 0; k < run.bodies.length; k++) {
        const a = run.bodies[k]!, b = other.bodies[k]!;
        if (a.name !== b.name) {
            return `body ${k} is "${a.name}" in one and "${b.name}" in the other`;
        }
        if (a.vertexCount !== b.vertexCount || a.triCount !== b.triCount) {
            return `"${a.name}" has another mesh in each`;
        }
    }
    return null;
}

/** Runs with other steps or outputs have frames at other times: those are not compared. */
export function sameMoment(frame: Frame, other: Frame): boolean {
    return Math.abs(frame.time - other.time) <= 1e-6 * Math.max(Math.abs(frame.time), Math.abs(other.time));
}

/** [m] per vertex. */
export function difference(frame: Frame, other: Frame): Float32Array {
    const p = frame.position, q = other.position;
    const out = new Float32Array(p.length / 3);
    for (let i = 0; i < out.length; i++) {
        const x = p[3 * i]! - q[3 * i]!, y = p[3 * i + 1]! - q[3 * i + 1]!, z = p[3 * i + 2]! - q[3 * i + 2]!;
        out[i] = Math.sqrt(x * x + y * y + z * z);
    }
    return out;
}
