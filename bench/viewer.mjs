// Measures the page on a large run: bench/viewer/scene.yaml, 100 000 triangles in 300 frames. Prints a table with the goals.
// Usage: node bench/viewer.mjs [FOLDER]     the run is made there unless it is there already (default: out/viewer-bench)
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BRUNT, launch, ROOT, startServer } from "../tests/viewer/machine.mjs";

const folder = resolve(process.argv[2] ?? join(ROOT, "out", "viewer-bench"));
const SCRUBS = 60; // frames jumped to
const rows = [];

function row(what, value, unit, goal = null) {
    rows.push({ what, value: `${value.toPrecision(3)} ${unit}`, goal: goal === null ? "" : `< ${goal} ${unit}`, met: goal === null || value < goal });
}

function makeRun() {
    if (existsSync(join(folder, "report.html"))) {
        return;
    }
    const start = Date.now();
    const { status } = spawnSync(BRUNT, ["run", join(ROOT, "bench", "viewer"), "--out", folder, "--overwrite", "--quiet"], { stdio: "inherit" });
    if (status !== 0) {
        throw new Error("the run failed");
    }
    row("making the run with its report", (Date.now() - start) / 1000, "s");
}

const ready = (page) => page.waitForFunction(() => window.brunt?.metrics.firstPicture > 0, null, { timeout: 120000 });

/** Jumps about: each frame is decoded and uploaded anew. Figures of the page itself. */
async function scrub(page) {
    return page.evaluate(async (count) => {
        const { player, store, metrics } = window.brunt;
        const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
        const times = player.times;
        metrics.reset();
        const waits = [];
        for (let k = 0; k < count; k++) {
            // A step that shares no factor with the number of frames: never the frame before, never one twice.
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

async function measure(browser, name, url, firstGoal) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    page.on("pageerror", (error) => console.error(`${name}: ${error.message}`));
    const start = Date.now();
    await page.goto(url);
    await ready(page);
    row(`${name}: first picture`, await page.evaluate(() => window.brunt.metrics.firstPicture) / 1000, "s", firstGoal);
    row(`${name}: the same, seen from outside`, (Date.now() - start) / 1000, "s");
    const [bodies, triangles] = await page.evaluate(() => {
        const run = window.brunt.sources[0].run;
        return [run.bodies.length, run.tri.length / 3];
    });
    const costs = await scrub(page);
    console.log(`${name}: ${bodies} bodies, ${triangles} triangles, ${costs.frames} frames; ${costs.decode.count} decoded in ${SCRUBS} jumps`);
    row(`${name}: decode and upload a frame, mean`, costs.decode.mean + costs.upload.mean, "ms", 33);
    row(`${name}:   decode, mean`, costs.decode.mean, "ms");
    row(`${name}:   upload, mean`, costs.upload.mean, "ms");
    row(`${name}:   decode, largest`, costs.decode.max, "ms");
    row(`${name}:   upload, largest`, costs.upload.max, "ms");
    row(`${name}: a picture, drawn in software, mean`, costs.draw.mean, "ms");
    row(`${name}: from the wish to the picture, median`, costs.wait, "ms");
    await page.close();
}

makeRun();
const browser = await launch();
try {
    const server = await startServer([folder]);
    try {
        await measure(browser, "served", server.url, 2);
    } finally {
        await server.end();
    }
    const report = join(folder, "report.html");
    row("report: size", statSync(report).size / 1e6, "MB", 25);
    await measure(browser, "report", pathToFileURL(report).href, 5);
} finally {
    await browser.close();
}
const width = Math.max(...rows.map(({ what }) => what.length));
for (const { what, value, goal, met } of rows) {
    console.log(`${what.padEnd(width)}  ${value.padStart(10)}  ${goal.padEnd(10)}  ${goal === "" ? "" : met ? "met" : "MISSED"}`.trimEnd());
}
process.exitCode = rows.every(({ met }) => met) ? 0 : 1;
