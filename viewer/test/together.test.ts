// Several runs: what is handed over belongs to one moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Player } from "../src/play/player";
import { Store } from "../src/view";

const later = (ms) => new Promise((done) => setTimeout(done, ms));

function source(times, delay) {
    return { run: { times }, live: null, frame: async (index) => { await later(delay); return { index, time: times[index] }; } };
}

test("frames of two runs come together although one is slow", async () => {
    globalThis.requestAnimationFrame ??= () => 0;
    const times = Array.from({ length: 50 }, (_, k) => k);
    const store = new Store({ time: 0, playing: false, speed: 1, loop: false });
    const player = new Player([source(times, 1), source(times, 9)], store);
    const seen = [];
    player.onFrame((frames) => seen.push(frames.map((frame) => frame?.index ?? null)));
    for (let k = 1; k < 50; k++) {
        store.set({ time: k });
        await later(3);
    }
    await later(60);
    assert.ok(seen.length >= 3, "scrubbing shows pictures on the way");
    seen.forEach(([a, b]) => assert.equal(a, b));
    assert.deepEqual(seen.at(-1), [49, 49]);
    assert.ok(player.settled);
});
