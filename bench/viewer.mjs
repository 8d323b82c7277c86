// Measures the page on a large run: bench/viewer/scene.yaml, 100 000 triangles in 300 frames. Prints a table with the goals.
// Usage: node bench/viewer.mjs [FOLDER]     where the run is, or will be made (default: out/viewer-bench)
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BRUNT, launch, ROOT, startServer } from "../tests/viewer/machine.mjs";

const folder = resolve(process.argv[2] ?? join(ROOT, "out", "viewer-bench"));
const SCENE = join(ROOT, "bench", "viewer");
const WITHOUT_REPORT = ["--no-report"];
const SCRUBS = 60; // frames jumped to
const LOOK = 6000; // [ms] at a live simulation
const rows = [];

function row(what, value, unit, goal = null) {
    rows.push({ what, value: `${value.toPrecision(3)} ${unit}`, goal: goal === null ? "" : `< ${goal} ${unit}`, met: goal === null || value < goal });
}

function run(out, ...args) {
    const start = Date.now();
    const { status } = spawnSync(BRUNT, ["run", SCENE, "--out", out, "--overwrite", "--quiet", ...args], { stdio: "inherit" });
    if (status !== 0) {
        throw new Error("the run failed");
    }
    return (Date.now() - start) / 1000;
}

/** Makes the run if needed: with its report and without, to show what the report costs. */
function makeRun() {
    if (existsSync(join(folder, "report.html"))) {
        return;
    }
    const without = run(folder, ...WITHOUT_REPORT), whole = run(folder);
    row("making the run without its report", without, "s");
    row("making the run with its report", whole, "s");
    row("  slower by", 100 * (whole / without - 1), "%", 5);
}

const ready = (page) => page.waitForFunction(() => window.brunt?.metrics.firstPicture > 0, null, { timeout: 120000 });

/** Jumps about: each frame is decoded and uploaded afresh. Figures from the page itself. */
async function scrub(page) {
    return page.evaluate(async (count) => {
        const { player, store, metrics } = window.brunt;
        const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
        const times = player.times;
        metrics.reset();
        const waits = [];
        for (let k = 0; k < count; k++) {
            // A step coprime to the number of frames: never the frame before, never one twice.
            const time = times[(k * 127 + 64) % times.length];
            const start = performance.now();
            store.set({ time });
            do {
                await nextFrame();
            } while (!player.settled);
            waits.push(performance.now() - start);
        }
        waits.sort((a, b) => a - b);
        return { frames: times.length, decode: metrics.decode, upload: metrics.upload, draw: metrics.draw, wait: waits[waits.length >> 1] };
    }, SCRUBS);
}

const openPage = async (browser, url) => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    page.on("pageerror", (error) => console.error(`${url}: ${error.message}`));
    await page.goto(url);
    await ready(page);
    return page;
};

async function measure(name, url, firstGoal) {
    // A browser just started must also start its drawing, and compiles the page's shaders for the first time.
    const browser = await launch();
    try {
        for (const state of ["browser just started", "opened again"]) {
            const page = await openPage(browser, url);
            row(`${name}: first picture, ${state}`, await page.evaluate(() => window.brunt.metrics.firstPicture) / 1000, "s", firstGoal);
            await page.close();
        }
        const page = await openPage(browser, url);
        const triangles = await page.evaluate(() => window.brunt.sources[0].run.tri.length / 3);
        const costs = await scrub(page);
        console.log(`${name}: ${triangles} triangles, ${costs.frames} frames; ${costs.decode.count} decoded in ${SCRUBS} jumps`);
        row(`${name}: decode and upload a frame, mean`, costs.decode.mean + costs.upload.mean, "ms", 33);
        row(`${name}:   decode, mean`, costs.decode.mean, "ms");
        row(`${name}:   decode, largest`, costs.decode.max, "ms");
        row(`${name}:   upload, mean`, costs.upload.mean, "ms");
        row(`${name}:   upload, largest`, costs.upload.max, "ms");
        row(`${name}: a picture, drawn in software, mean`, costs.draw.mean, "ms");
        row(`${name}: from the wish to the picture, median`, costs.wait, "ms");
    } finally {
        await browser.close();
    }
}

/** Steps a second of a live simulation: watched, by a page that hangs, by nobody. None of them may hold it up. */
async function measureLive() {
    const browser = await launch();
    // Half the step: the scene ends before its explicit integrator becomes unstable, this run does not.
    const server = await startServer([SCENE, "--no-open", "--set", "time.end=1e3", "--set", "time.step=5e-4"]);
    const state = (page) => page.evaluate(() => ({ ...window.brunt.sources[0].live.state, shown: window.brunt.sources[0].live.arrivals }));
    const freshState = async (page) => {
        const { step } = await state(page);
        await page.waitForFunction((before) => window.brunt.sources[0].live.state.step > before, step, { timeout: 120000 });
        return { ...await state(page), wall: Date.now() };
    };
    const rate = (from, to, what) => (to[what] - from[what]) / ((to.wall - from.wall) / 1000);
    try {
        let page = await openPage(browser, server.url);
        await page.waitForFunction(() => window.brunt.sources[0].live.state?.step > 5, null, { timeout: 120000 });
        const first = await freshState(page);
        await page.waitForTimeout(LOOK);
        const looked = await freshState(page);
        await page.evaluate((time) => {
            const end = performance.now() + time;
            while (performance.now() < end) {
                // nothing else happens in the page
            }
        }, LOOK);
        const hung = await freshState(page);
        await page.close();
        await new Promise((done) => setTimeout(done, LOOK));
        page = await openPage(browser, server.url);
        await page.waitForFunction(() => window.brunt.sources[0].live.state !== null);
        const alone = await freshState(page);
        console.log(`live: ${await page.evaluate(() => window.brunt.sources[0].run.rest.length / 3)} vertices`);
        row("live: steps a second, watched", rate(first, looked, "step"), "1/s");
        row("live: frames drawn a second", rate(first, looked, "shown"), "1/s");
        row("live: frames dropped a second", rate(first, looked, "step") - rate(first, looked, "shown"), "1/s");
        row("live: steps a second while the page hangs", rate(looked, hung, "step"), "1/s");
        row("live: steps a second, unwatched", rate(hung, alone, "step"), "1/s");
    } finally {
        await browser.close();
        await server.end();
    }
}

makeRun();
const server = await startServer([folder, "--no-open"]);
try {
    await measure("served", server.url, 2);
} finally {
    await server.end();
}
const report = join(folder, "report.html");
row("report: size", statSync(report).size / 1e6, "MB", 25);
await measure("report", pathToFileURL(report).href, 5);
await measureLive();
const width = Math.max(...rows.map(({ what }) => what.length));
for (const { what, value, goal, met } of rows) {
    console.log(`${what.padEnd(width)}  ${value.padStart(10)}  ${goal.padEnd(10)}  ${goal === "" ? "" : met ? "met" : "MISSED"}`.trimEnd());
}
process.exitCode = rows.every(({ met }) => met) ? 0 : 1;
