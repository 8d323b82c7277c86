// Texts can be read in both themes: contrast of the colours of style.css (WCAG 2.1: 4.5 for text, 3 for lines and knobs).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const style = readFileSync("src/style.css", "utf8"); // npm runs tests in the package's folder

function variables(block) {
    const body = style.slice(style.indexOf(`${block} {`)).split("}")[0];
    return Object.fromEntries([...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((match) => [match[1], match[2]]));
}

const light = variables(":root");
const dark = { ...light, ...variables(":root[data-theme=\"dark\"]") };

function luminance(colour) {
    const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
    const [r, g, b] = parts.map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

const TEXTS = {
    panel: ["text", "muted", "accent", "ok", "warn", "bad"],
    raised: ["text", "muted", "y-key", "y-number", "y-text", "y-comment"],
    hover: ["text", "muted", "accent"],
    ground: ["text", "muted"],
    "accent-soft": ["accent", "text", "muted"],
    "warn-soft": ["warn"],
    "bad-soft": ["bad"],
    accent: ["accent-text"],
    text: ["panel"], // labels of pins
};
const LINES = { panel: ["edge", "accent", "stick", "slip", ...Array.from({ length: 8 }, (_, i) => `series-${i}`)] };

for (const [name, theme] of [["light", light], ["dark", dark]]) {
    test(`contrast, ${name}`, () => {
        for (const [table, least] of [[TEXTS, 4.5], [LINES, 3]]) {
            for (const [ground, colours] of Object.entries(table)) {
                for (const colour of colours) {
                    assert.ok(theme[ground] && theme[colour], `${colour} on ${ground}: not in style.css`);
                    const value = contrast(theme[colour], theme[ground]);
                    assert.ok(value >= least, `${colour} on ${ground}: ${value.toFixed(2)}, at least ${least}`);
                }
            }
        }
    });
}

test("contrast of black and white", () => {
    assert.ok(Math.abs(contrast("#000000", "#ffffff") - 21) < 1e-9);
});
