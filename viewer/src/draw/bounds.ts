// Boxes around bodies, and what is worth framing.
import type { Run } from "../types";

export type Vec3 = [number, number, number];

/** Low corner and high corner; empty while low > high. */
export class Box {
    readonly low: Vec3 = [Infinity, Infinity, Infinity];
    readonly high: Vec3 = [-Infinity, -Infinity, -Infinity];

    get empty(): boolean {
        return !(this.low[0] <= this.high[0]);
    }

    get centre(): Vec3 {
        return this.empty ? [0, 0, 0] : [0, 1, 2].map((k) => (this.low[k]! + this.high[k]!) / 2) as Vec3;
    }

    /** Half of the diagonal, never 0. */
    get radius(): number {
        return this.empty ? 1 : Math.hypot(...[0, 1, 2].map((k) => this.high[k]! - this.low[k]!)) / 2 || 1e-6;
    }

    add(other: Box): this {
        for (let k = 0; k < 3; k++) {
            this.low[k] = Math.min(this.low[k]!, other.low[k]!);
            this.high[k] = Math.max(this.high[k]!, other.high[k]!);
        }
        return this;
    }

    /** Around vertices of an array [n][3]; what is not a number is passed over. */
    addPoints(position: Float32Array, first: number, count: number): this {
        let [lx, ly, lz] = this.low, [hx, hy, hz] = this.high;
        for (let i = 3 * first; i < 3 * (first + count); i += 3) {
            const x = position[i]!, y = position[i + 1]!, z = position[i + 2]!;
            if (x < lx) lx = x;
            if (x > hx) hx = x;
            if (y < ly) ly = y;
            if (y > hy) hy = y;
            if (z < lz) lz = z;
            if (z > hz) hz = z;
        }
        this.low.splice(0, 3, lx, ly, lz);
        this.high.splice(0, 3, hx, hy, hz);
        return this;
    }

    corners(): Vec3[] {
        return Array.from({ length: 8 }, (_, k) => [0, 1, 2].map((axis) => ((k >> axis) & 1 ? this.high : this.low)[axis]!) as Vec3);
    }
}

/** A box a body. */
export function bodyBoxes(run: Run, position: Float32Array): Box[] {
    return run.bodies.map((body) => new Box().addPoints(position, body.vertexFirst, body.vertexCount));
}

/** Around all bodies that are not half-spaces; around those if there is nothing else. */
export function sceneBox(run: Run, boxes: readonly Box[], skip: readonly number[] = []): Box {
    const box = new Box();
    run.bodies.forEach((body, k) => {
        if (!body.plane && !skip.includes(k)) {
            box.add(boxes[k]!);
        }
    });
    if (box.empty) {
        boxes.forEach((other) => box.add(other));
    }
    return box;
}
