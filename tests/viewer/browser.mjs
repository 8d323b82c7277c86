// Pages in a real browser. Every page that is opened here is watched: an error in its console, an exception, a request that fails
// or leaves this machine fails the test that opened it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readPng } from "./png.mjs";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const BRUNT = process.env.BRUNT ?? join(ROOT, "build", "release", "brunt");
export const RUNS = process.env.BRUNT_RUNS ?? join(ROOT, "build", "release", "tests", "viewer");
const CHROMIUM = process.env.BRUNT_CHROMIUM ?? "/usr/bin/chromium";
const { chromium } = createRequire(join(ROOT, "viewer", "package.json"))("playwright-core");

export const PATIENCE = 20000; // [ms] a loaded machine draws slowly; what takes longer is broken
export const DESKTOP = { width: 1280, height: 720 };
export const PHONE = { width: 390, height: 844 };

let browser = null;
const servers = new Set();

async function launch() {
    browser ??= await chromium.launch({
        executablePath: CHROMIUM,
        // Software drawing, the same everywhere. Root has no sandbox to give.
        args: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb", "--disable-gpu-vsync",
            ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
    });
    return browser;
}

after(async () => {
    servers.forEach((server) => server.kill("SIGKILL"));
    await browser?.close();
});

export function reportUrl(name, file = "report.html") {
    return pathToFileURL(join(RUNS, name, file)).href;
}

/** Opens an address and waits for the first picture. t: the node:test context, whose end closes the page and judges it. */
export async function open(t, url, options = {}) {
    const { expectErrors = [], ready = true, ...contextOptions } = options;
    const context = await (await launch()).newContext({ viewport: DESKTOP, acceptDownloads: true, ...contextOptions });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const trouble = watch(page, url);
    t.after(async () => {
        await context.close();
        const bad = trouble.filter((text) => !expectErrors.some((known) => known.test(text)));
        assert.deepEqual(bad, [], "the page reported errors");
    });
    await page.goto(url);
    if (ready) {
        await settled(page);
    }
    return page;
}

function watch(page, url) {
    const trouble = [];
    const home = new URL(url);
    page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") {
            trouble.push(`console ${message.type()}: ${message.text()}`);
        }
    });
    page.on("pageerror", (error) => trouble.push(`exception: ${error.message}`));
    page.on("requestfailed", (request) => trouble.push(`request failed: ${request.url()} ${request.failure()?.errorText}`));
    page.on("request", (request) => {
        const to = new URL(request.url());
        if (!["data:", "blob:"].includes(to.protocol) && (to.protocol !== home.protocol || to.host !== home.host)) {
            trouble.push(`request to elsewhere: ${request.url()}`);
        }
    });
    return trouble;
}

/** Waits until what is asked for is what is drawn. */
export async function settled(page) {
    await page.waitForFunction(() => window.brunt?.player?.settled && window.brunt.metrics.firstPicture > 0);
    // The store tells its listeners in a microtask, the picture follows with the next frame of the browser.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.waitForFunction(() => window.brunt.player.settled);
}

export const view = (page) => page.evaluate(() => window.brunt.store.get());

/** Sets parts of the view as a program would; tests of controls click and type instead. */
export async function choose(page, change) {
    await page.evaluate((wanted) => window.brunt.store.set(wanted), change);
    await settled(page);
}

export async function picture(page) {
    return readPng(await page.screenshot());
}

/** Where the 3D picture is on the page. */
export function stageBox(page) {
    return page.locator("canvas").first().boundingBox();
}

/** Point of the page where a place of the model is drawn. */
export async function project(page, point, pane = 0) {
    const [x, y] = await page.evaluate(([at, which]) => window.brunt.stage.project(at, which), [point, pane]);
    return { x, y };
}

/** Asks again and again until the answer is true. */
export async function eventually(what, ask, patience = PATIENCE) {
    const start = Date.now();
    let answer;
    for (let wait = 20; Date.now() - start < patience; wait = Math.min(2 * wait, 300)) {
        answer = await ask();
        if (answer) {
            return answer;
        }
        await new Promise((done) => setTimeout(done, wait));
    }
    throw new Error(`waited ${patience / 1000} s in vain: ${what}`);
}

/** Starts `brunt view ...`; resolves with its address and a way to end it. */
export async function serve(t, args) {
    const server = spawn(BRUNT, ["view", ...args], { stdio: ["pipe", "pipe", "pipe"] });
    servers.add(server);
    let said = "";
    server.stdout.on("data", (data) => (said += data));
    server.stderr.on("data", (data) => (said += data));
    const gone = new Promise((done) => server.on("exit", (code, signal) => done({ code, signal })));
    const end = async (signal = "SIGTERM") => {
        server.kill(signal);
        servers.delete(server);
        return gone;
    };
    t.after(() => end("SIGKILL"));
    const url = await eventually(`'brunt view ${args.join(" ")}' prints its address`, () => {
        if (server.exitCode !== null) {
            throw new Error(`brunt view ended with ${server.exitCode}: ${said}`);
        }
        return said.match(/http:\/\/127\.0\.0\.1:\d+\/\w+\//)?.[0];
    });
    return { url, end, said: () => said, running: () => server.exitCode === null && server.signalCode === null };
}
