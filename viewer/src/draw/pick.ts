// What a ray meets first: boxes of bodies, then all triangles of those that it goes through. 100 000 triangles take a few milliseconds.
import type { Run } from "../types";
import type { Box, Vec3 } from "./bounds";

export interface Ray {
    from: Vec3;
    along: Vec3;
}

export interface Met {
    body: number;
    triangle: number; // of the run
    distance: number; // in lengths of `along`
    u: number; // the point is (1 - u - v) a + u b + v c
    v: number;
}

export interface PickOptions {
    /** Bodies that are not met, hidden ones for instance. */
    skip(body: number): boolean;
    /** Points that are cut away. */
    away(body: number, x: number, y: number, z: number): boolean;
}

function meetsBox(ray: Ray, box: Box): boolean {
    let near = -Infinity, far = Infinity;
    for (let k = 0; k < 3; k++) {
        // Flat boxes and rays along their faces need some air.
        const air = 1e-6 * (box.radius + Math.abs(box.low[k]!) + Math.abs(box.high[k]!));
        const low = box.low[k]! - air - ray.from[k]!, high = box.high[k]! + air - ray.from[k]!;
        if (ray.along[k] === 0) {
            if (low > 0 || high < 0) {
                return false;
            }
            continue;
        }
        const a = low / ray.along[k]!, b = high / ray.along[k]!;
        near = Math.max(near, Math.min(a, b));
        far = Math.min(far, Math.max(a, b));
    }
    return near <= far && far >= 0;
}

/** The nearest triangle in front of the ray's start, or null. */
export function meet(run: Run, position: Float32Array, boxes: readonly Box[], ray: Ray, options: PickOptions): Met | null {
    const tri = run.tri;
    const [ox, oy, oz] = ray.from, [dx, dy, dz] = ray.along;
    let best: Met | null = null, nearest = Infinity;
    run.bodies.forEach((body, number) => {
        if (options.skip(number) || body.triCount === 0 || !meetsBox(ray, boxes[number]!)) {
            return;
        }
        for (let t = 3 * body.triFirst; t < 3 * (body.triFirst + body.triCount); t += 3) {
            const a = 3 * tri[t]!, b = 3 * tri[t + 1]!, c = 3 * tri[t + 2]!;
            const ax = position[a]!, ay = position[a + 1]!, az = position[a + 2]!;
            const ex = position[b]! - ax, ey = position[b + 1]! - ay, ez = position[b + 2]! - az;
            const fx = position[c]! - ax, fy = position[c + 1]! - ay, fz = position[c + 2]! - az;
            // Cramer's rule: from + s along = a + u e + v f.
            const px = dy * fz - dz * fy, py = dz * fx - dx * fz, pz = dx * fy - dy * fx;
            const det = ex * px + ey * py + ez * pz;
            if (det === 0) {
                continue;
            }
            const inverse = 1 / det;
            const sx = ox - ax, sy = oy - ay, sz = oz - az;
            const u = inverse * (sx * px + sy * py + sz * pz);
            if (!(u >= -1e-9 && u <= 1 + 1e-9)) {
                continue;
            }
            const qx = sy * ez - sz * ey, qy = sz * ex - sx * ez, qz = sx * ey - sy * ex;
            const v = inverse * (dx * qx + dy * qy + dz * qz);
            if (!(v >= -1e-9 && u + v <= 1 + 1e-9)) {
                continue;
            }
            const distance = inverse * (fx * qx + fy * qy + fz * qz);
            if (distance > 0 && distance < nearest && !options.away(number, ox + distance * dx, oy + distance * dy, oz + distance * dz)) {
                nearest = distance;
                best = { body: number, triangle: t / 3, distance, u, v };
            }
        }
    });
    return best;
}
