// The report, opened from disk: it draws, bodies are where the run says they are, and time passes as it is told.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { check, choose, picture, project, reportUrl, runChecks, settled, stageBox, view } from "./browser.mjs";
import { eventually } from "./machine.mjs";
import { changed, distance } from "./png.mjs";
import { readRun } from "./trajectory.mjs";

const RUN_NAMES = ["two-squares", "cube-stack", "rigid-mix"];
const bodiesOf = (page) => page.evaluate(() => window.brunt.sources[0].run.bodies.map(({ name, plane }) => ({ name, plane })));

for (const name of RUN_NAMES) {
    check(`${name}: opens from disk with a picture that is not blank`, async ({ open }) => {
        const page = await open(reportUrl(name));
        const run = readRun(name);
        assert.match(await page.title(), /brunt/);
        const seen = await page.evaluate(() => {
            const { run: shown } = window.brunt.sources[0];
            return { times: shown.times, recorded: shown.recorded, live: shown.live, thinned: shown.thinned };
        });
        assert.equal(seen.recorded, run.frames.length);
        assert.deepEqual(seen.times, run.frames.map(({ time }) => time));
        assert.equal(seen.live, false);
        assert.equal(seen.thinned, null);

        await choose(page, { axes: false });
        const full = await picture(page);
        const all = (await bodiesOf(page)).map((_, k) => k);
        await choose(page, { hidden: all });
        const empty = await picture(page);
        const share = changed(full, empty, await stageBox(page));
        assert.ok(share > 0.03, `only ${(100 * share).toFixed(1)} % of the picture shows bodies`);
    });

    check(`${name}: each body fills the pixels between its outermost nodes, at the start, midway and at the end`, async ({ open }) => {
        const page = await open(reportUrl(name));
        const run = readRun(name);
        const bodies = await bodiesOf(page);
        await choose(page, { axes: false, colour: "body", hidden: bodies.map((_, k) => k) });
        const empty = await picture(page);
        const stage = await stageBox(page);
        for (const frame of [run.frames[0], run.frames[run.frames.length >> 1], run.frames.at(-1)]) {
            for (const [number, body] of bodies.entries()) {
                if (body.plane) {
                    continue; // how much of a half-space is drawn is the page's choice
                }
                await choose(page, { time: frame.time, hidden: bodies.map((_, k) => k).filter((k) => k !== number) });
                const wanted = await outline(page, frame, body.name, stage);
                const found = inked(await picture(page), empty, stage);
                // Edges are drawn up to 2 pixels wide, half of that outside.
                for (const side of ["left", "right", "top", "bottom"]) {
                    assert.ok(Math.abs(found[side] - wanted[side]) <= 3,
                        `${body.name} at ${frame.time} s: ${side} edge at pixel ${found[side]}, its nodes at ${wanted[side].toFixed(1)}`);
                }
            }
        }
    });
}

/** Box of a body's nodes on the page, as far as the stage reaches. */
async function outline(page, frame, body, box) {
    const rows = [...frame.nodes.values()].filter((row) => row.body === body);
    const inModel = await page.evaluate(() => Array.from(window.brunt.sources[0].run.node));
    const seen = new Set(inModel); // nodes inside a body, and the handles of a rigid one, are not drawn
    const points = rows.filter((row) => seen.has(row.node)).map(({ x, y, z }) => [x, y, z]);
    const places = await page.evaluate((list) => list.map((point) => window.brunt.stage.project(point)), points);
    const clamp = (at, low, size) => Math.min(Math.max(at, low), low + size - 1);
    const xs = places.map(({ x }) => clamp(box.x + x, box.x, box.width)), ys = places.map(({ y }) => clamp(box.y + y, box.y, box.height));
    return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

/** Box of the pixels that differ from an empty picture. */
function inked(full, empty, { x, y, width, height }) {
    const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
    for (let j = Math.ceil(y); j < y + height; j++) {
        for (let i = Math.ceil(x); i < x + width; i++) {
            if (distance(full.at(i, j), empty.at(i, j)) > 20) {
                box.left = Math.min(box.left, i);
                box.right = Math.max(box.right, i);
                box.top = Math.min(box.top, j);
                box.bottom = Math.max(box.bottom, j);
            }
        }
    }
    return box;
}

check("the page opens where the story is", async ({ open }) => {
    for (const [name, wanted] of [
        ["rubber-block", { time: 1, colour: "von_mises", most: false }], // equilibria: the last, by stress
        ["cube-stack", { time: 0.3, colour: "pressure", most: true }], // the cubes lie on each other at the end
    ]) {
        const page = await open(reportUrl(name));
        const { time, colour, most } = await view(page);
        assert.deepEqual({ time, colour, most }, wanted, name);
        assert.equal(await page.evaluate(() => window.brunt.player.frames[0].time), wanted.time, "the picture is of another moment");
        assert.equal(await page.locator(`#colour-${colour}`).isChecked(), true);
        // An address that says otherwise is followed.
        const other = await open(`${reportUrl(name)}#t=0.1&c=displacement&most=0`);
        assert.deepEqual([(await view(other)).time, (await view(other)).colour], [0.1, "displacement"]);
    }
});

check("the summary says what the method chose", async ({ open }) => {
    const page = await open(`${reportUrl("rigid-mix")}#tab=summary`);
    const said = JSON.parse(readFileSync(new URL(reportUrl("rigid-mix", "summary.json")), "utf8")).choices.trimEnd().split("\n");
    const shown = await page.locator("#panel-summary section", { hasText: "Chosen by the method" }).locator("li").allTextContents();
    assert.ok(said.length > 0 && said[0].includes("kappa"));
    assert.deepEqual(shown, said);
});

check("bodies have the colours that the list of bodies shows", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await page.click("#tab-bodies");
    await choose(page, { axes: false, colour: "body", time: 0 });
    const run = readRun("cube-stack");
    for (const [number, name] of ["first", "second", "third", "fourth"].entries()) {
        const swatch = await page.locator(`.body-row[data-body="${number}"] .swatch`).evaluate((el) => getComputedStyle(el).backgroundColor);
        const nodes = [...run.frames[0].nodes.values()].filter((row) => row.body === name);
        const centre = ["x", "y", "z"].map((axis) => nodes.reduce((sum, row) => sum + row[axis], 0) / nodes.length);
        const { x, y } = await project(page, centre);
        const seen = (await picture(page)).at(x, y);
        const wanted = swatch.match(/\d+/g).map(Number);
        // Light makes a colour darker or paler, but leaves its hue (measured: within 3 degrees; neighbours differ by 30 and more).
        assert.ok(hueDistance(seen, wanted) < 12, `${name} is drawn in ${seen}, its swatch is ${wanted}`);
    }
});

function hue([r, g, b]) {
    return (Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180) / Math.PI;
}

function hueDistance(a, b) {
    const d = Math.abs(hue(a) - hue(b)) % 360;
    return Math.min(d, 360 - d);
}

check("play runs to the end and stops there; with repeat it starts again", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const end = readRun("cube-stack").frames.at(-1).time;
    await choose(page, { time: 0 });
    await page.selectOption("#speed", "0.5");
    if ((await view(page)).loop) {
        await page.click("#loop");
    }
    assert.equal(await page.locator("#play").getAttribute("aria-label"), "Play");
    const start = await picture(page);
    await page.click("#play");
    await page.waitForFunction(() => window.brunt.store.get().time > 0.05 && document.querySelector("#play").ariaLabel === "Pause");
    await eventually("the end is reached and playing stops", async () => !(await view(page)).playing);
    assert.equal((await view(page)).time, end);
    await settled(page);
    assert.match(await page.textContent("#frame"), /31 \/ 31/);
    assert.ok(changed(start, await picture(page), await stageBox(page)) > 0.01, "the picture did not change");

    await page.click("#loop");
    await page.click("#play");
    await eventually("it starts again", async () => {
        const { time, playing } = await view(page);
        return playing && time < 0.2;
    });
    await page.keyboard.press("Space");
    await eventually("Space pauses", async () => !(await view(page)).playing);
});

check("the speed is kept: simulated over wall time", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await choose(page, { time: 0 });
    await page.selectOption("#speed", "0.1");
    const measured = await page.evaluate(async () => {
        const { player, store } = window.brunt;
        const pictures = [];
        player.toggle();
        while (store.get().time < 0.2) {
            await new Promise((done) => requestAnimationFrame(done));
            pictures.push([performance.now() / 1000, store.get().time]);
        }
        const gaps = pictures.slice(1).map(([wall], k) => wall - pictures[k][0]);
        const [first, last] = [pictures[0], pictures.at(-1)];
        const wall = last[0] - first[0];
        return { rate: (last[1] - first[1]) / wall, longest: Math.max(...gaps), wall };
    });
    // The clock reads the time of the browser's frames, of which the first and the last may be cut: two of the longest that was seen.
    // After a gap of more than 0.25 s (a machine with other work) it rather waits than jumps.
    const cut = 0.01 + 2 * measured.longest / measured.wall;
    const text = `${measured.rate} simulated seconds a second instead of 0.1, frames of at most ${measured.longest} s`;
    assert.ok(measured.rate < 0.1 * (1 + cut), text);
    assert.ok(measured.rate > 0.1 * (1 - cut) || measured.longest > 0.2, text);
});

check("scrubbing with the pointer goes to the frame under it", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const box = await page.locator("#scrub").boundingBox();
    await page.mouse.click(box.x + 0.5 * box.width, box.y + box.height / 2);
    await settled(page);
    const half = await view(page);
    assert.ok(Math.abs(half.time - 0.15) < 0.0151, `the middle of the slider is ${half.time} s`);
    await page.mouse.move(box.x + 0.5 * box.width, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.9 * box.width, box.y + box.height / 2, { steps: 12 });
    await page.mouse.up();
    await settled(page);
    const late = await view(page);
    assert.ok(Math.abs(late.time - 0.27) < 0.0151, `at 90 % of the slider it is ${late.time} s`);
    assert.ok(readRun("cube-stack").frames.some(({ time }) => time === late.time), "a time between frames");
    const shown = await page.evaluate(() => window.brunt.player.frames[0].time);
    assert.equal(shown, late.time);
});

check("scrubbing with keys: one frame, ten frames, both ends", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const frame = async () => {
        await settled(page);
        return page.evaluate(() => window.brunt.player.frames[0].index);
    };
    await choose(page, { time: 0 });
    await page.focus("#stage");
    for (const [key, wanted] of [[".", 1], [".", 2], [",", 1], ["End", 30], [".", 30], ["Home", 0], [",", 0]]) {
        await page.keyboard.press(key);
        assert.equal(await frame(), wanted, `after '${key}' in the picture`);
    }
    await page.focus("#scrub");
    for (const [key, wanted] of [["ArrowRight", 1], ["PageUp", 11], ["ArrowLeft", 10], ["PageDown", 0], ["End", 30], ["Home", 0]]) {
        await page.keyboard.press(key);
        assert.equal(await frame(), wanted, `after '${key}' on the slider`);
    }
});

check("jumping about shows each frame as it is, whatever was shown before", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const run = readRun("cube-stack");
    for (const index of [30, 3, 17, 17, 0, 29, 1]) {
        await choose(page, { time: run.frames[index].time });
        const worst = await page.evaluate(() => {
            const { frames } = window.brunt.player;
            const { run: shown } = window.brunt.sources[0];
            return { index: frames[0].index, nodes: Array.from(shown.node), position: Array.from(frames[0].position) };
        });
        assert.equal(worst.index, index);
        let error = 0;
        worst.nodes.forEach((node, v) => {
            const row = run.frames[index].nodes.get(node);
            error = Math.max(error, ...["x", "y", "z"].map((axis, k) => Math.abs(row[axis] - worst.position[3 * v + k])));
        });
        // Half a step of 1/65535 of a body's box (0.2 m here at most), and single precision of values below 1 m.
        assert.ok(error < 0.2 / 65535 / 2 + 1e-7, `positions are off by ${error} m`);
    }
});

await runChecks("report");
