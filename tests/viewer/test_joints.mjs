// Joints of robots in `brunt view SCENE`: moved by sliders, keys and a gamepad, and a grasp by hand.
import assert from "node:assert/strict";
import { join } from "node:path";
import { check, openTab, project, runChecks, settled } from "./browser.mjs";
import { eventually, PATIENCE, ROOT } from "./machine.mjs";

const SCENES = join(ROOT, "tests", "viewer", "scenes");
const GONE = [/request failed/, /WebSocket|ERR_CONNECTION|Failed to load resource/];

const until = (page, what, test, arg) => page.waitForFunction(test, arg, { timeout: PATIENCE }).catch((error) => {
    throw new Error(`${what}: ${error.message}`);
});

async function openJoints({ open, serve }) {
    const server = await serve(join(SCENES, "joints"), "--no-open");
    const page = await open(server.url, { expected: GONE });
    await until(page, "joints are known", () => window.brunt.sources[0].live.state?.joints.length === 3);
    await openTab(page, "joints");
    return page;
}

const joint = (page, name) => page.evaluate((wanted) => window.brunt.sources[0].live.state.joints.find((one) => one.name === wanted), name);

/** Until the joint is where its target is, within what its drive leaves: weights of 15 N over 10 kN/m and more. */
const arrives = (page, name, target) => eventually(`${name} comes to ${target}`, async () => {
    const now = await joint(page, name);
    return Math.abs(now.target - target) < 1e-6 && Math.abs(now.position - target) < 3e-3;
});

/** Lowest place of a body in the frame that is shown. */
const bottom = (page, body) => page.evaluate((name) => {
    const { vertexFirst, vertexCount } = window.brunt.sources[0].run.bodies.find((one) => one.name === name);
    const { position } = window.brunt.player.frames[0];
    return Math.min(...Array.from({ length: vertexCount }, (_, k) => position[3 * (vertexFirst + k) + 2]));
}, body);

check("a slider sets the target, the joint follows; it goes back to the scene, one or all", async (tools) => {
    const page = await openJoints(tools);
    // Of joints with a drive alone, in the order of the robot, under its name.
    assert.deepEqual(await page.locator("#panel-joints .joint-name").allTextContents(), ["lift", "slide", "grip"]);
    assert.ok((await page.locator("#panel-joints h3").allTextContents()).includes("hand"));
    const row = page.locator(".joint", { hasText: "slide" });
    const back = row.getByRole("button");
    assert.ok(await back.isDisabled(), "nothing to give back");
    await page.getByRole("slider", { name: "slide" }).fill("0.15");
    await arrives(page, "slide", 0.15);
    await eventually("the row says so", async () => /at 0\.1(49|50|51) m, .* N$/.test(await row.locator(".joint-head small").textContent())
        && (await row.locator("output").textContent()) === "0.150 m");
    await back.click();
    await arrives(page, "slide", 0);
    await eventually("the slider too", async () => Number(await page.getByRole("slider", { name: "slide" }).inputValue()) === 0);
    await page.getByRole("slider", { name: "slide" }).fill("-0.1");
    await page.getByRole("slider", { name: "lift" }).fill("0.2");
    await until(page, "both by hand", () => window.brunt.sources[0].live.state.joints.filter((one) => one.hand).length === 2);
    await page.click("#joints-back");
    await until(page, "none by hand", () => window.brunt.sources[0].live.state.joints.every((one) => !one.hand && one.target === 0));
    // A reset leaves nothing by hand either.
    await page.getByRole("slider", { name: "lift" }).fill("0.1");
    await until(page, "by hand", () => window.brunt.sources[0].live.state.joints[0].hand);
    await page.click("#live-reset");
    await until(page, "as the scene says", () => window.brunt.sources[0].live.state.joints.every((one) => !one.hand && one.target === 0));
    await eventually("and its slider", async () => Number(await page.getByRole("slider", { name: "lift" }).inputValue()) === 0);
});

check("keys choose a joint, move it and give it back; the help lists them", async (tools) => {
    const page = await openJoints(tools);
    await page.focus("#stage");
    const chosen = () => page.locator(".joint.chosen .joint-name").textContent();
    assert.equal(await chosen(), "lift");
    await page.keyboard.press("j");
    await eventually("the next one", async () => (await chosen()) === "slide");
    for (let k = 0; k < 20; k++) {
        await page.keyboard.press("e");
    }
    // A hundredth of 0.6 m each: presses that come faster than states add up.
    await arrives(page, "slide", 0.12);
    await page.keyboard.press("q");
    await page.keyboard.press("Shift+Q");
    await arrives(page, "slide", 0.1134);
    await page.keyboard.press("z");
    await arrives(page, "slide", 0);
    await page.keyboard.press("Shift+J");
    await eventually("the one before", async () => (await chosen()) === "lift");
    await page.keyboard.press("Shift+J");
    await eventually("round the end", async () => (await chosen()) === "grip");
    // Targets stay within the limits.
    for (let k = 0; k < 120; k++) {
        await page.keyboard.press("q");
    }
    await until(page, "at the limit", () => window.brunt.sources[0].live.state.joints[2].target === -0.01);
    await page.keyboard.press("h");
    assert.match(await page.locator("#help-sheet").textContent(), /Joints.*next joint/);
    await page.keyboard.press("Escape");
});

/** A gamepad of four axes that the test moves. */
async function plugIn(page) {
    await page.evaluate(() => {
        window.pad = { id: "Test pad", connected: true, axes: [0, 0, 0, 0] };
        navigator.getGamepads = () => [null, window.pad];
        dispatchEvent(new Event("gamepadconnected"));
    });
    await page.waitForSelector("#panel-joints .axis-row");
}

const push = (page, axis, value) => page.evaluate(([k, x]) => (window.pad.axes[k] = x), [axis, value]);

check("axes of a gamepad move joints, as the panel says", async (tools) => {
    const page = await openJoints(tools);
    assert.equal(await page.locator(".axis-row").count(), 0);
    await plugIn(page);
    assert.equal(await page.locator(".axis-row").count(), 4);
    const selects = page.locator(".axis-row select");
    assert.deepEqual(await selects.evaluateAll((all) => all.map((one) => one.selectedOptions[0].textContent)), ["lift", "slide", "grip", "none"]);
    // A stick near its middle does nothing.
    await push(page, 0, 0.1);
    await page.waitForTimeout(300);
    assert.ok(!(await joint(page, "lift")).hand);
    await push(page, 0, 1);
    await until(page, "the first axis lifts", () => window.brunt.sources[0].live.state.joints[0].position > 0.05);
    await push(page, 0, 0);
    await page.waitForTimeout(300); // what was under way
    const { target } = await joint(page, "lift");
    await arrives(page, "lift", target);
    // The second is upright: pushed away from oneself, which gamepads call -1, the target grows.
    await push(page, 1, -1);
    await until(page, "the second slides", () => window.brunt.sources[0].live.state.joints[1].target > 0.05);
    await page.locator(".axis-row").nth(1).getByRole("checkbox").click();
    await until(page, "the other way round", () => window.brunt.sources[0].live.state.joints[1].target < -0.05);
    await push(page, 1, 0);
    // Another joint for the same axis.
    await selects.nth(1).selectOption({ label: "grip" });
    const before = (await joint(page, "grip")).target;
    await push(page, 1, 1);
    await until(page, "the second grips", (from) => window.brunt.sources[0].live.state.joints[2].target > from + 0.01, before);
    // Pulled out: it says so, and nothing moves any more.
    await page.evaluate(() => (window.pad = null));
    await page.waitForSelector(".axis-row", { state: "detached" });
    await page.evaluate(() => (window.pad = { id: "Test pad", connected: true, axes: [0, 0, 0, 0] }));
});

check("a grasp by hand: closed by keys, lifted by a slider, moved by a gamepad, opened again", async (tools) => {
    const page = await openJoints(tools);
    await plugIn(page);
    await page.focus("#stage");
    await page.keyboard.press("Shift+J");
    for (let k = 0; k < 80; k++) {
        await page.keyboard.press("e");
    }
    // 56 mm, of 50 mm to a cube 100 mm wide: it is squeezed.
    await until(page, "the fingers press", () => window.brunt.sources[0].live.state.joints[2].effort > 5);
    await page.getByRole("slider", { name: "lift" }).fill("0.2");
    await eventually("the cube hangs in the air", async () => (await bottom(page, "toy")) > 0.15);
    await push(page, 1, -1);
    await until(page, "moved aside", () => window.brunt.sources[0].live.state.joints[1].position > 0.1);
    await push(page, 1, 0);
    assert.ok((await bottom(page, "toy")) > 0.12, "it was lost on the way");
    await page.focus("#stage");
    await page.keyboard.press("z");
    await eventually("it falls", async () => (await bottom(page, "toy")) < 0.02);
});

check("a link is dragged by the pointer", async (tools) => {
    const page = await openJoints(tools);
    // The pointer moves in the plane of the screen, the pendulum in that of x and z.
    await page.evaluate(() => window.brunt.stage.look("-y"));
    await settled(page);
    const place = (vertex) => page.evaluate((v) => Array.from(window.brunt.player.frames[0].position.slice(3 * v, 3 * v + 3)), vertex);
    const first = await page.evaluate(() => window.brunt.sources[0].run.bodies.find((one) => one.name === "swing/lower").vertexFirst);
    const near = await place(first);
    // A little inside of the body's outline, and to a place that the joints leave free.
    const start = await project(page, near.map((x, i) => x + (i === 0 ? 0.01 : i === 2 ? 0.01 : 0)));
    const side = await project(page, near.map((x, i) => x + (i === 0 ? 0.2 : i === 2 ? 0.08 : 0)));
    const { vertex, body } = await page.evaluate(({ x, y }) => window.brunt.stage.pick(x, y), start);
    assert.equal(await page.evaluate((number) => window.brunt.sources[0].run.bodies[number].name, body), "swing/lower");
    await page.keyboard.down("Alt");
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(side.x, side.y, { steps: 5 });
    await eventually("the link comes to the pointer", async () => {
        const now = await project(page, await place(vertex));
        return Math.hypot(now.x - side.x, now.y - side.y) < 0.1 * Math.hypot(start.x - side.x, start.y - side.y);
    });
    await page.mouse.up();
    await page.keyboard.up("Alt");
});

check("a scene without robots has no such tab and no such keys", async ({ open, serve }) => {
    const server = await serve(join(SCENES, "live"), "--no-open");
    const page = await open(server.url, { expected: GONE });
    await until(page, "a state came", () => window.brunt.sources[0].live.state !== null);
    assert.ok(await page.locator("#tab-joints").isHidden());
    await page.focus("#stage");
    await page.keyboard.press("h");
    assert.doesNotMatch(await page.locator("#help-sheet").textContent(), /next joint/);
});

await runChecks("joints");
