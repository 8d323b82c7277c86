// `brunt view SCENE`: a simulation under one's hands. It runs whether or not anybody looks.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check, openTab, project, runChecks, settled } from "./browser.mjs";
import { eventually, PATIENCE, ROOT } from "./machine.mjs";
import { relay } from "./relay.mjs";

const SCENE = join(ROOT, "tests", "viewer", "scenes", "live");
const GONE = [/request failed/, /WebSocket|ERR_CONNECTION|Failed to load resource/];

const link = (page) => page.evaluate(() => {
    const { connected, state } = window.brunt.sources[0].live;
    return { connected, ...state };
});

/** Mean position of a body in the frame that is shown. */
const centre = (page, body) => page.evaluate((name) => {
    const { bodies } = window.brunt.sources[0].run;
    const { vertexFirst, vertexCount } = bodies.find((one) => one.name === name);
    const { position } = window.brunt.player.frames[0];
    return [0, 1, 2].map((axis) => {
        let sum = 0;
        for (let v = vertexFirst; v < vertexFirst + vertexCount; v++) {
            sum += position[3 * v + axis];
        }
        return sum / vertexCount;
    });
}, body);

const until = (page, what, test, ...args) => page.waitForFunction(test, args.length === 1 ? args[0] : args, { timeout: PATIENCE }).catch((error) => {
    throw new Error(`${what}: ${error.message}`);
});

/** At real time: frames come one by one, and a test that takes a second is not at the end of the world. */
async function openLive({ open, serve }, address = (url) => url, ...args) {
    const server = await serve(SCENE, "--no-open", ...args);
    const page = await open(await address(server.url), { expected: GONE });
    await until(page, "connected", () => window.brunt.sources[0].live.state !== null);
    await page.evaluate(() => window.brunt.sources[0].live.send("speed 1"));
    return { server, page };
}

const pause = async (page) => {
    await page.click("#live-run");
    await until(page, "paused", () => window.brunt.sources[0].live.state.running === false);
    // What was under way is drawn: the frame shown is the state's.
    await until(page, "the last frame", () => {
        const { state } = window.brunt.sources[0].live;
        return Math.abs(window.brunt.player.frames[0].time - state.time) < 1e-9 && window.brunt.player.settled;
    });
};

check("it runs, pauses, goes step by step and runs again", async (tools) => {
    const { page } = await openLive(tools);
    await until(page, "time passes", () => window.brunt.store.get().time > 0.1);
    assert.match(await page.textContent("#live-state"), /running/);
    await pause(page);
    assert.match(await page.textContent("#live-state"), /paused/);
    const at = await link(page);
    await page.waitForTimeout(300);
    assert.equal((await link(page)).step, at.step, "it goes on while it is paused");
    await page.click("#live-step");
    await until(page, "one step", (step) => window.brunt.player.frames[0].step === step, at.step + 1);
    await page.focus("#stage");
    await page.keyboard.press("n");
    await until(page, "another step", (step) => window.brunt.player.frames[0].step === step, at.step + 2);
    await page.keyboard.press("s");
    await until(page, "it runs again", (step) => window.brunt.player.frames[0].step > step + 20, at.step);
});

check("the speed is kept to", async (tools) => {
    const { page } = await openLive(tools);
    for (const speed of [0.25, 1]) {
        await openTab(page, "live");
        await page.selectOption("#live-speed", String(speed));
        await until(page, "the server knows", (wanted) => window.brunt.sources[0].live.state.speed === wanted, speed);
        await page.waitForTimeout(400);
        const [wall, { time }] = [Date.now(), await link(page)];
        await page.waitForTimeout(1500);
        const rate = ((await link(page)).time - time) / ((Date.now() - wall) / 1000);
        // States come several times a second: 0.2 s of 1.5 s. A machine with other work may be slower, never faster.
        assert.ok(rate < 1.2 * speed, `${rate} simulated seconds a second at speed ${speed}`);
        assert.ok(rate > 0.3 * speed, `${rate} simulated seconds a second at speed ${speed}`);
    }
});

check("a dragged body follows the pointer, and is let go", async (tools) => {
    const { page } = await openLive(tools);
    await until(page, "time passes", () => window.brunt.store.get().time > 0.05);
    for (const [body, how] of [["cube", "alt"], ["puck", "grab mode"]]) {
        const before = await centre(page, body);
        const start = await project(page, before);
        const target = { x: start.x + 90, y: start.y - 40 };
        if (how === "alt") {
            await page.keyboard.down("Alt");
        } else {
            await page.click("#live-grab");
        }
        await page.mouse.move(start.x, start.y);
        await page.mouse.down();
        await page.mouse.move(target.x, target.y, { steps: 8 });
        const camera = await page.evaluate(() => window.brunt.stage.camera());
        await eventually(`the ${body} comes to the pointer`, async () => {
            const now = await project(page, await centre(page, body));
            return Math.hypot(now.x - target.x, now.y - target.y) < 0.4 * Math.hypot(90, 40);
        });
        assert.deepEqual(await page.evaluate(() => window.brunt.stage.camera()), camera, "the camera turned instead");
        await page.mouse.up();
        await page.keyboard.up("Alt");
        if (how !== "alt") {
            await page.click("#live-grab");
        }
        // Let go: the pointer may leave without it.
        const held = await centre(page, body);
        await page.mouse.move(start.x, start.y + 150);
        await page.waitForTimeout(500);
        const left = await centre(page, body);
        // Without gravity it drifts on, at most as fast as it came.
        const wanted = await project(page, left), pointer = { x: start.x, y: start.y + 150 };
        assert.ok(Math.hypot(wanted.x - pointer.x, wanted.y - pointer.y) > 60, `the ${body} follows a pointer that let go (${held} to ${left})`);
    }
});

check("gravity, friction, motions and obstacles can be changed while it runs", async (tools) => {
    const { page } = await openLive(tools);
    await openTab(page, "live");
    const before = await centre(page, "puck");
    await page.getByRole("button", { name: "−z", exact: true }).click();
    await until(page, "gravity is set", () => window.brunt.sources[0].live.state.gravity[2] < -1);
    await eventually("the puck falls", async () => (await centre(page, "puck"))[2] < before[2] - 0.05);
    await page.getByRole("button", { name: "none", exact: true }).click();
    await until(page, "gravity is off", () => window.brunt.sources[0].live.state.gravity.every((value) => value === 0));

    await page.getByRole("slider", { name: "All pairs" }).fill("0.8");
    await until(page, "friction is set", () => window.brunt.sources[0].live.state.friction.every(({ value }) => Math.abs(value - 0.8) < 1e-9));

    await page.getByRole("slider", { name: "paddle", exact: true }).fill("0");
    await until(page, "the motion stops", () => window.brunt.sources[0].live.state.motions[0].speed === 0);
    const corner = () => page.evaluate(() => {
        const { vertexFirst } = window.brunt.sources[0].run.bodies[3];
        return Array.from(window.brunt.player.frames[0].position.slice(3 * vertexFirst, 3 * vertexFirst + 3));
    });
    // Not a frame that was under way when it stopped.
    await until(page, "a frame of the time after", (from) => window.brunt.player.frames[0].step > from, (await link(page)).step);
    const rest = await corner();
    const step = (await link(page)).step;
    await until(page, "some steps", (from) => window.brunt.player.frames[0].step > from + 15, step);
    (await corner()).forEach((value, axis) => assert.ok(Math.abs(value - rest[axis]) < 1e-5, "a stopped paddle turns on"));

    const plate = await centre(page, "plate");
    await page.locator('details.obstacle[data-body="2"] summary').click();
    await page.locator('details.obstacle[data-body="2"]').getByRole("slider", { name: "z [m]" }).fill("-0.1");
    await eventually("the plate moves", async () => Math.abs((await centre(page, "plate"))[2] - (plate[2] - 0.1)) < 0.02);
});

check("start again from the beginning", async (tools) => {
    const { page } = await openLive(tools);
    await until(page, "time passes", () => window.brunt.store.get().time > 0.3);
    await page.click("#live-reset");
    await until(page, "it starts again", () => window.brunt.player.frames[0].time < 0.2 && window.brunt.sources[0].live.state.time < 0.25);
    await until(page, "and runs", () => window.brunt.player.frames[0].time > 0.25);
    const times = await page.evaluate(() => window.brunt.sources[0].run.times);
    assert.ok(times.every((time, k) => k === 0 || time > times[k - 1]), "times of the old run are left");
});

check("one may look back while it runs, and return to the newest", async (tools) => {
    const { page } = await openLive(tools);
    await until(page, "some frames", () => window.brunt.player.times.length > 12);
    await page.click("#first");
    await settled(page);
    const [index, time] = await page.evaluate(() => [window.brunt.player.frames[0].index, window.brunt.store.get().time]);
    await page.waitForTimeout(500);
    assert.equal((await page.evaluate(() => window.brunt.store.get().time)), time, "the past does not stay");
    assert.equal((await page.evaluate(() => window.brunt.player.frames[0].index)), index);
    await page.click("#newest");
    await until(page, "the newest again", (before) => window.brunt.store.get().time > before + 0.3, time);
});

check("a page that is closed, opened again or reloaded: the simulation went on", async ({ open, serve }) => {
    const { server, page } = await openLive({ open, serve });
    await until(page, "time passes", () => window.brunt.store.get().time > 0.2);
    const { time } = await link(page);
    await page.context().close();
    await new Promise((done) => setTimeout(done, 700));
    const again = await open(server.url, { expected: GONE });
    await until(again, "it went on", (before) => window.brunt.sources[0].live.state?.time > before + 0.2, time);
    await again.reload();
    await settled(again);
    await until(again, "after a reload too", (before) => window.brunt.player.frames[0]?.time > before + 0.25, time);
    assert.ok(server.running());
});

check("a lost connection is tried again until it is back", async (tools) => {
    let wire = null;
    try {
        const { page } = await openLive(tools, async (url) => (wire = await relay(url)).url);
        await until(page, "time passes", () => window.brunt.store.get().time > 0.1);
        for (let k = 0; k < 2; k++) {
            const { step } = await link(page);
            wire.cut();
            await until(page, "the page notices", () => /reconnecting/.test(document.querySelector("#live-state").textContent)
                || window.brunt.sources[0].live.connected);
            await until(page, "frames come again", (before) =>
                window.brunt.sources[0].live.connected && window.brunt.player.frames[0].step > before + 10, step);
        }
        await pause(page);
    } finally {
        wire?.close();
    }
});

check("the server ends: the page says so and keeps what it has", async (tools) => {
    const { server, page } = await openLive(tools);
    await until(page, "some frames", () => window.brunt.player.times.length > 5);
    const { code, signal } = await server.end("SIGINT");
    assert.ok(code === 0 || code === 130 || signal === "SIGINT", `ended with ${code} ${signal}`);
    await until(page, "the page says so", () => /reconnecting/.test(document.querySelector("#live-state").textContent));
    await page.click("#first");
    await settled(page);
    assert.ok(await page.evaluate(() => window.brunt.player.frames[0] !== null));
});

check("a page that hangs does not hold the simulation up; it gets the newest frame after that", async (tools) => {
    const { page } = await openLive(tools);
    await until(page, "time passes", () => window.brunt.store.get().time > 0.1);
    const before = await link(page);
    await page.evaluate(() => {
        const end = performance.now() + 1500;
        while (performance.now() < end) {
            // nothing else happens in the page
        }
    });
    await until(page, "it went on meanwhile", (time) => window.brunt.sources[0].live.state.time > time + 0.4, before.time);
    await until(page, "and the page caught up", () => window.brunt.sources[0].live.state.time - window.brunt.player.frames[0].time < 0.5);
    // Frames that came too late for the page were dropped, not queued.
    await until(page, "dropped frames are counted", (dropped) => window.brunt.sources[0].live.state.dropped > dropped + 10, before.dropped);
});

await runChecks("live");
