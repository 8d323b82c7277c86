// How bodies are drawn: hidden, transparent, cut, as wires, with arrows at contacts; where from; and an address that brings it back.
import assert from "node:assert/strict";
import { check, choose, DESKTOP, openTab, picture, project, quantity, reportUrl, runChecks, settled, stageBox, view } from "./browser.mjs";
import { eventually } from "./machine.mjs";
import { changed, distance } from "./png.mjs";
import { centreOf, readRun } from "./trajectory.mjs";

const START = { time: 0, colour: "body", most: false, range: null };
const FLICKER = 1e-4; // drawn twice, a pixel at an edge in some 100 000 may differ
const around = ({ x, y }, radius) => ({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius });

check("hide, show, ghost and solo change the pixels of that body", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const run = readRun("cube-stack");
    await choose(page, START);
    await openTab(page, "bodies");
    const top = await project(page, centreOf(run.frames[0], "fourth"));
    const below = await project(page, centreOf(run.frames[0], "second"));
    const before = await picture(page);

    await page.getByRole("button", { name: "Show fourth", exact: true }).click();
    await settled(page);
    const hidden = await picture(page);
    assert.deepEqual((await view(page)).hidden, [3]);
    assert.equal(changed(before, hidden, around(top, 10)), 1, "the body is still there");
    assert.equal(changed(before, hidden, around(below, 10)), 0, "another body changed too");
    await page.mouse.move(top.x, top.y);
    await settled(page);
    assert.equal(await page.locator(".tip").isVisible(), false, "what is hidden cannot be picked");

    await page.getByRole("button", { name: "Show fourth", exact: true }).click();
    await settled(page);
    await page.mouse.move(5, 300);
    await page.getByRole("button", { name: "Ghost: draw fourth transparent" }).click();
    await settled(page);
    const ghost = await picture(page);
    const [solid, thin, none] = [before, ghost, hidden].map((image) => image.at(top.x, top.y));
    assert.ok(distance(thin, solid) > 12 && distance(thin, none) > 4, `a ghost is between ${solid} and ${none}: ${thin}`);
    await page.click("#show-all");

    await page.getByRole("button", { name: "Solo: show only second" }).click();
    await settled(page);
    const alone = await picture(page);
    assert.equal(changed(alone, hidden, around(top, 10)), 0, "solo leaves another body");
    assert.equal(changed(alone, before, around(below, 6)), 0, "solo changes the body itself");
    assert.deepEqual((await view(page)).hidden, [0, 2, 3, 4]);
});

check("the clip plane takes away one side, or the other", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const run = readRun("cube-stack");
    await choose(page, START);
    await openTab(page, "bodies");
    const stage = await stageBox(page);
    const [low, high] = [await project(page, centreOf(run.frames[0], "first")), await project(page, centreOf(run.frames[0], "fourth"))];
    const whole = await picture(page);
    await page.getByRole("radiogroup", { name: "Clip plane across" }).getByRole("radio", { name: "z" }).check();
    await settled(page);
    assert.equal((await view(page)).clip.axis, "z");
    const one = await picture(page);
    await page.getByRole("switch", { name: "Other side" }).check();
    await settled(page);
    const other = await picture(page);
    const gone = (image, at) => changed(whole, image, around(at, 8)) === 1;
    assert.ok(gone(one, high) !== gone(one, low), "one end of the stack goes, the other stays");
    assert.ok(gone(other, high) === gone(one, low) && gone(other, low) === gone(one, high), "the other side is the other end");
    await page.locator("#clip-at").fill("1");
    await settled(page);
    assert.ok(changed(other, await picture(page), stage) > 0.01, "moving the plane changed nothing");
    await page.getByRole("radiogroup", { name: "Clip plane across" }).getByRole("radio", { name: "Off" }).check();
    await settled(page);
    assert.ok(changed(whole, await picture(page), stage) < FLICKER, "off is not as before");
});

check("wireframe and axes", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    // The cross of axes stands beside the picture.
    const [stage, bar] = [await stageBox(page), await page.locator(".stage-bar").boundingBox()];
    await page.focus("#stage");
    const plain = await picture(page);
    for (const [key, box] of [["w", stage], ["a", { ...bar, width: 60 }]]) {
        await page.keyboard.press(key);
        await settled(page);
        const share = changed(plain, await picture(page), box);
        assert.ok(share > 0.0005 && share < 0.4, `'${key}' changed ${(100 * share).toFixed(2)} % of the picture`);
        await page.keyboard.press(key);
        await settled(page);
        assert.ok(changed(plain, await picture(page), box) < FLICKER, `'${key}' twice is not as before`);
    }
});

check("nothing covers the bodies, whatever is shown and however large the window is", async ({ open }) => {
    for (const [file, viewport] of [["report.html", DESKTOP], ["report.html", { width: 400, height: 800 }], ["report.html", { width: 820, height: 560 }],
        ["compare.html", DESKTOP], ["compare.html", { width: 400, height: 800 }]]) {
        const page = await open(reportUrl(file === "report.html" ? "cube-stack" : "compare", file), { viewport });
        for (const change of [{ contacts: true, overlay: true }, { colour: "von_mises", theme: "dark" }, { panel: "plots" }]) {
            await choose(page, change);
            const over = await page.evaluate(() => {
                const { left, top, width, height } = document.querySelector("#stage").getBoundingClientRect(), found = new Set();
                const panes = window.brunt.stage.panes();
                for (const pane of panes) {
                    for (let i = 0; i <= 20; i++) {
                        for (let j = 0; j <= 20; j++) {
                            // Not at the very edge, where the panel can be taken hold of.
                            const [x, y] = [pane.x + 6 + (i / 20) * (pane.width - 12), pane.y + 1 + (j / 20) * (pane.height - 2)];
                            const at = document.elementFromPoint(left + x, top + y);
                            found.add(at.tagName === "CANVAS" ? "" : at.outerHTML.slice(0, 80));
                        }
                    }
                }
                // Titles let the pointer through: they are looked at by their places.
                for (const title of document.querySelectorAll(".pane-title")) {
                    const box = title.getBoundingClientRect();
                    panes.forEach((pane) => {
                        const apart = box.bottom <= top + pane.y + 1 || box.top >= top + pane.y + pane.height - 1 || box.right <= left + pane.x + 1
                            || box.left >= left + pane.x + pane.width - 1;
                        found.add(apart ? "" : title.textContent);
                    });
                }
                found.add(width * height > 0.1 * innerWidth * innerHeight ? "" : `a picture of ${width} x ${height}`);
                return [...found].filter((text) => text !== "");
            });
            assert.deepEqual(over, [], `${file}, ${viewport.width} x ${viewport.height}, ${JSON.stringify(change)}`);
        }
    }
});

check("contacts: marks where the run has them, arrows along the forces, none before the first touch", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const run = readRun("cube-stack");
    // What the marks mean stands above the picture, which is therefore lower while they are shown.
    await page.evaluate(() => (document.querySelector("#contact-key").style.display = "none"));
    await choose(page, { colour: "body" });
    const stage = await stageBox(page);
    const ink = async () => {
        await choose(page, { contacts: false });
        const without = await picture(page);
        await openTab(page, "contacts");
        await page.locator("#show-contacts").check();
        await settled(page);
        return [without, await picture(page)];
    };
    await openTab(page, "contacts");
    assert.equal(run.frames[1].contacts.length, 0);
    await choose(page, { time: run.frames[1].time });
    assert.equal(changed(...await ink(), await stageBox(page)), 0, "arrows without contacts");

    // Of the last frame, seen from below through a hidden plate: each strong contact has a mark.
    const frame = run.frames.at(-1);
    await choose(page, { time: frame.time, hidden: [0, 1, 2, 3, 4] });
    const [without, marks] = await ink();
    assert.ok(changed(without, marks, stage) > 0.001, "no marks at all");
    const strong = frame.contacts.filter(({ normal_force: force }) => force > 0.05 * Math.max(...frame.contacts.map((c) => c.normal_force)));
    for (const { x, y, z } of strong) {
        const at = await project(page, [x, y, z]);
        assert.ok(changed(without, marks, around(at, 5)) > 0.1, `no mark at (${x}, ${y}, ${z})`);
    }
    // Longer arrows, then none of them.
    await page.locator("#arrow-scale").fill("0.6");
    await settled(page);
    assert.ok(changed(marks, await picture(page), stage) > 0.0005, "the length of arrows changed nothing");
    await page.getByRole("switch", { name: "Normal forces" }).uncheck();
    await page.getByRole("switch", { name: "Friction forces" }).uncheck();
    await settled(page);
    const dots = await picture(page);
    assert.ok(changed(without, dots, stage) < changed(without, marks, stage), "dots without arrows cover no less");
});

/** [N] the largest of the normal and friction forces. */
const largest = (contacts) => Math.max(...contacts.map((c) => Math.max(Math.abs(c.normal_force), Math.hypot(c.friction_x, c.friction_y, c.friction_z))));

check("arrows are as long as the forces of the frame shown, and say on which body they act", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const run = readRun("cube-stack");
    await choose(page, { contacts: true });
    const key = page.locator("#contact-key");
    const told = async () => quantity(/longest arrow (.*)$/.exec(await key.textContent())[1], "N");
    const wanted = [];
    for (const index of [12, 20, 30]) {
        await choose(page, { time: run.frames[index].time });
        wanted.push(largest(run.frames[index].contacts));
        assert.ok(Math.abs(await told() - wanted.at(-1)) < 6e-3 * wanted.at(-1), `three digits of ${wanted.at(-1)} N: ${await told()}`);
    }
    assert.ok(Math.max(...wanted) > 1.2 * Math.min(...wanted), "all frames have the same force: the test sees nothing");
    // One body alone: its contacts, pushed the other way where it lies below.
    await openTab(page, "contacts");
    const before = await picture(page);
    await page.selectOption("#forces-on", { label: "second" });
    await settled(page);
    assert.match(await key.textContent(), /forces on second/);
    const own = run.frames[30].contacts.filter((c) => [c.body, c.other].includes("second"));
    assert.ok(Math.abs(await told() - largest(own)) < 6e-3 * largest(own));
    assert.ok(changed(before, await picture(page), await stageBox(page)) > 0.001, "the arrows of the other bodies are still there");
    assert.equal((await view(page)).forcesOn, 1);
    await page.selectOption("#forces-on", { index: 0 });
    // An obstacle is never the first named.
    assert.ok((await page.locator("#panel-contacts td.names").allTextContents()).every((pair) => !pair.startsWith("plate")));
});

check("the camera: turn, move, zoom, views along the axes, frame everything", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const camera = () => page.evaluate(() => window.brunt.stage.camera());
    const box = await stageBox(page);
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const start = await camera();
    const drag = async (button, modifier) => {
        await page.mouse.move(middle.x, middle.y);
        if (modifier) await page.keyboard.down(modifier);
        await page.mouse.down({ button });
        await page.mouse.move(middle.x + 120, middle.y + 40, { steps: 5 });
        await page.mouse.up({ button });
        if (modifier) await page.keyboard.up(modifier);
        await settled(page);
    };
    await drag("left");
    const turned = await camera();
    const distanceOf = ({ position, target }) => Math.hypot(...position.map((value, k) => value - target[k]));
    assert.notDeepEqual(turned.position, start.position);
    assert.deepEqual(turned.target, start.target);
    assert.ok(Math.abs(distanceOf(turned) / distanceOf(start) - 1) < 1e-6, "turning keeps the distance");
    await drag("right");
    const moved = await camera();
    assert.notDeepEqual(moved.target, turned.target, "a right drag moves");
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.wheel(0, -400);
    await settled(page);
    const close = await camera();
    assert.ok(distanceOf(close) / close.zoom < 0.95 * distanceOf(moved) / moved.zoom, "the wheel zooms in");

    await page.focus("#stage");
    for (const [name, axis, sign] of [["+x", 0, 1], ["−y", 1, -1], ["+z", 2, 1]]) {
        await page.keyboard.press("v");
        await page.getByRole("button", { name, exact: true }).click();
        await settled(page);
        const { position, target } = await camera();
        const from = position.map((value, k) => value - target[k]);
        assert.ok(sign * from[axis] > 0.99 * Math.hypot(...from), `looking from ${name}: ${from}`);
    }
    // Everything is in sight, and not tiny.
    await page.click("#frame-all");
    await settled(page);
    const run = readRun("cube-stack");
    const places = await page.evaluate((points) => points.map((p) => window.brunt.stage.project(p)),
        [...run.frames[0].nodes.values()].map(({ x, y, z }) => [x, y, z]));
    const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
    assert.ok(Math.min(...xs) >= 0 && Math.max(...xs) <= box.width && Math.min(...ys) >= 0 && Math.max(...ys) <= box.height, "not all is in sight");
    const share = Math.max((Math.max(...xs) - Math.min(...xs)) / box.width, (Math.max(...ys) - Math.min(...ys)) / box.height);
    assert.ok(share > 0.6, `the bodies take only ${share} of the picture`);

    // A parallel projection keeps lengths whatever the depth.
    await page.click("#projection");
    await settled(page);
    assert.equal((await camera()).projection, "parallel");
    const lengths = await page.evaluate(() => {
        const place = (p) => window.brunt.stage.project(p);
        const span = (a, b) => Math.hypot(place(a).x - place(b).x, place(a).y - place(b).y);
        return [span([0, 0, 0], [0.1, 0, 0]), span([0, 0, 0.5], [0.1, 0, 0.5])];
    });
    assert.ok(Math.abs(lengths[0] - lengths[1]) < 1e-6 * lengths[0]);
});

check("arrow keys turn the picture, + and - zoom", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const stage = await stageBox(page);
    await page.focus("#stage");
    let before = await picture(page);
    for (const key of ["ArrowLeft", "ArrowUp", "Shift+ArrowRight", "+", "-", "-"]) {
        await page.keyboard.press(key);
        await settled(page);
        const after = await picture(page);
        assert.ok(changed(before, after, stage) > 0.005, `'${key}' changed nothing`);
        before = after;
    }
});

check("bookmarks bring a view back, by button and by key", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const stage = await stageBox(page);
    await page.focus("#stage");
    for (const key of ["ArrowLeft", "ArrowLeft", "ArrowUp", "+"]) {
        await page.keyboard.press(key);
    }
    await settled(page);
    await page.click("#bookmarks");
    await page.click("#bookmark-save");
    await page.keyboard.press("Escape");
    const kept = await picture(page);
    assert.equal((await view(page)).bookmarks.length, 1);
    await page.click("#frame-all");
    await settled(page);
    assert.ok(changed(kept, await picture(page), stage) > 0.01);
    await page.focus("#stage");
    await page.keyboard.press("Digit1");
    await settled(page);
    assert.ok(changed(kept, await picture(page), stage) < FLICKER, "key 1 brings it back");
    await page.keyboard.press("Shift+Digit2");
    assert.equal((await view(page)).bookmarks.length, 2);
    await page.click("#bookmarks");
    await page.getByRole("button", { name: "Remove bookmark 2" }).click();
    assert.equal((await view(page)).bookmarks.length, 1);
});

check("the address brings the same view back", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await openTab(page, "colours");
    await page.check("#colour-displacement");
    await page.fill("#range-high", "0.05");
    await page.press("#range-high", "Enter");
    await openTab(page, "bodies");
    await page.getByRole("button", { name: "Show fourth", exact: true }).click();
    await page.getByRole("button", { name: "Ghost: draw third transparent" }).click();
    await page.getByRole("radiogroup", { name: "Clip plane across" }).getByRole("radio", { name: "x" }).check();
    await page.click("#theme");
    await page.focus("#stage");
    for (const key of ["End", ",", "ArrowLeft", "ArrowUp", "+", "w", "c", "m"]) {
        await page.keyboard.press(key);
    }
    await settled(page);
    const wanted = await view(page);
    const hash = await eventually("the address follows", async () => {
        const text = await page.evaluate(() => location.hash);
        return /cam=/.test(text) && /t=0\.29/.test(text) && /th=/.test(text) && /k=1/.test(text) && text;
    });
    const before = await picture(page);

    const again = await open(reportUrl("cube-stack") + hash);
    const restored = await view(again);
    for (const key of ["time", "colour", "range", "hidden", "ghost", "clip", "wireframe", "contacts", "theme", "panel", "loop", "axes"]) {
        assert.deepEqual(restored[key], wanted[key], key);
    }
    const after = await picture(again);
    // The camera went through six digits: a few pixels at edges may differ.
    const share = changed(before, after);
    assert.ok(share < 0.002, `${(100 * share).toFixed(2)} % of the pixels differ`);

    // A link followed in an open page does the same.
    await again.evaluate(() => (location.hash = ""));
    await settled(again);
    await again.evaluate((text) => (location.hash = text), hash);
    await settled(again);
    assert.ok(changed(before, await picture(again)) < 0.002, "a changed hash is not followed");
});

check("an address opens any tab, as a click does", async ({ open }) => {
    const clicked = await open(reportUrl("cube-stack"));
    const linked = await open(reportUrl("cube-stack"));
    for (const tab of ["colours", "bodies", "contacts", "plots", "scene", "summary"]) {
        await openTab(clicked, tab);
        await linked.goto("about:blank"); // else the page may still write its own view into the address
        await linked.goto(`${reportUrl("cube-stack")}#tab=${tab}`);
        await settled(linked);
        const [wanted, found] = [await clicked.innerText(`#panel-${tab}`), await linked.innerText(`#panel-${tab}`)];
        assert.ok(wanted.length > 40);
        assert.equal(found, wanted, `tab ${tab}`);
    }
});

check("nonsense in the address is left out", async ({ open }) => {
    for (const hash of [
        "#", "#%E0%A4%A&t=%", "#cam=p1e999,1,1,1,1,1,1,1,1,1", `#h=${"0.".repeat(5000)}`,
        "#t=NaN&cam=p0,0,0,0,0,0,0,0,0,0&h=0-999999999&c=__proto__&tab=constructor&r=1,0",
        "#t=1e12&clip=q9&pin=0.99999999,7.1&b=;;;p;o1&pl=%3Cimg%20src=x%3E,__proto__&g=1-&s=-1",
    ]) {
        const page = await open(reportUrl("cube-stack") + hash);
        const { time, hidden } = await view(page);
        assert.ok(Number.isFinite(time) && time >= 0 && time <= 0.3 && hidden.length <= 5, hash);
        await page.context().close();
    }
});

check("light and dark, as the system says at first, then as chosen", async ({ open }) => {
    const dark = await open(reportUrl("cube-stack"), { colorScheme: "dark" });
    const light = await open(reportUrl("cube-stack"), { colorScheme: "light" });
    const brightness = async (page) => {
        const box = await stageBox(page);
        const image = await picture(page);
        return [image.at(box.x + 0.35 * box.width, box.y + 20), image.at(2, 2), image.at(600, 700)].map(([r, g, b]) => (r + g + b) / 3);
    };
    assert.ok((await brightness(dark)).every((value) => value < 80), "dark");
    assert.ok((await brightness(light)).every((value) => value > 175), "light");
    await dark.click("#theme");
    await settled(dark);
    assert.ok((await brightness(dark)).every((value) => value > 175), "the button changes it");
    await dark.focus("#stage");
    await dark.keyboard.press("t");
    await settled(dark);
    assert.ok((await brightness(dark)).every((value) => value < 80), "the key changes it back");
});

await runChecks("drawing");
