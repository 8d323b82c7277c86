// The page of a comparison: runs side by side on one timeline, their difference, plots and figures overlaid. The runs are those
// of make_runs.sh: base is the reference, light falls slower, fine has another mesh, ends earlier and has every second frame.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, choose, near, openTab, PHONE, picture, project, quantity, reportUrl, runChecks, settled, stageBox, view } from "./browser.mjs";
import { eventually, RUNS } from "./machine.mjs";
import { changed } from "./png.mjs";
import { centreOf, readRun } from "./trajectory.mjs";

const NAMES = ["base", "light", "fine"]; // the reference first
const CUBES = ["first", "second", "third", "fourth"];
const STEPS = 65535; // of a quantised position
const table = (name = "compare") => JSON.parse(readFileSync(join(RUNS, name, "compare.json"), "utf8"));
const summaryOf = (name) => JSON.parse(readFileSync(join(RUNS, "compare", name, "summary.json"), "utf8"));
const runs = () => Object.fromEntries(NAMES.map((name) => [name, readRun(`compare/${name}`)]));
const openPage = (open, options) => open(reportUrl("compare", "compare.html"), options);
const panes = (page) => page.evaluate(() => window.brunt.stage.panes().map(({ x, y, width, height }) => ({ x, y, width, height })));
const shownTimes = (page) => page.evaluate(() => window.brunt.player.frames.map((frame) => frame.time));

/** The last frame at or before a time. */
const frameAt = (run, time) => run.frames.findLast((frame) => frame.time <= time + 1e-9);

/** A few pixels about a place. */
const about = ({ x, y }, half = 2) => ({ x: Math.round(x) - half, y: Math.round(y) - half, width: 2 * half + 1, height: 2 * half + 1 });

/** [m] between the same node of two frames. */
function apart(frame, other, node) {
    const p = frame.nodes.get(node), q = other.nodes.get(node);
    return Math.hypot(p.x - q.x, p.y - q.y, p.z - q.z);
}

check("one pane a run, named, the reference first, bodies in each where its run has them", async ({ open }) => {
    const page = await openPage(open);
    const all = runs();
    assert.deepEqual(await page.evaluate(() => window.brunt.sources.map(({ run }) => run.name)), NAMES);
    assert.deepEqual(await page.locator(".pane-title strong").allTextContents(), NAMES);
    await choose(page, { axes: false, colour: "body", theme: "light" });
    const stage = await stageBox(page);
    const rects = await panes(page);
    rects.forEach((rect, k) => assert.ok(rects.every((other, j) => j <= k || rect.x + rect.width <= other.x), "panes overlap"));
    for (const [k, title] of (await page.locator(".pane-title").all()).entries()) {
        const box = await title.boundingBox();
        assert.ok(box.x >= stage.x + rects[k].x - 1 && box.x + box.width <= stage.x + rects[k].x + rects[k].width + 1, `title ${k} is in another pane`);
    }

    const everything = [0, 1, 2, 3, 4];
    await choose(page, { hidden: everything });
    const empty = await picture(page);
    for (const time of [0, 0.1, 0.3]) {
        for (const [number, cube] of CUBES.entries()) {
            await choose(page, { time, hidden: everything.filter((k) => k !== number) });
            const full = await picture(page);
            for (const [pane, name] of NAMES.entries()) {
                const place = await project(page, centreOf(frameAt(all[name], time), cube), pane);
                const rect = rects[pane];
                assert.ok(place.x > stage.x + rect.x && place.x < stage.x + rect.x + rect.width, `${name}: ${cube} is not in its pane`);
                // The centre of the cube is covered, and the pane's corner is not.
                assert.equal(changed(empty, full, about(place)), 1, `${name} at ${time} s: no ${cube} where it is`);
                assert.equal(changed(empty, full, { x: stage.x + rect.x + 5, y: stage.y + 5, width: 20, height: 20 }), 0, `${name}: something in the corner`);
            }
        }
    }
});

check("one timeline: every run shows its last frame at or before the moment", async ({ open }) => {
    const page = await openPage(open);
    const all = runs();
    const times = await page.evaluate(() => window.brunt.player.times);
    assert.equal(times.length, 31, "not the times of all runs");
    for (const index of [0, 7, 19, 20, 25, 30, 3]) {
        await choose(page, { time: times[index] });
        assert.deepEqual(await shownTimes(page), NAMES.map((name) => frameAt(all[name], times[index]).time));
    }
    // Step by step with the keyboard, through what only some have.
    await choose(page, { time: 0 });
    await page.focus("#stage");
    for (let k = 1; k <= 3; k++) {
        await page.keyboard.press(".");
        await settled(page);
        assert.deepEqual(await shownTimes(page), NAMES.map((name) => frameAt(all[name], times[k]).time));
    }
    // Playing moves all of them.
    await page.selectOption("#speed", "0.5");
    await page.keyboard.press("Space");
    await eventually("all runs play", async () => (await shownTimes(page)).every((time) => time > 0.1));
    await page.keyboard.press("Space");
});

check("positions of every run are those of its own frames", async ({ open }) => {
    const page = await openPage(open);
    const all = runs();
    await choose(page, { time: 0.2 });
    for (const [pane, name] of NAMES.entries()) {
        const { nodes, position } = await page.evaluate((k) => ({
            nodes: Array.from(window.brunt.sources[k].run.node), position: Array.from(window.brunt.player.frames[k].position),
        }), pane);
        const frame = frameAt(all[name], 0.2);
        const error = Math.max(...nodes.flatMap((node, v) => ["x", "y", "z"].map((axis, k) => Math.abs(frame.nodes.get(node)[axis] - position[3 * v + k]))));
        // Half a step of 1/65535 of a body's box (0.2 m here at most), and single precision of values below 1 m.
        assert.ok(error < 0.2 / STEPS / 2 + 1e-7, `${name}: positions are off by ${error} m`);
    }
});

check("the difference under the pointer is the distance of the node in the two runs", async ({ open }) => {
    const page = await openPage(open);
    const { base, light } = runs();
    await openTab(page, "compare");
    await page.getByText("Colour by difference").click();
    assert.equal((await view(page)).colour, "difference");
    for (const time of [0.07, 0.13]) {
        await choose(page, { time, pins: [] });
        const [here, there] = [frameAt(light, time), frameAt(base, time)];
        const { x, y } = await project(page, centreOf(here, "fourth"), 1);
        await page.mouse.click(x, y);
        await openTab(page, "colours");
        const row = page.locator(".pin-row");
        await row.waitFor();
        const [, name, node] = /light: (\w+), node (\d+)/.exec(await row.locator(".pin-name").textContent());
        assert.equal(name, "fourth");
        const wanted = apart(here, there, Number(node));
        assert.ok(wanted > 0.005, "nothing differs: the test sees nothing");
        // Both positions are off by half a step of 1/65535 of their boxes along each axis.
        near(quantity(await row.locator(".value").textContent(), "m"), wanted, Math.sqrt(3) * 0.2 / STEPS + 2e-7, `distance of node ${node} at ${time} s`);
    }
    // The reference has none.
    await choose(page, { pins: [{ pane: 0, vertex: 0 }] });
    assert.equal(quantity(await page.locator(".pin-row .value").textContent(), "m"), 0);
});

check("the range of the difference is that of the runs, whatever was looked at before", async ({ open }) => {
    const page = await open(reportUrl("compare-2d", "compare.html"));
    const [base, half] = ["base", "half"].map((name) => readRun(`compare-2d/${name}`));
    const moves = ["upper", "lower"];
    const largest = Math.max(...base.frames.map((frame, k) => Math.max(...[...frame.nodes.values()].filter(({ body }) => moves.includes(body))
        .map(({ node }) => apart(half.frames[k], frame, node)))));
    near(largest, table("compare-2d").runs[1].difference.max, 1e-12, "the table's largest difference");
    const node = [...base.frames[0].nodes.values()].find(({ body }) => body === "upper").node;
    assert.ok(apart(base.frames[0], base.frames.at(-1), node) > 10 * largest, "nothing moves: the test sees nothing");
    // There and back in great leaps: frames of different moments must never be compared, not even while they are loaded.
    await choose(page, { colour: "difference" });
    for (const time of [0.2, 0, 0.2, 0.1, 0, 0.16, 0.04, 0.2]) {
        await choose(page, { time });
    }
    const [low, high] = await page.evaluate(() => window.brunt.stage.range());
    assert.equal(low, 0);
    // A round number above it.
    assert.ok(high >= largest * (1 - 1e-3) && high <= 2.5 * largest, `the colours go up to ${high} m, the largest difference is ${largest} m`);
});

check("colours of the difference: the reference has one colour, the other run more", async ({ open }) => {
    const page = await openPage(open);
    const { base, light } = runs();
    await choose(page, { axes: false, colour: "difference", time: 0.13, theme: "light" });
    const seen = await picture(page);
    const colourAt = async (run, name, cube, pane) => {
        const { x, y } = await project(page, centreOf(frameAt(run, 0.13), cube), pane);
        return seen.at(x, y);
    };
    const saturation = ([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b);
    const still = saturation(await colourAt(base, "base", "fourth", 0)), moved = saturation(await colourAt(light, "light", "fourth", 1));
    // Low values are pale by design of the map.
    assert.ok(moved > still + 30, `the cube that is elsewhere has saturation ${moved}, the reference ${still}`);
});

check("where nodes cannot be compared, the page says why and shows no values", async ({ open }) => {
    const page = await openPage(open);
    const { fine } = runs();
    await choose(page, { colour: "difference", time: 0.1 });
    const why = page.locator(".pane-title").nth(2);
    assert.match(await why.textContent(), /fine.*no difference to base.*mesh/);
    // All of it, however many lines.
    const [text, stage] = [await why.boundingBox(), await stageBox(page)];
    assert.ok(text.y >= stage.y && text.y + text.height <= stage.y + stage.height + 1, "the reason is cut off");
    assert.equal(table().runs.find(({ name }) => name === "fine").difference.same_mesh, false);
    for (const k of [0, 1]) {
        assert.doesNotMatch(await page.locator(".pane-title").nth(k).textContent(), /no difference/);
    }
    const { x, y } = await project(page, centreOf(frameAt(fine, 0.1), "fourth"), 2);
    await page.mouse.move(x, y);
    const tip = page.locator(".tip:visible");
    await tip.waitFor();
    assert.equal(await tip.locator(".tip-name").textContent(), "fourth");
    assert.doesNotMatch((await tip.locator(".tip-value").allTextContents()).join(""), /\d/);
});

check("only frames of one moment are compared", async ({ open }) => {
    const page = await open(reportUrl("compare-2d", "compare.html"));
    await choose(page, { colour: "difference" });
    const worst = () => page.evaluate(() => {
        const { run } = window.brunt.sources[2];
        return Math.max(...Array.from(run.node, (_, vertex) => window.brunt.stage.valueAt(2, vertex) ?? NaN));
    });
    const title = page.locator(".pane-title").nth(2);
    for (const [time, there] of [[0.08, true], [0.1, false], [0.12, true], [0.18, false], [0.2, true]]) {
        await choose(page, { time });
        if (there) {
            // The same settings: the same run.
            assert.equal(await worst(), 0, `a difference at ${time} s`);
            assert.doesNotMatch(await title.textContent(), /no difference/);
        } else {
            assert.ok(Number.isNaN(await worst()), `a difference at ${time} s, where there is no frame`);
            assert.match(await title.textContent(), /rare.*no difference to base.*no frame/);
        }
    }
});

check("other runs as ghosts: by the switch and by its key, where the other run is, hidden bodies left out", async ({ open }) => {
    const page = await openPage(open);
    const { base, light } = runs();
    await choose(page, { axes: false, colour: "body", time: 0.13, hidden: [0, 1, 2, 4] });
    const alone = await picture(page);
    await page.focus("#stage");
    await page.keyboard.press("o");
    await settled(page);
    assert.equal((await view(page)).overlay, true);
    await page.evaluate(() => document.activeElement.blur()); // no frame about the picture
    const both = await picture(page);
    // The top of the cube that falls slower stands out above the one of the reference, seen in the reference's pane.
    const highest = Math.max(...[...base.frames[0].nodes.values()].filter(({ body }) => body === "fourth").map(({ z }) => z));
    const top = (frame) => {
        const nodes = [...base.frames[0].nodes.values()].filter(({ body, z }) => body === "fourth" && z > highest - 1e-6).map(({ node }) => frame.nodes.get(node));
        return ["x", "y", "z"].map((axis) => nodes.reduce((sum, row) => sum + row[axis], 0) / nodes.length);
    };
    const [mine, other] = await Promise.all([base, light].map((run) => project(page, top(frameAt(run, 0.13)), 0)));
    assert.ok(mine.y - other.y > 9, "the cubes are at the same place: the test sees nothing");
    assert.equal(changed(alone, both, about(other, 1), 4), 1, "no ghost above the reference's cube");
    const hidden = await project(page, centreOf(frameAt(light, 0.13), "first"), 0);
    assert.equal(changed(alone, both, about(hidden), 4), 0, "the ghost of a hidden body");
    await openTab(page, "compare");
    assert.equal(await page.isChecked("#overlay"), true);
    await page.getByText("Other runs as ghosts").click();
    await settled(page);
    assert.equal((await view(page)).overlay, false);
    assert.equal(changed(alone, await picture(page), about(other, 1), 4), 0, "the ghost is still there");
});

check("plots have a line a run, with each run's own value at the moment", async ({ open }) => {
    const page = await openPage(open);
    const all = runs();
    await openTab(page, "plots");
    const chart = page.locator('.plot[data-chart="energy"]');
    await chart.getByRole("combobox").selectOption("gravity");
    for (const time of [0.05, 0.2]) {
        await choose(page, { time });
        assert.deepEqual(await chart.locator(".key-label").allTextContents(), NAMES);
        const unit = (await chart.locator("header").textContent()).includes("kJ") ? 1000 : (await chart.locator("header").textContent()).includes("mJ") ? 1e-3 : 1;
        const values = await chart.locator(".plot-key .value").allTextContents();
        NAMES.forEach((name, k) => {
            const row = all[name].series.findLast((one) => one.time <= time + 1e-9);
            near(unit * quantity(values[k], ""), row.gravity, 1e-6, `gravity of ${name} at ${time} s`);
        });
    }
    // A line can be taken out of the plot: something is drawn for it.
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.locator("canvas").boundingBox();
    const before = await picture(page);
    await chart.locator(".plot-key").nth(1).click();
    await settled(page);
    assert.ok(changed(before, await picture(page), box) > 0.001, "hiding a line changes nothing");
});

check("the table has every run's figures, and the best ones marked as in compare.json", async ({ open }) => {
    const page = await openPage(open);
    await openTab(page, "compare");
    const { heads, rows } = await page.$$eval(".compare-table:not([id])", ([node]) => ({
        heads: [...node.querySelectorAll("thead th")].map((cell) => cell.textContent),
        rows: Object.fromEntries([...node.querySelectorAll("tbody tr:not(.group)")].map((row) => [row.querySelector("th").textContent,
            [...row.querySelectorAll("td")].map((cell) => ({ text: cell.firstChild.textContent, best: cell.classList.contains("best") }))])),
    }));
    assert.deepEqual(heads, ["Figure", ...NAMES]);
    const figures = { "Wall time": ["wall_s", "s"], "CPU time": ["cpu_s", "s"], Steps: ["steps", ""], "Contacts, most": ["contacts_max", ""],
        "Smallest gap": ["gap_min", "m"], "Iterations a step": ["iterations_per_step", ""] };
    const { best } = table();
    for (const [label, [key, unit]] of Object.entries(figures)) {
        NAMES.forEach((name, k) => near(quantity(rows[label][k].text, unit), summaryOf(name)[key], 1e-12, `${label} of ${name}`));
        const marked = NAMES.filter((_, k) => rows[label][k].best);
        // The table of the command counts three digits: what it marks too is as good as that.
        assert.ok(marked.every((name) => (best[key] ?? []).includes(name)), `${label}: ${marked} in the page, ${best[key]} in compare.json`);
        assert.equal(marked.length > 0, key in best, `${label}: marked in one of the two only`);
    }
});

check("what differs between the runs is named: settings in a table and below each picture, distances as in compare.json", async ({ open }) => {
    const page = await openPage(open);
    await openTab(page, "compare");
    const read = (id) => page.$eval(id, (node) => Object.fromEntries([...node.querySelectorAll("tbody tr")].map((row) =>
        [row.querySelector("th").textContent, [...row.querySelectorAll("td")].map((cell) => cell.textContent)])));
    // Exactly what the variants of make_runs.sh set.
    assert.deepEqual(await read("#compare-settings"), {
        gravity: ["[0, 0, -9.81]", "[0, 0, -4]", "[0, 0, -9.81]"], "time.end": ["0.3", "0.3", "0.2"],
        "meshes.cube.box.cells": ["[3, 3, 3]", "[3, 3, 3]", "[4, 4, 4]"], "output.every": ["0.01", "0.01", "0.02"],
    });
    const titles = await page.locator(".pane-title").allTextContents();
    assert.equal(titles[0], "basereference");
    assert.equal(titles[1], "lightgravity = [0, 0, -4]");
    assert.match(titles[2], /^finetime\.end = 0\.2, meshes\.cube\.box\.cells = \[4, 4, 4\]/);
    const rows = await read("#compare-difference");
    const of = (name) => table().runs.find((run) => run.name === name).difference;
    assert.equal(of("base"), null);
    assert.equal(rows["Largest"][0], "reference");
    // Three digits.
    const close = (text, value) => assert.ok(Math.abs(quantity(text, "m") - value) <= 6e-3 * value, `${text} for ${value} m`);
    close(rows["Largest"][1], of("light").max);
    close(rows["Root mean square"][1], of("light").rms);
    close(rows["Largest at the end"][1], of("light").end_max);
    assert.ok(rows["… at"][1].endsWith(of("light").max_body));
    assert.equal(rows["Largest"][2], "other mesh");
    close(rows["Largest of probes"][2], of("fine").probe_max);
});

check("ghosts do not tint the bodies they are compared with", async ({ open }) => {
    const page = await openPage(open);
    const { base, light } = runs();
    await choose(page, { axes: false, colour: "body", theme: "light", time: 0.13 });
    const alone = await picture(page);
    await choose(page, { overlay: true });
    const both = await picture(page);
    // In the middle of the reference's cube, over which the slower one's ghost hangs: away from its edges.
    const [mine, other] = await Promise.all([base, light].map((run) => project(page, centreOf(frameAt(run, 0.13), "fourth"), 0)));
    assert.ok(Math.abs(mine.y - other.y) > 4, "the cubes are at the same place: the test sees nothing");
    const inside = { x: (mine.x + other.x) / 2, y: (mine.y + other.y) / 2 };
    assert.equal(changed(alone, both, about(inside, 1), 4), 0, "the reference is tinted");
});

check("the address keeps what is seen", async ({ open }) => {
    const page = await openPage(open);
    await choose(page, { colour: "difference", overlay: true, time: 0.13, panel: "compare" });
    await eventually("the address is written", () => page.evaluate(() => location.hash.length > 1));
    await page.waitForTimeout(700); // it is written a while after the last change
    const address = page.url();
    const again = await open(address);
    const { colour, overlay, time, panel } = await view(again);
    assert.deepEqual({ colour, overlay, panel }, { colour: "difference", overlay: true, panel: "compare" });
    assert.ok(Math.abs(time - 0.13) < 1e-6);
});

check("on a phone the runs stand below each other, all of them seen", async ({ open }) => {
    const page = await openPage(open, { viewport: PHONE });
    const stage = await stageBox(page);
    const rects = await panes(page);
    assert.equal(rects.length, 3);
    rects.forEach((rect, k) => {
        assert.ok(rect.x >= 0 && rect.x + rect.width <= stage.width + 1 && rect.y + rect.height <= stage.height + 1, `pane ${k} is outside`);
        assert.ok(rect.width > 150 && rect.height > 80, `pane ${k} is too small: ${rect.width} x ${rect.height}`);
    });
    await choose(page, { axes: false, panel: null });
    const full = await picture(page);
    await choose(page, { hidden: [0, 1, 2, 3, 4] });
    const empty = await picture(page);
    for (const [k, rect] of rects.entries()) {
        const share = changed(full, empty, { x: stage.x + rect.x, y: stage.y + rect.y, width: rect.width, height: rect.height });
        assert.ok(share > 0.03, `pane ${k} shows hardly anything: ${share}`);
    }
});

await runChecks("comparison");
