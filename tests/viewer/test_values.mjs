// Numbers that the page shows are those of the run: under the pointer, pinned, in the colour bar, at contacts.
import assert from "node:assert/strict";
import { check, choose, near, openTab, picture, project, quantity, reportUrl, runChecks, settled, stageBox, view } from "./browser.mjs";
import { changed } from "./png.mjs";
import { eventually } from "./machine.mjs";
import { centreOf, readRun } from "./trajectory.mjs";

const STEPS = 65535; // of a quantised field
const tip = (page) => page.locator(".tip:visible");

/** Range of the field that is in use, to know how coarse its values are. */
const spanOf = (page, field) => page.evaluate((name) => {
    const values = window.brunt.player.frames[0].fields.get(name);
    return Math.max(...values) - Math.min(...values);
}, field);

async function colourBy(page, field) {
    await openTab(page, "colours");
    await page.check(`#colour-${field}`);
    await settled(page);
}

/** All nodes of a body have one speed, so that it does not matter which point of it is under the pointer. */
function fallsFreely(frame, name) {
    const speeds = [...frame.nodes.values()].filter(({ body }) => body === name).map(({ vx, vy, vz }) => Math.hypot(vx, vy, vz));
    return Math.max(...speeds) - Math.min(...speeds) < 1e-6;
}

check("the tip names the body under the pointer and its value", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const run = readRun("cube-stack");
    await colourBy(page, "speed");
    for (const name of ["third", "fourth"]) {
        const frame = run.frames.findLast((one) => fallsFreely(one, name));
        assert.ok(frame.step > 3, "nothing falls");
        await choose(page, { time: frame.time });
        const { x, y } = await project(page, centreOf(frame, name));
        await page.mouse.move(x, y);
        await tip(page).waitFor();
        assert.equal(await tip(page).locator(".tip-name").textContent(), name);
        const row = [...frame.nodes.values()].find(({ body }) => body === name);
        const speed = Math.hypot(row.vx, row.vy, row.vz);
        const shown = quantity(await tip(page).locator(".tip-value").textContent(), "m/s");
        near(shown, speed, 2 * await spanOf(page, "speed") / STEPS, `speed of ${name}`);
        const node = Number(/node (\d+)/.exec(await tip(page).textContent())[1]);
        assert.equal(frame.nodes.get(node).body, name);
    }
    const box = await stageBox(page);
    await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.15 * box.height);
    await page.waitForSelector(".tip", { state: "hidden" });
});

check("the tip's place is the point of the surface under the pointer", async ({ open }) => {
    const page = await open(reportUrl("rigid-mix"));
    const run = readRun("rigid-mix");
    await choose(page, { time: run.frames[0].time, hidden: [] });
    const frame = run.frames[0];
    const centre = centreOf(frame, "ball");
    const { x, y } = await project(page, centre);
    await page.mouse.move(Math.round(x), Math.round(y));
    await tip(page).waitFor();
    assert.equal(await tip(page).locator(".tip-name").textContent(), "ball");
    const [, ...point] = /\(([^,]+), ([^,]+), ([^)]+)\) m/.exec(await tip(page).textContent()).map((text) => Number(text.replace("−", "-")));
    const radius = Math.hypot(...point.map((value, k) => value - centre[k]));
    // Triangles lie inside the ball of 50 mm: at most 2 % for the icosphere that is drawn.
    assert.ok(radius < 0.0501 && radius > 0.048, `the point is ${radius} m from the ball's centre`);
});

check("components and principal values at all vertices are those of the export", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const frame = readRun("cube-stack").frames[28];
    await choose(page, { time: frame.time });
    for (const [field, column] of [["stress_zz", "stress_zz"], ["stress_1", "stress_1"], ["strain_3", "strain_3"], ["strain", "equivalent_strain"], ["pressure", "pressure"]]) {
        await choose(page, { colour: field });
        await settled(page);
        const [values, nodes] = await page.evaluate((name) => {
            const { player, sources } = window.brunt;
            return [[...player.frames[0].fields.get(name)], [...sources[0].run.node]];
        }, field);
        const exact = nodes.map((node) => frame.nodes.get(node)[column]);
        const span = Math.max(...exact.map(Math.abs));
        assert.ok(span > 0, `${column} is 0`);
        // A principal value comes of six components, each coarse by a step of its range.
        values.forEach((value, i) => near(value, exact[i], 12 * span / STEPS, `${field} of node ${nodes[i]}`));
    }
});

for (const field of ["speed", "displacement"]) {
    check(`a pinned vertex has its node's ${field}, and follows the time`, async ({ open }) => {
        const page = await open(reportUrl("cube-stack"));
        const run = readRun("cube-stack");
        const [early, late] = [run.frames[6], run.frames[28]];
        await colourBy(page, field);
        await choose(page, { time: early.time });
        const { x, y } = await project(page, centreOf(early, "first"));
        await page.mouse.click(x, y);
        const row = page.locator(".pin-row");
        await row.waitFor();
        const [, name, node] = /(\w+), node (\d+)/.exec(await row.locator(".pin-name").textContent());
        assert.equal(name, "first");
        for (const frame of [early, late]) {
            await choose(page, { time: frame.time });
            const now = frame.nodes.get(Number(node)), rest = run.frames[0].nodes.get(Number(node));
            const wanted = field === "speed" ? Math.hypot(now.vx, now.vy, now.vz) : Math.hypot(now.x - rest.x, now.y - rest.y, now.z - rest.z);
            const shown = quantity(await row.locator(".value").textContent(), field === "speed" ? "m/s" : "m");
            near(shown, wanted, await spanOf(page, field) / STEPS, `${field} of node ${node} at ${frame.time} s`);
            const place = /\(([^,]+), ([^,]+), ([^)]+)\) m/.exec(await row.textContent()).slice(1).map((text) => Number(text.replace("−", "-")));
            ["x", "y", "z"].forEach((axis, k) => near(place[k], now[axis], 2e-6, `${axis} of node ${node}`));
        }
        // The mark is where the vertex is, and a second click takes the pin away.
        const now = late.nodes.get(Number(node));
        const wanted = await project(page, [now.x, now.y, now.z]);
        const dot = await page.locator(".mark-dot").boundingBox();
        assert.ok(Math.hypot(dot.x + dot.width / 2 - wanted.x, dot.y + dot.height / 2 - wanted.y) < 2.5, "the mark is not on its vertex");
        await page.getByRole("button", { name: "Remove pin 1" }).click();
        await row.waitFor({ state: "detached" });
        await page.waitForSelector(".mark", { state: "detached" });
    });
}

check("every field colours the bodies, and the bar says what it is", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const box = await stageBox(page);
    await openTab(page, "colours");
    await choose(page, { time: 0.2, colour: "body" });
    assert.equal(await page.locator("#colour-bar").isVisible(), false);
    const plain = await picture(page);
    const labels = {
        von_mises: /stress.*\[k?Pa\]/i, strain: /strain/i, speed: /speed.*\[m\/s\]/i,
        displacement: /displacement.*\[m?m\]/i, pressure: /pressure.*\[k?Pa\]/i,
    };
    for (const [field, label] of Object.entries(labels)) {
        await page.check(`#colour-${field}`);
        await settled(page);
        assert.ok(changed(plain, await picture(page), box) > 0.01, `choosing ${field} changed nothing`);
        assert.match(await page.locator("#colour-bar").textContent(), label);
    }
});

check("a locked range stays while time passes; the range of all frames holds every value", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const run = readRun("cube-stack");
    await colourBy(page, "speed");
    // A run in contact opens without extremes.
    assert.equal((await view(page)).most, true);
    await page.click("#range-most");
    await settled(page);
    const speeds = run.frames.flatMap((frame) => [...frame.nodes.values()].map(({ vx, vy, vz }) => Math.hypot(vx, vy, vz)));
    const range = await page.evaluate(() => window.brunt.stage.range());
    near(range[1], Math.max(...speeds), 1e-4, "upper end of all frames");
    near(range[0], 0, 1e-6, "lower end of all frames");

    await choose(page, { time: 0.1 });
    const free = await picture(page);
    await page.fill("#range-low", "0.5");
    await page.press("#range-low", "Enter");
    await page.fill("#range-high", "1.25");
    await page.press("#range-high", "Enter");
    await settled(page);
    assert.deepEqual((await view(page)).range, [0.5, 1.25]);
    assert.ok(changed(free, await picture(page), await stageBox(page)) > 0.01, "another range, the same picture");
    const bar = page.locator("#colour-bar");
    assert.match(await bar.textContent(), /0\.5.*1\.25/);
    assert.match(await bar.textContent(), /locked/i);
    await page.click("#last");
    await settled(page);
    assert.deepEqual((await view(page)).range, [0.5, 1.25]);

    // Nonsense is refused, with a message, and changes nothing.
    await page.fill("#range-high", "0.1");
    await page.press("#range-high", "Enter");
    await page.getByRole("alert").waitFor();
    assert.deepEqual((await view(page)).range, [0.5, 1.25]);

    // This frame's range is that of what is seen.
    await page.getByRole("radio", { name: "This frame" }).check();
    await settled(page);
    const last = [...run.frames.at(-1).nodes.values()].map(({ vx, vy, vz }) => Math.hypot(vx, vy, vz));
    near((await view(page)).range[1], Math.max(...last), 1e-4, "upper end of the last frame");
});

check("one button leaves out extremes: what 99 % of the vertices have, of all frames or of the one shown", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await colourBy(page, "von_mises");
    const full = await page.evaluate(() => window.brunt.sources[0].run.fields.find(({ name }) => name === "von_mises").range[1]);
    // Of 24 frames, evenly from the first to the last, as the page looks at; obstacles have no stress.
    const share = (frames) => page.evaluate(async (wanted) => {
        const { run } = window.brunt.sources[0], values = [];
        for (const k of wanted) {
            const stress = (await window.brunt.sources[0].frame(k)).fields.get("von_mises");
            run.bodies.filter(({ type }) => type !== "static").forEach(({ vertexFirst, vertexCount }) =>
                values.push(...stress.slice(vertexFirst, vertexFirst + vertexCount).filter((value) => value !== 0)));
        }
        return values.sort((a, b) => a - b)[Math.floor(0.99 * (values.length - 1))];
    }, frames);
    const fits = async (frames, what) => {
        const wanted = await share(frames);
        const high = await eventually(`${what}: a range without extremes`, async () => (await view(page)).range?.[1]);
        // A round number above: the next is at most 1.5 times as large.
        assert.ok(high >= wanted * (1 - 1e-6) && high <= 1.5 * wanted, `${what}: up to ${high} Pa, 99 % have ${wanted} Pa`);
        return high;
    };
    const all = await fits(Array.from({ length: 24 }, (_, k) => Math.round((k * 30) / 23)), "all frames");
    assert.ok(all < 0.9 * full, "there are no extremes: the test sees nothing");
    assert.match(await page.locator("#colour-bar").textContent(), /99 %/);
    await page.click("#range-most");
    await settled(page);
    assert.equal((await view(page)).range, null);
    assert.equal(await page.evaluate(() => window.brunt.stage.range()[1]), full);
    // By key, and of the frame shown.
    await page.getByRole("radio", { name: "This frame" }).check();
    await page.focus("#stage");
    await page.keyboard.press("y");
    await choose(page, { time: 0.05 });
    await settled(page);
    await fits([5], "this frame");
});

check("contacts of a frame: their number, forces, smallest gap, sticking and slipping", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const run = readRun("cube-stack");
    await openTab(page, "contacts");
    for (const index of [2, 12, 30]) {
        const frame = run.frames[index];
        await choose(page, { time: frame.time });
        const facts = await page.$$eval("#panel-contacts dl.facts dt", (terms) =>
            Object.fromEntries(terms.map((term) => [term.textContent, term.nextElementSibling.textContent])));
        assert.equal(quantity(facts["Contacts"], ""), frame.contacts.length, `contacts of frame ${index}`);
        if (frame.contacts.length === 0) {
            continue;
        }
        const friction = ({ friction_x: x, friction_y: y, friction_z: z }) => Math.hypot(x, y, z);
        const sticking = frame.contacts.filter((c) => c.normal_force > 0 && c.mu > 0 && Math.hypot(c.slip_x, c.slip_y, c.slip_z) < c.stick_speed).length;
        assert.equal(quantity(facts["Sticking"], ""), sticking, `sticking contacts of frame ${index}`);
        const sum = (value) => frame.contacts.reduce((total, contact) => total + value(contact), 0);
        near(quantity(facts["Sum of normal forces"], "N"), sum((c) => c.normal_force), 1e-5 * sum((c) => Math.abs(c.normal_force)), "normal forces");
        near(quantity(facts["Sum of friction forces"], "N"), sum(friction), 1e-5 * sum(friction), "friction forces");
        near(quantity(facts["Smallest gap"], "m"), Math.min(...frame.contacts.map(({ gap }) => gap)), 1e-9, "smallest gap");
    }
});

await runChecks("values");
