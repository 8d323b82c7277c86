// What is seen where: the camera in force, points on the screen, rays through it.
import type { Camera } from "../view";
import type { Rect } from "./axes";
import type { Vec3 } from "./bounds";
import { add, basisOf, distanceOf, dot, fitted, halfHeight, lookFrom, type Fit } from "./camera";
import type { Ray } from "./pick";

export const MARGIN = 0.07; // share of a picture that stays free on each side

export class Sight {
    wish: Camera | null = null; // null: everything in sight
    rects: Rect[] = [];

    /** points: what is to be framed; ready: there is something that is worth remembering a camera for. */
    constructor(readonly flat: boolean, private readonly points: () => Iterable<Float32Array>, private readonly ready: () => boolean) {}

    /** Without a wish, the first fit with something in it stays: the picture must not follow the bodies. */
    camera(): Camera {
        if (this.wish) {
            return this.wish;
        }
        const camera = this.fit(lookFrom("home", this.flat ? 2 : 3), this.flat ? "parallel" : "perspective");
        if (this.ready()) {
            this.wish = camera;
        }
        return camera;
    }

    fit(from: Vec3, projection: Camera["projection"], more: Partial<Fit> = {}): Camera {
        const rect = this.rects[0] ?? { width: 1, height: 1 };
        return fitted({
            points: more.points ?? this.points(), from, aspect: rect.width / rect.height, projection, margin: MARGIN,
            up: this.flat ? [0, 1, 0] : [0, 0, 1], ...more,
        });
    }

    paneAt(x: number, y: number): number | null {
        const k = this.rects.findIndex((r) => x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height);
        return k < 0 ? null : k;
    }

    /** Where a point is seen [pixels]; null behind the camera. */
    project(point: Vec3, pane: number): { x: number; y: number } | null {
        const rect = this.rects[pane] ?? this.rects[0]!, camera = this.camera(), { right, up, back } = basisOf(camera);
        const offset = add(point, camera.target, -1);
        const depth = camera.projection === "perspective" ? 1 - dot(offset, back) / distanceOf(camera) : 1;
        if (depth <= 0.01) {
            return null;
        }
        const rate = rect.height / 2 / (halfHeight(camera) * depth);
        return { x: rect.x + rect.width / 2 + rate * dot(offset, right), y: rect.y + rect.height / 2 - rate * dot(offset, up) };
    }

    /** far: how far back a parallel ray starts. */
    ray(x: number, y: number, pane: number, far: number): Ray {
        const rect = this.rects[pane]!, camera = this.camera(), { right, up, back } = basisOf(camera);
        const rate = halfHeight(camera) / (rect.height / 2);
        const seen = add(add(camera.target, right, rate * (x - rect.x - rect.width / 2)), up, rate * (rect.y + rect.height / 2 - y));
        return camera.projection === "perspective" ? { from: camera.position, along: add(seen, camera.position, -1) }
            : { from: add(seen, back, distanceOf(camera) + far), along: back.map((c) => -c) as Vec3 };
    }
}
