import assert from "node:assert/strict";
import test from "node:test";
import { add, basisOf, direction, distanceOf, dot, fitted, halfHeight, lookFrom, orbited, panned, zoomed } from "../src/draw/camera";
import type { Vec3 } from "../src/draw/bounds";
import { layout } from "../src/draw/layout";
import { Sight } from "../src/draw/sight";
import type { Camera } from "../src/view";

const CAMERA: Camera = { position: [3, -4, 2], target: [0.5, 0.2, 0.1], up: [0, 0, 1], zoom: 1, projection: "perspective" };

const near = (a: readonly number[], b: readonly number[], tolerance = 1e-9): void =>
    a.forEach((x, k) => assert.ok(Math.abs(x - b[k]!) < tolerance, `${a} is not ${b}`));

function cloud(count: number): Float32Array {
    return Float32Array.from({ length: 3 * count }, (_, i) => Math.sin(12.9898 * i) * (1 + (i % 3)));
}

/** Where a point is in the picture, in half widths and half heights. */
function seen(camera: Camera, point: Vec3, aspect: number): [number, number] {
    const { right, up, back } = basisOf(camera), offset = add(point, camera.target, -1);
    const depth = camera.projection === "perspective" ? 1 - dot(offset, back) / distanceOf(camera) : 1;
    const half = halfHeight(camera) * depth;
    return [dot(offset, right) / half / aspect, dot(offset, up) / half];
}

test("a fit sees all points, and the outermost touch the margin", () => {
    const points = cloud(500);
    for (const projection of ["perspective", "parallel"] as const) {
        for (const [azimuth, elevation, aspect] of [[-60, 18, 1.6], [0, 0, 0.5], [120, 80, 1], [45, -30, 3]] as const) {
            const camera = fitted({ points: [points], from: direction(azimuth, elevation), aspect, projection, margin: 0.07, up: [0, 0, 1] });
            let widest = 0;
            for (let i = 0; i < points.length; i += 3) {
                const [x, y] = seen(camera, [points[i]!, points[i + 1]!, points[i + 2]!], aspect);
                widest = Math.max(widest, Math.abs(x), Math.abs(y));
            }
            assert.ok(Math.abs(widest - 0.86) < 1e-6, `${projection} ${azimuth} ${elevation}: ${widest}`);
        }
    }
});

test("a fit of nothing, of one point and of what is not a number", () => {
    for (const points of [[], [Float32Array.from([1, 2, 3])], [Float32Array.from([NaN, NaN, NaN])]]) {
        const camera = fitted({ points, from: [0, -1, 0], aspect: 1, projection: "perspective", margin: 0, up: [0, 0, 1] });
        assert.ok([...camera.position, ...camera.target].every(Number.isFinite));
        assert.ok(distanceOf(camera) > 0);
    }
});

test("turning keeps the distance and never goes over the top", () => {
    let camera = CAMERA;
    for (let k = 0; k < 50; k++) {
        camera = orbited(camera, 0.37, 0.2);
        assert.ok(Math.abs(distanceOf(camera) - distanceOf(CAMERA)) < 1e-9);
        assert.ok(basisOf(camera).up[2] > 0);
    }
    near(camera.target, CAMERA.target);
    // Straight down: the camera still knows where up is.
    const top: Camera = { ...CAMERA, position: [0.5, 0.2, 5] };
    assert.ok([...orbited(top, 0.1, -0.1).position].every(Number.isFinite));
});

test("dragging to the right turns the front to the right", () => {
    const front: Vec3 = add(CAMERA.target, basisOf(CAMERA).back, 0.5);
    const before = seen(CAMERA, front, 1), after = seen(orbited(CAMERA, 0.2, 0), front, 1);
    assert.ok(after[0] > before[0] + 0.01);
    assert.ok(seen(orbited(CAMERA, 0, 0.2), front, 1)[1] < before[1] - 0.01);
});

test("moving by a picture's height moves the target by one", () => {
    const [x, y] = seen(panned(CAMERA, 0.25, -0.5), CAMERA.target, 1);
    near([x, y], [0.5, -1]);
});

test("nearing keeps what is under the pointer", () => {
    for (const projection of ["perspective", "parallel"] as const) {
        const camera: Camera = { ...CAMERA, projection }, { right, up } = basisOf(camera);
        const point = add(add(camera.target, right, 0.3 * halfHeight(camera)), up, -0.6 * halfHeight(camera));
        near(seen(zoomed(camera, 1.7, 0.3, -0.6), point, 1), [0.3, -0.6]);
        assert.ok(Math.abs(distanceOf(zoomed(camera, 2)) - distanceOf(camera) / 2) < 1e-9);
    }
});

test("both projections show the target's surroundings at the same size", () => {
    const { right } = basisOf(CAMERA), point = add(CAMERA.target, right, 0.4);
    near(seen(CAMERA, point, 1), seen({ ...CAMERA, projection: "parallel" }, point, 1));
});

test("a ray goes through the point that is seen there", () => {
    for (const projection of ["perspective", "parallel"] as const) {
        const sight = new Sight(false, () => [], () => true);
        sight.wish = { ...CAMERA, projection };
        sight.rects = layout(2, 1200, 500);
        for (const pane of [0, 1]) {
            const point: Vec3 = [0.3, 0.4, -0.2], at = sight.project(point, pane)!;
            assert.equal(sight.paneAt(at.x, at.y), pane);
            const ray = sight.ray(at.x, at.y, pane, 50), offset = add(point, ray.from, -1);
            const along = dot(offset, ray.along) / dot(ray.along, ray.along);
            near(add(ray.from, ray.along, along), point, 1e-9);
            assert.ok(along > 0);
        }
    }
    const sight = new Sight(false, () => [], () => true);
    sight.wish = CAMERA;
    sight.rects = layout(1, 100, 100);
    assert.equal(sight.project(add(CAMERA.position, basisOf(CAMERA).back, 1), 0), null);
});

test("named looks", () => {
    near(lookFrom("-y", 3), [0, -1, 0]);
    assert.ok(lookFrom("+z", 3)[2] > 0.999);
    near(lookFrom("+x", 2), [0, 0, 1]);
    near(lookFrom("iso", 3), [1, -1, 1].map((x) => x / Math.sqrt(3)), 1e-5);
});

test("panes side by side, one above the other where it is narrow", () => {
    assert.deepEqual(layout(1, 800, 600), [{ x: 0, y: 0, width: 800, height: 600 }]);
    const wide = layout(2, 1202, 600), narrow = layout(2, 400, 802);
    assert.deepEqual(wide.map((r) => r.y), [0, 0]);
    assert.deepEqual(narrow.map((r) => r.x), [0, 0]);
    assert.equal(wide[1]!.x, 602);
    for (const count of [1, 2, 3, 4, 5, 7]) {
        for (const [width, height] of [[1280, 720], [390, 844], [500, 300]] as const) {
            for (const r of layout(count, width, height)) {
                assert.ok(r.x + r.width <= width && r.y + r.height <= height && r.width > 20 && r.height > 20);
            }
        }
    }
});
