// Pages in a real browser. Every page that is opened here is watched: an error in its console, an exception, a request that fails
// or leaves this machine fails the test that opened it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, PATIENCE, RUNS, startServer } from "./machine.mjs";
import { readPng } from "./png.mjs";

export const DESKTOP = { width: 1280, height: 720 };
export const PHONE = { width: 390, height: 844 };
const LONGEST = 90000; // [ms] of one check

const checks = [];

/** A check: body({open, serve}). What it opens is closed at its end; open's option `expected` lists errors that are meant to be. */
export function check(name, body) {
    checks.push({ name, body });
}

/** Runs the checks of a file in one browser; an argument on the command line chooses those whose name holds it. */
export async function runChecks(title) {
    await test(title, async (t) => {
        const browser = await launch();
        try {
            for (const { name, body } of checks.filter((one) => one.name.includes(process.argv[2] ?? ""))) {
                await t.test(name, { timeout: LONGEST }, () => runCheck(browser, body));
            }
        } finally {
            await browser.close();
        }
    });
}

async function runCheck(browser, body) {
    const closing = [];
    const judging = [];
    try {
        await body({
            async open(url, options = {}) {
                const { expected = [], ready = true, ...rest } = options;
                const context = await browser.newContext({ viewport: DESKTOP, acceptDownloads: true, ...rest });
                closing.push(() => context.close());
                const page = await context.newPage();
                page.setDefaultTimeout(PATIENCE);
                const trouble = page.trouble = watch(page, url);
                judging.push(() => trouble.filter((text) => !expected.some((known) => known.test(text))));
                await page.goto(url);
                if (ready) {
                    await settled(page);
                }
                return page;
            },
            async serve(...args) {
                const server = await startServer(args);
                closing.push(() => server.end("SIGKILL"));
                return server;
            },
        });
    } finally {
        for (const close of closing.reverse()) {
            await close();
        }
    }
    assert.deepEqual(judging.flatMap((judge) => judge()), [], "the page reported errors");
}

export function reportUrl(name, file = "report.html") {
    return pathToFileURL(join(RUNS, name, file)).href;
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
    await page.waitForFunction(() => window.brunt?.player?.settled && window.brunt.range.settled && window.brunt.metrics.firstPicture > 0);
    // The store tells its listeners in a microtask, the picture follows with the next frame of the browser.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.waitForFunction(() => window.brunt.player.settled && window.brunt.range.settled);
}

export const view = (page) => page.evaluate(() => window.brunt.store.get());

/** Sets parts of the view as a program would; tests of controls click and type instead. */
export async function choose(page, change) {
    await page.evaluate((wanted) => window.brunt.store.set(wanted), change);
    await settled(page);
}

const BARE = `.overlay, .skip { visibility: hidden !important }
    #stage::after { display: none !important }
    * { outline: none !important }`;

/** The page as it looks, without what lies over the bodies (messages, tips, knobs) and without the ring of the focus. */
export async function picture(page) {
    return readPng(await page.screenshot({ style: BARE }));
}

/** Where the picture of the bodies is on the page. */
export function stageBox(page) {
    return page.locator("#stage").boundingBox();
}

/** Place on the page where a point of the model is drawn. */
export async function project(page, point, pane = 0) {
    const place = await page.evaluate(([at, which]) => window.brunt.stage.project(at, which), [point, pane]);
    const box = await stageBox(page);
    return { x: box.x + place.x, y: box.y + place.y };
}

/** Opens a tab of the panel. */
export async function openTab(page, id) {
    if ((await view(page)).panel !== id) {
        await page.click(`#tab-${id}`);
    }
    await page.waitForSelector(`#panel-${id}:visible`);
    await settled(page); // the picture has another size now
}

const PREFIXES = { T: 1e12, G: 1e9, M: 1e6, k: 1e3, m: 1e-3, "µ": 1e-6, n: 1e-9, p: 1e-12 };

/** "−12.3 mm" is -0.0123. unit: without its prefix. */
export function quantity(text, unit) {
    const match = /^([−-]?[\d. ]+(?:e[−-]?\d+)?)\s*(\D*)$/.exec(text.trim());
    assert.ok(match && match[2].endsWith(unit), `'${text}' is no quantity in ${unit || "numbers"}`);
    const prefix = match[2].slice(0, match[2].length - unit.length);
    assert.ok(prefix === "" || prefix in PREFIXES, `'${text}' has an unknown prefix`);
    return Number(match[1].replaceAll("−", "-").replaceAll(" ", "")) * (PREFIXES[prefix] ?? 1);
}

/** Numbers agree: to the digits that the page writes (4, so half a unit of the last is 5e-4 of the value at most), plus `slack`. */
export function near(actual, wanted, slack, what) {
    assert.ok(Math.abs(actual - wanted) <= 5.01e-4 * Math.abs(wanted) + slack, `${what}: ${actual}, wanted ${wanted} within ${slack}`);
}
