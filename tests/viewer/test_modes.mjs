// Modes of vibration on the page: they swing, one of a list is shown with its figures, as far as a person wants.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, choose, near, openTab, PHONE, picture, quantity, reportUrl, runChecks, settled, view } from "./browser.mjs";
import { eventually, RUNS } from "./machine.mjs";

const LENGTH = 0.05; // [m] of the beam, held at x = 0
const modesOf = (name) => JSON.parse(readFileSync(join(RUNS, name, "modes.json"), "utf8")).modes;
const STILL = "#t=0"; // an address that names a phase does not play
const row = (page, number) => page.locator(`.mode-row[data-mode="${number}"]`);
const chosen = (page) => page.locator(".mode-row.chosen");

/** How far vertices are from rest: the farthest, and the farthest of those that are held; [m]. */
const reach = (page) => page.evaluate(() => {
    const { position } = window.brunt.player.frames[0], { rest } = window.brunt.sources[0].run;
    let all = 0, held = 0;
    for (let i = 0; i < rest.length; i += 3) {
        const far = Math.hypot(...[0, 1, 2].map((k) => position[i + k] - rest[i + k]));
        all = Math.max(all, far);
        held = rest[i] < 1e-9 ? Math.max(held, far) : held;
    }
    return { all, held };
});
const tip = (page) => page.evaluate(() => {
    const { position } = window.brunt.player.frames[0], { rest } = window.brunt.sources[0].run;
    const last = Array.from({ length: rest.length / 3 }, (_, v) => v).reduce((best, v) => (rest[3 * v] > rest[3 * best] ? v : best), 0);
    return [0, 1, 2].map((k) => position[3 * last + k] - rest[3 * last + k]);
});

/** Pixels of the bodies' picture that differ. */
async function differ(page, a, b) {
    const box = await page.locator("#stage").boundingBox();
    let count = 0;
    for (let y = Math.ceil(box.y); y < box.y + box.height - 1; y += 2) {
        for (let x = Math.ceil(box.x); x < box.x + box.width - 1; x += 2) {
            const [one, two] = [a.at(x, y), b.at(x, y)];
            count += one.some((value, k) => Math.abs(value - two[k]) > 12) ? 1 : 0;
        }
    }
    return count;
}

check("a mode swings from the start; the page says which, and its frequency", async ({ open }) => {
    const page = await open(reportUrl("modes"), { ready: false });
    await page.waitForFunction(() => window.brunt?.metrics.firstPicture > 0);
    assert.equal((await view(page)).playing, true);
    const [first] = modesOf("modes");
    near(quantity((await page.locator("#time").textContent()).replace("Mode 1: ", ""), "Hz"), first.frequency, 0, "frequency");
    const phases = new Set();
    await eventually("phases go by", async () => phases.add(await page.locator("#frame").textContent()).size > 3);
    assert.ok([...phases].every((text) => /^phase \d+°$/.test(text)));
    await page.keyboard.press("Space");
    await settled(page);
    const { time, playing } = await view(page);
    assert.equal(playing, false);
    await page.waitForTimeout(200);
    assert.equal((await view(page)).time, time, "a pause is one");
    assert.match(await page.locator("#colour-bar").textContent(), /^Relative displacement/);
    assert.equal(await page.locator("#tab-plots, #tab-contacts, #tab-summary, #tab-stages").count(), 0);
});

check("the bodies move by the shape times the amplitude and the cosine of the phase", async ({ open }) => {
    const page = await open(reportUrl("modes") + STILL);
    assert.equal((await view(page)).playing, false);
    // A shape has 16 bits; a tenth of the beam's length is where its largest displacement is drawn.
    const slack = 1e-4 * LENGTH;
    for (const amplitude of [0.1, 0.3]) {
        await choose(page, { amplitude, time: 0 });
        const { all, held } = await reach(page);
        assert.ok(Math.abs(all - amplitude * LENGTH) < slack, `${all}`);
        assert.ok(held < 1e-8, "what is held stays, but for the rounding of positions");
    }
    const there = await tip(page);
    await choose(page, { time: 0.5 });
    const back = await tip(page);
    there.forEach((u, k) => assert.ok(Math.abs(u + back[k]) < slack, `${there} and ${back}`));
    await choose(page, { time: 0.25 });
    assert.ok((await reach(page)).all < slack, "half way it is at rest");
    await choose(page, { time: 0.125 });
    assert.ok(Math.abs((await reach(page)).all - Math.SQRT1_2 * 0.3 * LENGTH) < slack);
});

check("one sees it: other pixels at the other end of the swing and in another mode", async ({ open }) => {
    const page = await open(reportUrl("modes") + STILL);
    const [up, again] = [await picture(page), await picture(page)];
    await choose(page, { time: 0.5 });
    const down = await picture(page);
    await choose(page, { time: 0, mode: 2 });
    const other = await picture(page);
    assert.equal(await differ(page, up, again), 0);
    assert.ok((await differ(page, up, down)) > 2000);
    assert.ok((await differ(page, up, other)) > 2000);
});

check("the list has the figures of modes.json; a click, arrow keys, < and > choose", async ({ open }) => {
    const page = await open(reportUrl("modes") + STILL);
    const modes = modesOf("modes");
    assert.equal(await page.locator(".mode-row[data-mode]").count(), modes.length);
    const unit = await page.locator(".mode-head .num").nth(1).textContent();
    for (const mode of modes) {
        const [number, frequency, damped, ratio] = await row(page, mode.mode).locator(".num").allTextContents();
        assert.equal(number, String(mode.mode));
        near(quantity(`${frequency} ${unit}`, "Hz"), mode.frequency, 0, "frequency");
        if (mode.ratio >= 1) {
            assert.equal(damped, "overdamped");
        } else {
            near(quantity(`${damped} ${unit}`, "Hz"), mode.damped, 0, "damped");
        }
        // Three digits.
        assert.ok(Math.abs(parseFloat(ratio) / 100 - mode.ratio) <= 5.01e-3 * mode.ratio, ratio);
    }
    assert.ok(modes.some((mode) => mode.ratio < 1) && modes.some((mode) => mode.ratio >= 1), "both kinds are there");
    const shows = async (number) => {
        await settled(page);
        assert.equal((await view(page)).mode, number - 1);
        assert.equal(await chosen(page).getAttribute("data-mode"), String(number));
        assert.match(await page.locator("#time").textContent(), new RegExp(`^Mode ${number}: `));
        assert.match(await page.locator("#mode-figures").textContent(), new RegExp(`^Mode ${number}Frequency`));
    };
    await row(page, 3).click();
    await shows(3);
    await page.keyboard.press("ArrowDown");
    await shows(4);
    await page.locator("#stage").focus();
    await page.keyboard.press(">");
    await shows(1); // round
    await page.keyboard.press("<");
    await shows(4);
    await page.keyboard.press("?");
    assert.match(await page.locator("#help-sheet").textContent(), /<previous mode>next modeQsmaller swingElarger swing/);
    // What it is made of, kinetic energy and masses, stands below: of the first mode across the beam most of the mass takes part.
    await page.keyboard.press("Escape");
    await row(page, 1).click();
    await settled(page);
    const masses = await page.locator("#mode-figures dd").allTextContents();
    modes[0].effective_mass.forEach((wanted, k) => near(quantity(masses[5 + k], "g") / 1000, wanted, 1e-12, "effective mass"));
    near(quantity(masses[4], "g") / 1000, modes[0].mass, 0, "modal mass");
});

check("the amplitude: by the slider and by keys; the address keeps it and the mode", async ({ open }) => {
    const page = await open(reportUrl("modes") + STILL);
    await page.locator("#amplitude").fill("0.2");
    await settled(page);
    assert.ok(Math.abs((await reach(page)).all - 0.2 * LENGTH) < 1e-4 * LENGTH);
    await page.locator("#stage").focus();
    await page.keyboard.press("e");
    await settled(page);
    assert.equal((await view(page)).amplitude, 0.25);
    await page.keyboard.press("q");
    await page.keyboard.press(">");
    await settled(page);
    assert.equal((await view(page)).amplitude, 0.2);
    await eventually("the address has it", () => /mode=2&amp=0\.2$/.test(page.url()));
    const other = await open(page.url(), { ready: false });
    await other.waitForFunction(() => window.brunt?.metrics.firstPicture > 0);
    const { mode, amplitude, playing } = await view(other);
    assert.deepEqual([mode, amplitude, playing], [1, 0.2, true], "the phase at the start is none that one asks for");
    // Also what is chosen while it swings.
    await row(other, 3).click();
    await eventually("the address follows", () => /mode=3&amp=0\.2$/.test(other.url()));
});

check("colours: how far along an axis, on two sides of 0; the same at every phase", async ({ open }) => {
    const page = await open(`${reportUrl("modes")}${STILL}&c=displacement_z`);
    assert.deepEqual(await page.evaluate(() => window.brunt.stage.scale().range), [-1, 1]);
    const values = () => page.evaluate(() => Array.from(window.brunt.stage.scenes[0].values));
    const before = await values();
    await choose(page, { time: 0.3 });
    assert.deepEqual(await values(), before);
    await openTab(page, "colours");
    assert.deepEqual(await page.locator(".choice input").evaluateAll((all) => all.map((one) => one.value)),
        ["body", "displacement", "displacement_x", "displacement_y", "displacement_z"]);
});

check("free: rigid motions are listed, and the first elastic mode is shown", async ({ open }) => {
    const page = await open(reportUrl("modes-free") + STILL);
    assert.equal(await page.locator(".mode-rigid").count(), 6);
    assert.equal(await chosen(page).getAttribute("data-mode"), "7");
    await row(page, 1).click();
    await settled(page);
    assert.equal(await page.locator("#time").textContent(), "Mode 1: rigid");
    assert.match(await page.locator("#mode-figures").textContent(), /Frequencyrigid motionDamped frequency–/);
});

check("on a phone, and for who wants no motion", async ({ open }) => {
    const page = await open(reportUrl("modes"), { viewport: PHONE, reducedMotion: "reduce" });
    assert.equal((await view(page)).playing, false);
    assert.equal(await page.locator("#frame").textContent(), "phase 0°");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no sideways scrolling");
    await openTab(page, "modes");
    await row(page, 2).click();
    await settled(page);
    assert.equal((await view(page)).mode, 1);
});

check("a picture is named after its mode", async ({ open }) => {
    const page = await open(reportUrl("modes") + STILL);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#screenshot")]);
    assert.equal(download.suggestedFilename(), "modes-mode-1.png");
});

await runChecks("modes");
