import assert from "node:assert/strict";
import test from "node:test";
import { formatNumber, formatValue, niceAbove, niceTicks, scaleFor } from "../src/draw/numbers";

test("values with prefixes", () => {
    assert.equal(formatValue(35000, "Pa"), "35 kPa");
    assert.equal(formatValue(0.0123, "m"), "12.3 mm");
    assert.equal(formatValue(1500, "m"), "1500 m");
    assert.equal(formatValue(-2.5e-7, "m"), "−250 nm");
    assert.equal(formatValue(999.96, "Pa"), "1 kPa");
    assert.equal(formatValue(2.5e9, "Pa"), "2.5 GPa");
    assert.equal(formatValue(0.5, "1"), "0.5");
    assert.equal(formatValue(0, "N"), "0 N");
    assert.equal(formatValue(NaN, "N"), "– N");
    assert.deepEqual(scaleFor(1e5, "Pa"), { factor: 1e3, unit: "kPa" });
});

test("numbers are short", () => {
    assert.equal(formatNumber(0.1 + 0.2), "0.3");
    assert.equal(formatNumber(123456), "123500");
    assert.equal(formatNumber(1.5e8), "1.5e8");
    assert.equal(formatNumber(-1.5e-8), "−1.5e−8");
    assert.equal(formatNumber(Infinity), "∞");
});

test("ticks are round, inside and about as many as wished", () => {
    assert.deepEqual(niceTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.deepEqual(niceTicks(-3e5, 1.2e5, 4), [-200000, 0]);
    assert.deepEqual(niceTicks(0.1, 0.3, 2), [0.1, 0.2, 0.3]);
    assert.deepEqual(niceTicks(2, 2), [2]);
    assert.deepEqual(niceTicks(NaN, 1), []);
    for (let k = 0; k < 200; k++) {
        const low = Math.sin(k) * 10 ** ((k % 13) - 6), high = low + Math.abs(Math.cos(3 * k)) * 10 ** ((k % 11) - 5) + 1e-9 * Math.abs(low) + 1e-12;
        const ticks = niceTicks(low, high, 5);
        const room = 1e-6 * (high - low);
        ticks.forEach((x) => assert.ok(x >= low - room && x <= high + room, `${x} in ${low}..${high}`));
        assert.ok(ticks.length >= 1 && ticks.length <= 6, `${ticks.length}`);
    }
});

test("the next round number", () => {
    assert.equal(niceAbove(0.93), 1);
    assert.equal(niceAbove(1.2e5), 1.5e5);
    assert.equal(niceAbove(3e-4), 3e-4);
    assert.equal(niceAbove(0), 1);
    assert.equal(niceAbove(NaN), 1);
});
