import assert from "node:assert/strict";
import test from "node:test";
import { bodyColours, colourAt, colourTable, gradientStops, lightnessOf, mapOf, oklch, toRgb, type MapName, type Rgb } from "../src/draw/colours";

const entry = (name: MapName, k: number): Rgb => [...colourTable(name).subarray(4 * k, 4 * k + 3)].map((x) => x / 255) as Rgb;
const lightness = (name: MapName): number[] => Array.from({ length: 256 }, (_, k) => lightnessOf(entry(name, k)));

test("lightness of Oklab: black, white, and back from a known colour", () => {
    assert.ok(Math.abs(lightnessOf([1, 1, 1]) - 1) < 1e-3);
    assert.equal(lightnessOf([0, 0, 0]), 0);
    assert.ok(Math.abs(lightnessOf(oklch(0.6, 0.1, 250)) - 0.6) < 1e-3);
});

// 8 bits a channel are steps of about 0.004 in lightness.
const STEP = 0.004;

test("the map of values grows evenly in lightness", () => {
    const l = lightness("values"), whole = l[255]! - l[0]!;
    assert.ok(whole > 0.45, `${whole}`);
    l.forEach((x, k) => assert.ok(k === 0 || x > l[k - 1]! - STEP, `${k}`));
    l.forEach((x, k) => assert.ok(Math.abs(x - (l[0]! + (whole * k) / 255)) < 0.02, `${k}: ${x}`));
});

test("values with a sign have two sides, equivalents and magnitudes one", () => {
    for (const [colour, map] of [["stress_xx", "diverging"], ["stress_3", "diverging"], ["strain_xy", "diverging"], ["von_mises", "values"], ["strain", "values"], ["pressure", "difference"]]) {
        assert.equal(mapOf(colour!), map, colour);
    }
});

test("no green between the blue and the orange side", () => {
    for (let k = 0; k < 256; k++) {
        const [red, green, blue] = entry("diverging", k);
        // The middle is warm: 4 of 256 more green than red and blue are a grey.
        assert.ok(green! < Math.max(red!, blue!) + 0.02, `${k}: ${red}, ${green}, ${blue}`);
    }
});

test("the map of differences falls, the diverging one is lightest in the middle", () => {
    const down = lightness("difference"), both = lightness("diverging");
    down.forEach((x, k) => assert.ok(k === 0 || x < down[k - 1]! + STEP, `${k}`));
    both.forEach((x, k) => assert.ok(k === 0 || (k < 128 ? x > both[k - 1]! - STEP : x < both[k - 1]! + STEP), `${k}`));
    assert.ok(both[127]! > both[0]! + 0.4);
});

/** What people without red cones, or without green ones, see: Brettel's half-planes reduced to one matrix each [Viénot 1999]. */
function blind([r, g, b]: Rgb, kind: "protan" | "deutan"): Rgb {
    const red = kind === "protan" ? 0.1124 : 0.2928, tint = kind === "protan" ? 0.004 : -0.0223;
    const m = [red, 1 - red, 0, red, 1 - red, 0, tint, -tint, 1];
    return [0, 3, 6].map((k) => Math.min(Math.max(m[k]! * r + m[k + 1]! * g + m[k + 2]! * b, 0), 1)) as Rgb;
}

test("the map of values stays in order for the colour-blind", () => {
    for (const kind of ["protan", "deutan"] as const) {
        const l = Array.from({ length: 18 }, (_, k) => lightnessOf(blind(entry("values", 15 * k), kind)));
        l.forEach((x, k) => assert.ok(k === 0 || x > l[k - 1]!, `${kind} ${k}: ${x} after ${l[k - 1]}`));
    }
});

test("bodies: obstacles grey, the others different from their neighbours", () => {
    const types = ["static", ...Array<string>(30).fill("deformable")].map((type) => ({ type }));
    for (const dark of [false, true]) {
        const colours = bodyColours(types, dark);
        assert.ok(Math.max(...colours[0]!) - Math.min(...colours[0]!) < 0.06);
        for (let k = 2; k < colours.length; k++) {
            const far = Math.hypot(...colours[k]!.map((x, i) => x - colours[k - 1]![i]!));
            assert.ok(far > 0.15, `${k}: ${far}`);
        }
        colours.flat().forEach((x) => assert.ok(x >= 0 && x <= 1));
    }
});

test("colours as text", () => {
    assert.match(colourAt("values", -5), /^rgb\(\d+, \d+, \d+\)$/);
    assert.equal(colourAt("values", 7), colourAt("values", 1));
    assert.equal(gradientStops("values", 4).split("%").length, 6);
    assert.deepEqual(toRgb("#ff0080"), [1, 0, 128 / 255]);
});
