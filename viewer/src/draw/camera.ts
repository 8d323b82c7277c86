// The camera as numbers: turning, moving, nearing, and fitting points into the picture. z is up in 3D; 2D scenes are looked at along -z.
import type { Camera, Projection } from "../view";
import type { Vec3 } from "./bounds";

export const ANGLE = (28 * Math.PI) / 180; // [rad] seen from bottom to top
const STEEPEST = (89.9 * Math.PI) / 180; // straight down has no up

export const add = (a: Vec3, b: Vec3, s = 1): Vec3 => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec3, b: Vec3): Vec3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a: Vec3): Vec3 => {
    const length = Math.hypot(...a) || 1;
    return [a[0] / length, a[1] / length, a[2] / length];
};

export interface Basis {
    right: Vec3;
    up: Vec3;
    back: Vec3; // towards the eye
}

export function basisOf(camera: Camera): Basis {
    const back = unit(add(camera.position, camera.target, -1));
    let right = cross(camera.up, back);
    if (Math.hypot(...right) < 1e-9) {
        right = [1, 0, 0];
    }
    right = unit(right);
    return { right, up: cross(back, right), back };
}

export function distanceOf(camera: Camera): number {
    return Math.hypot(...add(camera.position, camera.target, -1)) || 1e-9;
}

/** Half of the height that is seen at the target; the same for both projections, so that switching keeps the size. */
export function halfHeight(camera: Camera): number {
    return (distanceOf(camera) * Math.tan(ANGLE / 2)) / camera.zoom;
}

/** Direction towards the eye from azimuth (from +x towards +y) and elevation [degrees]. */
export function direction(azimuth: number, elevation: number): Vec3 {
    const a = (azimuth * Math.PI) / 180, e = Math.min(Math.max((elevation * Math.PI) / 180, -STEEPEST), STEEPEST);
    return [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
}

const LOOKS: Record<string, [number, number]> = {
    "+x": [0, 0], "-x": [180, 0], "+y": [90, 0], "-y": [-90, 0], "+z": [-90, 90], "-z": [-90, -90], iso: [-45, 35.264], home: [-60, 18],
};

/** Where a named look is from. 2D scenes have one. */
export function lookFrom(name: string, dimension: 2 | 3): Vec3 {
    return dimension === 2 ? [0, 0, name === "-z" ? -1 : 1] : direction(...(LOOKS[name] ?? LOOKS["home"]!));
}

/** Turned about the target: dx to the right, dy up [rad]. */
export function orbited(camera: Camera, dx: number, dy: number): Camera {
    const offset = add(camera.position, camera.target, -1), distance = distanceOf(camera);
    const up = unit(camera.up);
    // Azimuth and elevation against the up axis, whatever that is.
    const height = Math.asin(Math.min(Math.max(dot(offset, up) / distance, -1), 1));
    let flat = add(offset, up, -dot(offset, up));
    if (Math.hypot(...flat) < 1e-9 * distance) {
        flat = Math.abs(up[2]) > 0.9 ? [0, -1, 0] : [0, 0, 1];
    }
    flat = unit(flat);
    const side = cross(up, flat);
    const around = add(flat.map((x) => x * Math.cos(-dx)) as Vec3, side, Math.sin(-dx));
    const elevation = Math.min(Math.max(height + dy, -STEEPEST), STEEPEST);
    const turned = add(around.map((x) => x * Math.cos(elevation)) as Vec3, up, Math.sin(elevation));
    return { ...camera, position: add(camera.target, turned, distance) };
}

/** Moved so that the picture goes dx to the right and dy up, in heights of the picture. */
export function panned(camera: Camera, dx: number, dy: number): Camera {
    const { right, up } = basisOf(camera), size = 2 * halfHeight(camera);
    const shift = add(right.map((x) => -x * dx * size) as Vec3, up, -dy * size);
    return { ...camera, position: add(camera.position, shift), target: add(camera.target, shift) };
}

/** Nearer by a factor (> 1), keeping what is at (x, y) of the picture where it is; x and y in half heights from the centre. */
export function zoomed(camera: Camera, factor: number, x = 0, y = 0): Camera {
    const { right, up } = basisOf(camera), size = halfHeight(camera);
    const fixed = add(add(camera.target, right, x * size), up, y * size);
    const nearer = (p: Vec3) => add(fixed, add(p, fixed, -1), 1 / factor);
    return { ...camera, position: nearer(camera.position), target: nearer(camera.target) };
}

export interface Fit {
    points: Iterable<Float32Array>; // [n][3] each
    from: Vec3; // direction towards the eye
    aspect: number; // width over height
    projection: Projection;
    margin: number; // share of the picture that stays free on each side
    up: Vec3;
}

/** The nearest camera that sees all points: where the edges of the picture touch them, in closed form. */
export function fitted(fit: Fit): Camera {
    const camera: Camera = { position: fit.from, target: [0, 0, 0], up: fit.up, zoom: 1, projection: fit.projection };
    const { right, up, back } = basisOf(camera);
    const t = Math.tan(ANGLE / 2), keep = 1 - 2 * fit.margin;
    const ty = fit.projection === "perspective" ? t * keep : 0, tx = ty * fit.aspect;
    // A point (x, y, z) is inside if |x - cx| <= tx (d - z): the largest x + tx z and the least x - tx z decide.
    let [left, rightmost, bottom, top, near, far] = [Infinity, -Infinity, Infinity, -Infinity, -Infinity, Infinity];
    for (const points of fit.points) {
        for (let i = 0; i + 2 < points.length; i += 3) {
            const p = points[i]!, q = points[i + 1]!, r = points[i + 2]!;
            const x = p * right[0] + q * right[1] + r * right[2];
            const y = p * up[0] + q * up[1] + r * up[2];
            const z = p * back[0] + q * back[1] + r * back[2];
            if (x + tx * z > rightmost) rightmost = x + tx * z;
            if (x - tx * z < left) left = x - tx * z;
            if (y + ty * z > top) top = y + ty * z;
            if (y - ty * z < bottom) bottom = y - ty * z;
            if (z > near) near = z;
            if (z < far) far = z;
        }
    }
    if (!(rightmost >= left) || !Number.isFinite(rightmost - left + top - bottom)) {
        return { ...camera, position: fit.from.map((x) => 5 * x) as Vec3 };
    }
    const middle = (near + far) / 2;
    const size = Math.max(rightmost - left, top - bottom, near - far) || 1;
    const distance = fit.projection === "perspective"
        ? Math.max((rightmost - left) / (2 * tx), (top - bottom) / (2 * ty), 1e-3 * size + near) - middle
        : Math.max((rightmost - left) / (2 * keep * fit.aspect), (top - bottom) / (2 * keep), 1e-3 * size) / t;
    const target = add(add(right.map((x) => (x * (left + rightmost)) / 2) as Vec3, up, (bottom + top) / 2), back, middle);
    return { ...camera, target, position: add(target, back, Math.max(distance, 1e-6 * size)) };
}
