// Usable without a pointer, readable in both themes, on a laptop and on a phone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { contrasts, controls, focused, startTour, unreachable } from "./access.mjs";
import { check, choose, DESKTOP, openTab, PHONE, reportUrl, runChecks, settled, stageBox, view } from "./browser.mjs";
import { ROOT } from "./machine.mjs";

const LIVE = join(ROOT, "tests", "viewer", "scenes", "live");
const TABS = ["colours", "bodies", "contacts", "plots", "scene", "summary"];
const SMALLEST = { finger: 24, pointer: 20 }; // [px] a target's least side: WCAG 2.2 AA, which lets a pointer's be smaller

/** Presses Tab from the first control, or Shift+Tab from the last one, until the focus leaves the page; what it met. */
async function tour(page, key = "Tab") {
    await startTour(page, key !== "Tab");
    const met = [await focused(page)];
    for (let presses = 0; presses < 250; presses++) {
        await page.keyboard.press(key);
        const at = await focused(page);
        if (at === null || at.name === met[0].name) {
            return met;
        }
        assert.ok(met.at(-1).name !== at.name, `the focus stays at ${at.name}`);
        met.push(at);
    }
    assert.fail(`no end of the tour: ${met.slice(-5).map(({ name }) => name)}`);
}

check("the Tab key reaches every control, in every tab, with a name and a visible ring", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await choose(page, { contacts: true, clip: { axis: "x", at: 0.5, flip: false } }); // switches that depend on them are enabled
    for (const tab of TABS) {
        await openTab(page, tab);
        const wanted = await controls(page);
        const met = await tour(page);
        const names = new Set(met.map(({ name }) => name));
        const missed = wanted.filter((name) => !names.has(name));
        assert.deepEqual(missed, [], `not reached in tab ${tab}`);
        assert.deepEqual(met.filter(({ label }) => label === "").map(({ name }) => name), [], "without a name");
        assert.deepEqual(met.filter(({ ring }) => !ring).map(({ name }) => name), [], "the focus is not seen");
    }
});

check("the way back meets the same controls", async ({ open }) => {
    const page = await open(reportUrl("two-squares"));
    const there = (await tour(page)).map(({ name }) => name);
    const back = (await tour(page, "Shift+Tab")).map(({ name }) => name);
    assert.deepEqual(back.reverse(), there);
});

check("everything of a visit, by keys alone", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const press = async (...keys) => {
        for (const key of keys) {
            await page.keyboard.press(key);
        }
        await settled(page);
    };
    const goTo = async (id) => {
        for (let k = 0; k < 120 && !(await page.evaluate((wanted) => document.activeElement?.id === wanted, id)); k++) {
            await page.keyboard.press("Tab");
        }
        assert.equal(await page.evaluate(() => document.activeElement?.id), id);
    };
    await press("End");
    assert.equal((await view(page)).time, 0.3);
    await goTo("play");
    await press("Enter");
    await page.waitForFunction(() => window.brunt.store.get().playing);
    await press("Enter");
    assert.equal((await view(page)).playing, false);
    await press("End");
    // A tab, a choice in it.
    await goTo("tab-colours");
    await press("ArrowDown", "Enter");
    await page.locator("#panel-bodies").waitFor();
    await press("ArrowUp", "Enter");
    await goTo((await view(page)).colour === "body" ? "colour-body" : `colour-${(await view(page)).colour}`);
    await press("ArrowDown");
    const colour = (await view(page)).colour;
    await press("ArrowDown");
    assert.notEqual((await view(page)).colour, colour);
    // The crosshair reads and pins a value.
    await page.focus("#stage");
    await press("i");
    let pinned = 0;
    for (let k = 0; k < 12 && pinned === 0; k++) {
        await press("ArrowDown", "Enter");
        pinned = (await view(page)).pins.length;
    }
    assert.equal(pinned, 1, "the crosshair found no body on its way down");
    assert.match(await page.locator(".tip").innerText(), /node \d+/);
    await press("Escape");
    assert.equal(await page.locator(".crosshair").isVisible(), false);
});

check("the help sheet lists the keys, keeps the focus while it is open and gives it back", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await page.focus("#help");
    await page.keyboard.press("Enter");
    const sheet = page.locator("#help-sheet");
    await sheet.waitFor();
    const text = await sheet.innerText();
    for (const word of ["Space", "play", "bookmark", "clip", "contacts", "wireframe", "zoom", "picture", "film"]) {
        assert.ok(text.includes(word), `the sheet does not speak of ${word}`);
    }
    for (let k = 0; k < 8; k++) {
        await page.keyboard.press("Tab");
        const at = await focused(page);
        assert.ok(at === null || at.inDialog, `the focus left the sheet: ${at?.name}`);
    }
    // Keys that act on the page do not reach through.
    const before = (await view(page)).time;
    await page.keyboard.press(".");
    assert.equal((await view(page)).time, before);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "hidden" });
    assert.equal(await page.evaluate(() => document.activeElement?.id), "help");
    await page.focus("#stage");
    await page.keyboard.press("?");
    await sheet.waitFor();
});

for (const colorScheme of ["light", "dark"]) {
    check(`every text can be read: ${colorScheme}`, async ({ open }) => {
        const page = await open(reportUrl("cube-stack"), { colorScheme });
        await choose(page, { time: 0.2, colour: "von_mises", pins: [{ pane: 0, vertex: 0 }], contacts: true });
        let count = 0;
        const judge = async (where) => {
            const texts = await contrasts(page);
            count += texts.length;
            const bad = texts.filter(({ ratio, needed }) => !(ratio >= needed)).map(({ text, ratio }) => `${text}: ${ratio.toFixed(2)}`);
            assert.deepEqual([...new Set(bad)], [], `${where}, ${colorScheme}: too little contrast`);
        };
        for (const tab of TABS) {
            await openTab(page, tab);
            await judge(tab);
        }
        await page.click("#bookmarks");
        await judge("bookmarks");
        await page.keyboard.press("Escape");
        await page.click("#help");
        await judge("help");
        assert.ok(count > 300, `only ${count} texts were found`);
    });
}

const SIDEWAYS = { width: PHONE.height, height: PHONE.width };
for (const [name, viewport, mobile] of [["a laptop", DESKTOP, false], ["a phone", PHONE, true], ["a phone on its side", SIDEWAYS, true]]) {
    check(`${name}, ${viewport.width} x ${viewport.height}: no sideways scrolling, every control can be pressed`, async ({ open }) => {
        for (const run of ["cube-stack", "rigid-mix"]) {
            const page = await open(reportUrl(run), { viewport, hasTouch: mobile, isMobile: mobile, deviceScaleFactor: mobile ? 2 : 1 });
            const wide = () => page.evaluate((width) =>
                Math.max(document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth) - width, viewport.width);
            assert.ok(await wide() <= 0, `${await wide()} pixels too wide`);
            const box = await stageBox(page);
            const roomy = box.width >= 0.5 * viewport.width && box.height >= 0.3 * viewport.height;
            assert.ok(roomy, `the picture has only ${box.width} x ${box.height} pixels`);
            for (const tab of [null, ...TABS]) {
                await choose(page, { panel: tab, contacts: true, clip: { axis: "x", at: 0.5, flip: false } });
                assert.ok(await wide() <= 0, `tab ${tab}: ${await wide()} pixels too wide`);
                assert.deepEqual(await unreachable(page, mobile ? SMALLEST.finger : SMALLEST.pointer), [], `tab ${tab}`);
                const now = await stageBox(page);
                assert.ok(now.height >= 0.2 * viewport.height || tab !== null, "nothing of the picture is left");
            }
        }
    });
}

const OTHERS = {
    "a comparison": { url: () => reportUrl("compare", "compare.html"), tab: "compare", view: { colour: "difference", time: 0.1 } },
    "a run with stages": { url: () => reportUrl("stages/base"), tab: "stages", view: { time: 0.1 } },
    "a live simulation": { url: async (serve) => (await serve(LIVE, "--no-open", "--paused")).url, tab: "live", view: {} },
};
for (const [name, page] of Object.entries(OTHERS)) {
    check(`${name}: every control is reached by Tab, every text can be read, also on a phone`, async ({ open, serve }) => {
        const url = await page.url(serve);
        for (const [colorScheme, viewport, mobile] of [["light", DESKTOP, false], ["dark", PHONE, true]]) {
            const opened = await open(url, { colorScheme, viewport, hasTouch: mobile, isMobile: mobile });
            await choose(opened, { ...page.view, panel: page.tab });
            await opened.waitForSelector(`#panel-${page.tab} section:visible`);
            await opened.$$eval("details", (all) => all.forEach((details) => (details.open = true)));
            const texts = await contrasts(opened);
            const bad = texts.filter(({ ratio, needed }) => !(ratio >= needed)).map(({ text, ratio }) => `${text}: ${ratio.toFixed(2)}`);
            assert.deepEqual([...new Set(bad)], [], `${colorScheme}: too little contrast`);
            assert.deepEqual(await unreachable(opened, mobile ? SMALLEST.finger : SMALLEST.pointer), []);
            if (!mobile) {
                const met = await tour(opened);
                const names = new Set(met.map(({ name: one }) => one));
                assert.deepEqual((await controls(opened)).filter((one) => !names.has(one)), [], "not reached");
            }
        }
    });
}

check("fingers turn and zoom", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"), { viewport: PHONE, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
    const camera = () => page.evaluate(() => window.brunt.stage.camera());
    const box = await stageBox(page);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const client = await page.context().newCDPSession(page);
    const touch = (type, points) =>
        client.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })) });
    const start = await camera();
    await touch("touchStart", [[x, y]]);
    for (let k = 1; k <= 5; k++) {
        await touch("touchMove", [[x + 12 * k, y]]);
    }
    await touch("touchEnd", []);
    await settled(page);
    const turned = await camera();
    assert.notDeepEqual(turned.position, start.position, "one finger turns");
    assert.equal(await page.evaluate(() => scrollX + scrollY), 0, "the page itself does not scroll");
    const size = ({ position, target, zoom }) => Math.hypot(...position.map((value, k) => value - target[k])) / zoom;
    await touch("touchStart", [[x - 30, y], [x + 30, y]]);
    for (let k = 1; k <= 5; k++) {
        await touch("touchMove", [[x - 30 - 12 * k, y], [x + 30 + 12 * k, y]]);
    }
    await touch("touchEnd", []);
    await settled(page);
    assert.ok(size(await camera()) < 0.7 * size(turned), "two fingers apart zoom in");
});

await runChecks("access");
