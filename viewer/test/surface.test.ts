import assert from "node:assert/strict";
import test from "node:test";
import { Packet } from "../src/data/packet";
import { runOf } from "../src/data/run";
import { surfaceOf, vertexNormals } from "../src/draw/surface";
import type { Body, Run } from "../src/types";
import { sampleRun } from "./sample.mjs";

const buffer = (bytes: Buffer): ArrayBuffer => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
const run = (): Run => runOf(new Packet(buffer(sampleRun({ rings: 20, frames: 2 }))));

/** Only the vertices and triangles of some bodies. */
function only(whole: Run, bodies: number[]): Run {
    const part = ({ triFirst, triCount }: Body): number[] => [...whole.tri.subarray(3 * triFirst, 3 * (triFirst + triCount))];
    const tri = bodies.flatMap((b) => part(whole.bodies[b]!));
    return { ...whole, tri: Uint32Array.from(tri) };
}

test("a box has sharp edges: three drawn vertices a corner, twelve creases", () => {
    const box = only(run(), [1]), surface = surfaceOf(box), vertices = box.rest.length / 3;
    assert.equal(surface.source.length - vertices, 16);
    assert.equal(surface.creases.length / 2, 12);
    assert.equal(surface.edges.length / 2, 18);
    // Every triangle still has the same corners.
    surface.tri.forEach((drawn, i) => assert.equal(surface.source[drawn], box.tri[i]));
    assert.equal(surface.creaseFirst[2]! - surface.creaseFirst[1]!, 12);
    assert.equal(surface.creaseFirst[1]!, 0);
    assert.deepEqual([...surfaceOf(run()).open], [0, 0, 0, 1]);
});

test("a ball is smooth, and its normals point away from its centre", () => {
    const ball = only(run(), [0]), surface = surfaceOf(ball);
    assert.equal(surface.creases.length, 0);
    assert.equal(surface.source.length, ball.rest.length / 3);
    assert.deepEqual(surface.edges.length / 2, (3 * ball.tri.length) / 3 / 2);
    const normal = new Float32Array(ball.rest.length);
    vertexNormals(ball.rest, surface.tri, 1, normal);
    for (let v = 0; v < ball.bodies[0]!.vertexCount; v++) {
        const out = [ball.rest[3 * v]!, ball.rest[3 * v + 1]!, ball.rest[3 * v + 2]! - 0.5], n = [...normal.subarray(3 * v, 3 * v + 3)];
        const cosine = out.reduce((sum, x, k) => sum + x * n[k]!, 0) / (Math.hypot(...out) * Math.hypot(...n));
        // 20 rings: facets are 9 degrees wide, and their average is much closer.
        assert.ok(cosine > Math.cos((4 * Math.PI) / 180), `${v}: ${cosine}`);
    }
});

test("normals of tiny scenes do not vanish", () => {
    const ball = only(run(), [0]), surface = surfaceOf(ball), size = 1e-9;
    const small = ball.rest.map((x) => x * size), normal = new Float32Array(small.length);
    vertexNormals(small, surface.tri, size, normal);
    assert.ok(Math.hypot(...normal.subarray(0, 3)) > 1e-6);
});

test("open, doubled and degenerate triangles do no harm", () => {
    const whole = run();
    const odd = { ...whole, tri: Uint32Array.from([0, 1, 2, 2, 1, 3, 2, 1, 4, 5, 5, 6, 0, 1, 2]) };
    const surface = surfaceOf(odd);
    surface.tri.forEach((drawn, i) => assert.equal(surface.source[drawn], odd.tri[i]));
    assert.ok(surface.edges.length > 0);
});
