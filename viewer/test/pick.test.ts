import assert from "node:assert/strict";
import test from "node:test";
import { Packet } from "../src/data/packet";
import { runOf } from "../src/data/run";
import { bodyBoxes, type Vec3 } from "../src/draw/bounds";
import { add, cross, dot } from "../src/draw/camera";
import { meet, type Ray } from "../src/draw/pick";
import type { Run } from "../src/types";
import { sampleRun } from "./sample.mjs";

const buffer = (bytes: Buffer): ArrayBuffer => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
const all = { skip: () => false, away: () => false };

/** A slow, obvious answer: where the ray crosses the triangle's plane, and whether that point is on the inner side of all three edges. */
function brute(run: Run, position: Float32Array, ray: Ray): { distance: number; triangle: number } | null {
    let best: { distance: number; triangle: number } | null = null;
    for (let t = 0; t < run.tri.length / 3; t++) {
        const corner = (vertex: number): Vec3 => [position[3 * vertex]!, position[3 * vertex + 1]!, position[3 * vertex + 2]!];
        const [a, b, c] = [0, 1, 2].map((k) => corner(run.tri[3 * t + k]!)) as [Vec3, Vec3, Vec3];
        const n = cross(add(b, a, -1), add(c, a, -1)), steep = dot(n, ray.along);
        if (steep === 0) {
            continue;
        }
        const distance = dot(n, add(a, ray.from, -1)) / steep, p = add(ray.from, ray.along, distance);
        const inside = [[a, b], [b, c], [c, a]].every(([p1, p2]) => dot(cross(add(p2!, p1!, -1), add(p, p1!, -1)), n) >= 0);
        if (inside && distance > 0 && (!best || distance < best.distance)) {
            best = { distance, triangle: t };
        }
    }
    return best;
}

function random(seed: number): () => number {
    let state = seed;
    return () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296);
}

test("the same triangle as by looking at all of them", () => {
    const run = runOf(new Packet(buffer(sampleRun({ rings: 12, frames: 1 })))), boxes = bodyBoxes(run, run.rest), next = random(7);
    let hits = 0;
    for (let k = 0; k < 2000; k++) {
        const from: Vec3 = [6 * next() - 3, 6 * next() - 3, 4 * next() - 1], towards: Vec3 = [2.6 * next() - 1, 2 * next() - 1, next()];
        const ray = { from, along: add(towards, from, -1) };
        const slow = brute(run, run.rest, ray), fast = meet(run, run.rest, boxes, ray, all);
        assert.equal(fast === null, slow === null, `ray ${k}`);
        if (fast && slow) {
            hits += 1;
            // Both in double precision: the same up to rounding; a ray through an edge may find either neighbour.
            assert.ok(Math.abs(fast.distance - slow.distance) < 1e-9 * (1 + slow.distance), `ray ${k}`);
            const corners = [0, 1, 2].map((c) => run.tri[3 * fast.triangle + c]!), weights = [1 - fast.u - fast.v, fast.u, fast.v];
            for (let axis = 0; axis < 3; axis++) {
                const point = corners.reduce((sum, vertex, c) => sum + weights[c]! * run.rest[3 * vertex + axis]!, 0);
                assert.ok(Math.abs(point - from[axis]! - fast.distance * ray.along[axis]!) < 1e-9);
            }
        }
    }
    assert.ok(hits > 1000, `${hits} of 2000 rays hit`);
});

test("rays along the axes, and bodies that are flat", () => {
    const run = runOf(new Packet(buffer(sampleRun({ rings: 12, frames: 1 })))), boxes = bodyBoxes(run, run.rest);
    assert.equal(meet(run, run.rest, boxes, { from: [1.7, 1.9, 5], along: [0, 0, -1] }, all)!.body, 3);
    assert.equal(meet(run, run.rest, boxes, { from: [0.01, 0.02, 5], along: [0, 0, -1] }, all)!.body, 0);
    assert.equal(meet(run, run.rest, boxes, { from: [9, 9, 5], along: [0, 0, -1] }, all), null);
    // Away from everything.
    assert.equal(meet(run, run.rest, boxes, { from: [0, 0, 5], along: [0, 0, 1] }, all), null);
});

test("what is hidden or cut away is not met", () => {
    const run = runOf(new Packet(buffer(sampleRun({ rings: 12, frames: 1 })))), boxes = bodyBoxes(run, run.rest);
    const ray: Ray = { from: [0.01, 0.02, 5], along: [0, 0, -1] };
    assert.equal(meet(run, run.rest, boxes, ray, { ...all, skip: (body) => body === 0 })!.body, 3);
    const below = meet(run, run.rest, boxes, ray, { ...all, away: (_body, _x, _y, z) => z > 0.5 })!;
    assert.equal(below.body, 0);
    assert.ok(below.distance > 4.9);
});

test("100 000 triangles", () => {
    const run = runOf(new Packet(buffer(sampleRun({ rings: 160, frames: 1 })))), boxes = bodyBoxes(run, run.rest);
    const times = Array.from({ length: 9 }, (_, k) => {
        const start = performance.now();
        assert.ok(meet(run, run.rest, boxes, { from: [0.1 * k - 0.4, 0.02, 5], along: [0, 0, -1] }, all));
        return performance.now() - start;
    }).sort((a, b) => a - b);
    // 1.5 ms on an idle machine; 15 ms are what a pointer that moves can afford.
    assert.ok(times[0]! < 15, `${times[0]} ms`);
});
