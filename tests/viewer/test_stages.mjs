// The stages of a launch on the page: bands over the slider, the tab that tells of them, keys, lines in plots; live as it goes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, choose, DESKTOP, near, openTab, PHONE, quantity, reportUrl, runChecks, settled, view } from "./browser.mjs";
import { eventually, ROOT, RUNS } from "./machine.mjs";

const SCENE = join(ROOT, "tests", "viewer", "scenes", "stages");
const GONE = [/request failed/, /WebSocket|ERR_CONNECTION|Failed to load resource/];
const NAMES = ["loading", "launch", "flight", "landing"];

const summaryOf = (name) => JSON.parse(readFileSync(join(RUNS, name, "summary.json"), "utf8"));
const SUMMARY = () => summaryOf("stages/base");
const band = (page, name) => page.locator(`.band[data-stage="${name}"]`);
const fact = (page, stage, label) =>
    page.locator(`.stage-card[data-stage="${stage}"] dt`, { hasText: new RegExp(`^${label}$`) }).locator("xpath=following-sibling::dd[1]").textContent();
const times = (page) => page.evaluate(() => [...window.brunt.player.times]);

/** The frame that a stage is first seen in: its first one, or the nearest. */
async function frameOf(page, begin, end) {
    const all = await times(page);
    const first = all.find((time) => time >= begin - 1e-9);
    return first !== undefined && first < end ? first : all.reduce((best, time) => (Math.abs(time - begin) < Math.abs(best - begin) ? time : best));
}

for (const viewport of [DESKTOP, { width: 760, height: 480 }, PHONE]) {
    check(`bands stand above the slider where the stages are, ${viewport.width} pixels wide`, async ({ open }) => {
        const page = await open(reportUrl("stages/base"), { viewport });
        const summary = SUMMARY(), all = await times(page), end = all.at(-1);
        assert.ok(summary["landing.end"] > summary["landing.begin"], "the scene comes to rest");
        const line = await page.locator(".track-line").boundingBox();
        for (const name of NAMES) {
            const box = await band(page, name).boundingBox();
            const [from, to] = [summary[`${name}.begin`], summary[`${name}.end`]].map((time) => line.x + (line.width * time) / end);
            // Of a pixel, or as wide as can be seen.
            assert.ok(Math.abs(box.x - from) < 1 && Math.abs(box.width - Math.max(to - from, 2)) < 1, `${name}: ${box.x} + ${box.width}, wanted ${from} to ${to}`);
            assert.ok(box.y + box.height <= line.y, "above the line");
            assert.match(await band(page, name).getAttribute("title"), new RegExp(`^${name}: [\\d.]+ → [\\d.]+ ms, \\w`));
        }
        // A name stands in its band, or, where it has no room, out of sight.
        for (const [name, seen] of [["flight", true], ["launch", false]]) {
            const [box, text] = [await band(page, name).boundingBox(), await band(page, name).locator("span").boundingBox()];
            assert.equal(text.y < box.y + box.height, seen, `the name in ${name}`);
            assert.ok(!seen || (text.x >= box.x && text.x + text.width <= box.x + box.width));
        }
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no sideways scrolling");
    });
}

check("a click on a band, a card of the tab or a key goes to where the stage begins", async ({ open }) => {
    const page = await open(`${reportUrl("stages/base")}#tab=stages`);
    const summary = SUMMARY();
    const begins = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await frameOf(page, summary[`${name}.begin`], summary[`${name}.end`])])));
    const shown = async (name) => {
        await settled(page);
        assert.equal((await view(page)).time, begins[name], name);
    };
    for (const name of ["landing", "loading", "flight"]) {
        await band(page, name).click();
        await shown(name);
        assert.equal(await page.locator(".band.now").getAttribute("data-stage"), name);
        assert.equal(await page.locator(".stage-jump[aria-current]").count(), 1);
        assert.match(await page.locator(".stage-jump[aria-current]").textContent(), new RegExp(`^${name}`));
    }
    for (const name of ["loading", "landing"]) {
        await page.locator(`.stage-card[data-stage="${name}"] .stage-jump`).click();
        await shown(name);
    }
    await page.locator("#stage").focus();
    // The launch lasts less than a frame here and shares one with what is next to it or has one of its own.
    const stops = [...new Set(NAMES.map((name) => begins[name]))].sort((a, b) => a - b);
    for (const time of stops.slice(0, -1).reverse()) {
        await page.keyboard.press("<");
        await settled(page);
        assert.equal((await view(page)).time, time);
    }
    await page.keyboard.press("<"); // there is none before the first
    for (const time of stops.slice(1)) {
        await page.keyboard.press(">");
        await settled(page);
        assert.equal((await view(page)).time, time);
    }
    await page.keyboard.press("?");
    assert.match(await page.locator("#help-sheet").textContent(), /<previous stage.*>next stage/);
    // After the landing no stage is on.
    await page.keyboard.press("Escape");
    await page.keyboard.press("End");
    await settled(page);
    assert.equal(await page.locator(".band.now, .stage-jump[aria-current]").count(), 0);
});

check("the tab tells what the summary has", async ({ open }) => {
    const page = await open(reportUrl("stages/base"));
    const summary = SUMMARY();
    await openTab(page, "stages");
    const same = async (stage, label, unit, wanted) => near(quantity(await fact(page, stage, label), unit), wanted, 0, `${stage}: ${label}`);
    await same("loading", "Elastic energy", "J", summary["loading.elastic"]);
    await same("loading", "Work done", "J", summary["loading.work"]);
    await same("launch", "Lift-off", "s", summary["launch.end"]);
    await same("launch", "Speed", "m/s", summary["launch.speed"]);
    await same("launch", "Spin", "rad/s", Math.hypot(...["x", "y", "z"].map((axis) => summary[`launch.spin_${axis}`])));
    await same("flight", "Apex above lift-off", "m", summary["flight.rise"]);
    await same("flight", "Range", "m", summary["flight.range"]);
    // Hundredths of a degree.
    const turned = Math.hypot(...["x", "y", "z"].map((axis) => summary[`flight.turn_${axis}`])) * (180 / Math.PI);
    assert.ok(Math.abs(quantity(await fact(page, "flight", "Rotation"), "°") - turned) < 0.0051);
    assert.equal(await fact(page, "landing", "Verdict"), summary["landing.verdict"]);
    assert.ok(Math.abs(quantity(await fact(page, "landing", "Tilt"), "°") - summary["landing.tilt"] * (180 / Math.PI)) < 0.0051);
    const [, vx, vy, vz, unit] = /^\((\S+), (\S+), (\S+)\) (\S+)$/.exec(await fact(page, "launch", "Velocity"));
    [["vx", vx], ["vy", vy], ["vz", vz]].forEach(([name, text]) =>
        near(quantity(`${text} ${unit}`, "m/s"), summary[`launch.${name}`], 1e-6 * summary["launch.speed"], name));
    assert.equal(await page.locator('.stage-card[data-stage="landing"] .hint').textContent(), "Newmark, until it was at rest");
    assert.equal(await page.locator('.stage-card[data-stage="loading"] .hint').textContent(), "Implicit euler, until the load was over");
    // One unit for all energies, three digits; what is less than a ten-thousandth of the largest is 0.
    const table = page.locator("#panel-stages table");
    const scale = await table.locator("th.unit").textContent();
    const most = Math.max(...NAMES.flatMap((name) => ["kinetic", "elastic", "gravity", "dissipated", "work"].map((what) => summary[`${name}.${what}`])));
    for (const [label, what] of [["Kinetic", "kinetic"], ["Elastic", "elastic"], ["Gravity", "gravity"], ["Lost so far", "dissipated"]]) {
        const cells = await table.locator("tr", { hasText: label }).locator("td").allTextContents();
        assert.equal(cells.length, NAMES.length);
        cells.forEach((text, k) => {
            const wanted = summary[`${NAMES[k]}.${what}`];
            assert.ok(Math.abs(quantity(`${text} ${scale}`, "J") - wanted) <= 5.01e-3 * Math.abs(wanted) + 5.01e-5 * most, `${what} of ${NAMES[k]}: ${text}`);
        });
    }
    // They stand nowhere else.
    await openTab(page, "summary");
    assert.ok(!/launch\.|flight\./.test(await page.locator("#panel-summary").textContent()));
});

check("plots have a thin line where a stage begins", async ({ open }) => {
    const page = await open(`${reportUrl("stages/base")}#tab=plots`);
    const area = page.locator('.plot[data-chart="energy"]');
    await area.locator("canvas").scrollIntoViewIfNeeded();
    const summary = SUMMARY(), end = (await times(page)).at(-1);
    // Columns of the canvas that have the lines' colour above the curves, which leave a twelfth of the height free.
    const columns = await area.evaluate((element) => {
        const canvas = element.querySelector("canvas"), over = element.querySelector(".u-over");
        const [a, b] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
        const edge = getComputedStyle(document.documentElement).getPropertyValue("--edge").trim();
        const wanted = [1, 3, 5].map((k) => parseInt(edge.slice(k, k + 2), 16));
        const ratio = canvas.width / a.width, height = Math.round(0.04 * b.height * ratio);
        const { data } = canvas.getContext("2d").getImageData(0, Math.round((b.top - a.top) * ratio), canvas.width, height);
        const isLine = (x, y) => wanted.every((value, i) => Math.abs(data[4 * (y * canvas.width + x) + i] - value) < 6);
        return Array.from({ length: canvas.width }, (_, x) => x).filter((x) => Array.from({ length: height }, (_, y) => y).every((y) => isLine(x, y)))
            .map((x) => (x / ratio - (b.left - a.left)) / b.width);
    });
    assert.ok(columns.length >= 2 && columns.length <= 3, `lines at ${columns}`);
    for (const name of NAMES.slice(1)) {
        const wanted = summary[`${name}.begin`] / end;
        assert.ok(columns.some((at) => Math.abs(at - wanted) < 0.006), `${name} begins at ${wanted} of the plot; lines at ${columns}`);
    }
});

check("of several runs each has a row of bands, and figures in the comparison", async ({ open }) => {
    const page = await open(reportUrl("stages", "compare.html"));
    const rows = page.locator(".stage-row");
    assert.equal(await rows.count(), 2);
    assert.deepEqual(await rows.nth(0).locator(".band").evaluateAll((all) => all.map((one) => one.dataset.stage)), NAMES);
    assert.deepEqual(await rows.nth(1).locator(".band").evaluateAll((all) => all.map((one) => one.dataset.stage)), NAMES.slice(0, 2), "it stays on the ground");
    assert.match(await rows.nth(1).locator(".band").last().getAttribute("title"), /^weak, launch: .* still on the ground$/);
    assert.equal(await page.locator("#tab-stages").count(), 0);
    await openTab(page, "compare");
    const cells = await page.locator("#panel-compare tbody", { has: page.locator("th", { hasText: /^Flight$/ }) }).locator("tr", { hasText: "Range" }).locator("td")
        .allTextContents();
    near(quantity(cells[0], "m"), SUMMARY()["flight.range"], 0, "range");
    assert.equal(cells[1], "–");
});

check("a run without stages has nothing of them", async ({ open }) => {
    const page = await open(`${reportUrl("cube-stack")}#tab=stages`);
    assert.notEqual((await view(page)).panel, "stages");
    assert.ok(await page.locator("#tab-stages").isHidden());
    assert.ok(await page.locator(".stage-bands").isHidden());
    assert.equal((await page.locator(".track-column").boundingBox()).height, (await page.locator(".track").boundingBox()).height);
    await page.click("#help");
    assert.ok(!/stage/.test(await page.locator("#help-sheet").textContent()));
});

check("a live run: stages come as it goes, and go with a reset", async ({ open, serve }) => {
    const server = await serve(SCENE, "--no-open", "--paused");
    const page = await open(server.url, { expected: GONE });
    await openTab(page, "stages");
    const cards = () => page.locator(".stage-card:visible").evaluateAll((all) => all.map((one) => one.dataset.stage));
    assert.deepEqual(await cards(), ["loading"]);
    assert.equal(await page.locator('.stage-card[data-stage="loading"] .hint').textContent(), "Implicit euler, still loading");
    await page.keyboard.press("s");
    await eventually("it comes to rest", async () => (await cards()).length === 4
        && /at rest$/.test(await page.locator('.stage-card[data-stage="landing"] .hint').textContent()));
    // As in the run that was recorded, to the digits that are shown.
    near(quantity(await fact(page, "launch", "Speed"), "m/s"), SUMMARY()["launch.speed"], 0, "speed");
    near(quantity(await fact(page, "flight", "Apex above lift-off"), "m"), SUMMARY()["flight.rise"], 0, "rise");
    assert.equal(await page.locator(".band").count(), 4);
    await page.click("#live-reset");
    await eventually("all is as at the start", async () => (await cards()).length === 1);
});

await runChecks("stages");
