// `brunt view DIR`: the same page through the server, frames fetched as they are looked at.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check, choose, picture, reportUrl, runChecks, settled, stageBox, view } from "./browser.mjs";
import { RUNS } from "./machine.mjs";
import { changed } from "./png.mjs";
import { readRun } from "./trajectory.mjs";

const RUN = join(RUNS, "cube-stack");

check("the page that is served shows what the report shows", async ({ open, serve }) => {
    const server = await serve(RUN, "--no-open");
    const hash = "#t=0.21&c=displacement&tab=bodies";
    const [served, report] = [await open(server.url + hash), await open(reportUrl("cube-stack") + hash)];
    assert.deepEqual(await served.evaluate(() => window.brunt.sources[0].run.times), await report.evaluate(() => window.brunt.sources[0].run.times));
    assert.equal(changed(await picture(served), await picture(report), await stageBox(report)) < 1e-4, true, "the pictures differ");
    assert.equal((await view(served)).time, 0.21);
    // It ends when it is told to.
    const { code, signal } = await server.end("SIGINT");
    assert.ok(code === 0 || code === 130 || signal === "SIGINT", `ended with ${code} ${signal}`);
});

check("frames are fetched when they are wanted, and once", async ({ open, serve }) => {
    const server = await serve(RUN, "--no-open");
    const asked = [];
    const page = await open("about:blank", { ready: false, expected: [/elsewhere/] });
    page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").slice(2).join("/")));
    await page.goto(server.url);
    await settled(page);
    assert.ok(asked.filter((path) => path.startsWith("frame/")).length <= 4, `the first picture needs one frame, asked for: ${asked}`);
    const times = await page.evaluate(() => window.brunt.player.times);
    await choose(page, { time: times[25] });
    await choose(page, { time: times[9] });
    await choose(page, { time: times[25] });
    for (const index of [25, 9]) {
        assert.equal(asked.filter((path) => path === `frame/${index}`).length, 1, `frame ${index} was asked for again and again`);
    }
    // Wild scrubbing: only what is looked at is fetched, and the last wish is what is seen.
    const before = asked.length;
    await page.evaluate(async () => {
        const { player, store } = window.brunt;
        for (let k = 0; k < 200; k++) {
            store.set({ time: player.times[(7 * k) % 31] });
            await new Promise((done) => setTimeout(done, 1));
        }
        store.set({ time: player.times[13] });
    });
    await settled(page);
    assert.equal(await page.evaluate(() => window.brunt.player.frames[0].index), 13);
    assert.ok(asked.length - before <= 31, "frames were asked for twice");
    assert.ok(server.running());
});

check("play fetches ahead and shows every moment", async ({ open, serve }) => {
    const server = await serve(RUN, "--no-open");
    const page = await open(server.url);
    await page.selectOption("#speed", "0.1");
    if ((await view(page)).loop) {
        await page.click("#loop");
    }
    await page.click("#play");
    await page.waitForFunction(() => !window.brunt.store.get().playing && window.brunt.store.get().time > 0);
    await settled(page);
    assert.equal(await page.evaluate(() => window.brunt.player.frames[0].index), 30);
});

check("a server that is gone: what was seen stays, and the page says what is missing", async ({ open, serve }) => {
    const server = await serve(RUN, "--no-open");
    const page = await open(server.url, { expected: [/request failed/, /Failed to load resource|ERR_CONNECTION/] });
    const run = readRun("cube-stack");
    await choose(page, { time: run.frames[20].time });
    const before = await picture(page);
    await server.end("SIGKILL");
    await page.evaluate((time) => window.brunt.store.set({ time }), run.frames[28].time);
    await page.getByRole("alert").waitFor();
    await choose(page, { time: run.frames[20].time });
    assert.ok(changed(before, await picture(page), await stageBox(page)) < 1e-4, "the frame that was there is gone too");
});

await runChecks("served");
