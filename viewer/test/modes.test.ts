// Modes of vibration: shapes as they are stored, frames made from them, words for them.
import assert from "node:assert/strict";
import test from "node:test";
import { FrameCache } from "../src/data/cache";
import { EmbeddedSource } from "../src/data/embedded";
import { FIRST_AMPLITUDE, ModeSource, sizeOf } from "../src/data/modes";
import { Player } from "../src/play/player";
import type { Frame, Mode, Source } from "../src/types";
import { colourChoices } from "../src/ui/fields";
import { columnNumber, dampedText, frequencyScale, frequencyText, modeTitle, phaseText, ratioText } from "../src/ui/modes";
import { Store, type View } from "../src/view";
import { element, packet } from "./packet.mjs";

// A tetrahedron two metres long that swings, and a wall that is larger and does not.
const REST = [0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, -5, 0, 0, -5, 9, 0, -5, 9, 9];
const SHAPES = [[0, 0, 0, 0, 0, 1, 0, 0, -0.5, 0, 0, 0.25, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, -1, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]];
const VERTICES = REST.length / 3;
const FIGURES = { damped: 9.5, ratio: 0.05, mass: 2, effective_mass: [0, 0, 1.5] };

function pageText(shapes = SHAPES): string {
    const body = (name: string, type: string, first: number, count: number): object =>
        ({ name, type, plane: false, vertex_first: first, vertex_count: count, tri_first: 0, tri_count: 0, edge_first: 0, edge_count: 0 });
    const run = packet({
        kind: "run", version: 1, name: "modes", dimension: 3, recorded: 2, frames: [], fields: [], bodies: [body("tet", "deformable", 0, 4), body("wall", "static", 4, 3)],
        modes: [{ rigid: true, frequency: 0, ...FIGURES }, { rigid: false, frequency: 10, ...FIGURES }],
    }, { rest: ["f32", REST], tri: ["u32", [0, 1, 2]], edge: ["u32", []] });
    return element([run, ...shapes.map((shape, index) => packet({ kind: "shape", index }, {
        shape: ["u16", [0, 1, 2].flatMap((axis) => Array.from({ length: VERTICES }, (_, v) => 32768 + Math.round(32767 * shape[3 * v + axis]!))), "delta"],
    }))]).replace(/<[^>]*>/g, "");
}

const open = (text = pageText()): Promise<Source> => EmbeddedSource.open(text, new FrameCache(1e9));
const near = (a: ArrayLike<number>, b: ArrayLike<number>, slack: number): void => {
    assert.equal(a.length, b.length);
    Array.from(a).forEach((x, i) => assert.ok(Math.abs(x - b[i]!) <= slack, `${i}: ${x}, wanted ${b[i]}`));
};

test("a frame is the rest shape and the mode times the cosine of its phase", async () => {
    const source = await open();
    assert.ok(source instanceof ModeSource);
    assert.equal(sizeOf(source.run), 2, "obstacles do not count");
    const { times } = source.run;
    assert.deepEqual([times[0], times.at(-1)], [0, 1]);
    for (const [mode, amplitude] of [[0, 0.1], [1, 0.5], [1, 0]] as const) {
        source.oscillate(mode, amplitude);
        for (const index of [0, 15, 30, 60, 120]) {
            const frame = await source.frame(index);
            const reach = amplitude * 2 * Math.cos(2 * Math.PI * times[index]!);
            // Shapes have 16 bits, positions single precision.
            near(frame.position, REST.map((x, i) => x + reach * SHAPES[mode]![i]!), Math.abs(reach) * 2e-5 + 1e-6);
            assert.equal(frame.time, times[index]);
            assert.equal(frame.contacts.count, 0);
        }
    }
});

test("colours are those of the shape, whatever the phase and the amplitude; held vertices are exactly 0", async () => {
    const source = await open();
    for (const [mode, amplitude, index] of [[0, 0.1, 0], [1, 0.3, 47]] as const) {
        source.oscillate!(mode, amplitude);
        const { fields } = await source.frame(index);
        const shape = SHAPES[mode]!, along = (axis: number): number[] => shape.filter((_, i) => i % 3 === axis);
        ["x", "y", "z"].forEach((axis, k) => near(fields.get(`displacement_${axis}`)!, along(k), 2e-5));
        near(fields.get("displacement")!, along(0).map((x, i) => Math.hypot(x, along(1)[i]!, along(2)[i]!)), 2e-5);
        assert.equal(fields.get("displacement")![0], 0);
        assert.equal(fields.get("displacement")![1], 1);
    }
    assert.deepEqual(colourChoices([source.run]).map((choice) => [choice.name, choice.missing]),
        ["body", "displacement", "displacement_x", "displacement_y", "displacement_z"].map((name) => [name, null]), "nothing that a mode cannot have");
});

test("the picture has room for all modes", async () => {
    const source = (await open()) as ModeSource;
    await source.survey();
    const [low, high] = source.run.moments, reach = 2 * FIRST_AMPLITUDE;
    const most = REST.map((_, i) => Math.max(...SHAPES.map((shape) => Math.abs(shape[i]!))));
    near(low!, REST.map((x, i) => x - reach * most[i]!), 1e-5);
    near(high!, REST.map((x, i) => x + reach * most[i]!), 1e-5);
});

test("a file that was cut off has the modes that it has, one without any says so, wrong packets do", async () => {
    const lines = pageText().trim().split("\n");
    const cut = await open(lines.slice(0, 2).join("\n"));
    assert.equal(cut.run.modes.length, 1);
    assert.equal(cut.run.recorded, 2);
    await assert.rejects(open(lines[0]!), /no mode/);
    const wrong = await open([lines[0], lines[0], lines[2]].join("\n"));
    await assert.rejects(wrong.frame(0), /a shape was expected/);
    wrong.oscillate!(1, 0.1);
    assert.equal((await wrong.frame(0)).index, 0);
    const few = element([packet({ kind: "shape", index: 0 }, { shape: ["u16", [1, 2, 3]] })]).replace(/<[^>]*>/g, "").trim();
    await assert.rejects((await open([lines[0], few].join("\n"))).frame(0), /"shape" is not 21 numbers/);
});

test("another mode or amplitude shows a new frame of the same phase", async () => {
    Object.assign(globalThis, { requestAnimationFrame: () => 0 });
    const source = await open();
    const store = new Store({ time: 0, playing: false, speed: 1, loop: true, mode: 1, amplitude: 0.25 } as View);
    const player = new Player([source], store), shown: Frame[] = [];
    player.onFrame(([frame]) => shown.push(frame!));
    const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
    await settle();
    store.set({ mode: 0 });
    await settle();
    store.set({ amplitude: 0.5 });
    await settle();
    assert.ok(player.settled);
    assert.equal(shown.length, 3);
    near(shown.map((frame) => frame.position[3]!), [1.5, 2, 2], 1e-4);
    near(shown.map((frame) => frame.position[5]!), [0, 0.5, 1], 1e-4);
});

test("modes in words", () => {
    const mode = (more: Partial<Mode>): Mode => ({ rigid: false, frequency: 84.2123, damped: 84.1, ratio: 0.0123, mass: 1, effectiveMass: [0, 0, 0], ...more });
    assert.equal(modeTitle([mode({}), mode({ frequency: 0.25 }), mode({ rigid: true })], 0), "Mode 1: 84.21 Hz");
    assert.deepEqual([mode({}), mode({ frequency: 0.25 }), mode({ frequency: 12345 }), mode({ rigid: true })].map(frequencyText), ["84.21 Hz", "0.25 Hz", "12.35 kHz", "rigid"]);
    assert.deepEqual([mode({}), mode({ damped: 0, ratio: 1.2 }), mode({ rigid: true })].map(dampedText), ["84.1 Hz", "overdamped", "–"]);
    assert.deepEqual([mode({}), mode({ ratio: 0 }), mode({ rigid: true })].map(ratioText), ["1.23 %", "0 %", "–"]);
    assert.deepEqual(frequencyScale([mode({ frequency: 0.5 })]), { factor: 1, unit: "Hz" });
    assert.deepEqual(frequencyScale([mode({}), mode({ frequency: 2000 })]), { factor: 1000, unit: "kHz" });
    assert.deepEqual([513, 0.25, 1234.56, 9999.7, 0].map(columnNumber), ["513.0", "0.2500", "1235", "10000", "0"]);
    assert.deepEqual([0, 0.25, 1 / 3, 1].map(phaseText), ["0°", "90°", "120°", "360°"]);
});
