// Plots and timeline are one: a line at the moment shown, values of that moment, a click that goes there.
import assert from "node:assert/strict";
import { check, choose, near, openTab, picture, quantity, reportUrl, runChecks, settled, view } from "./browser.mjs";
import { eventually } from "./machine.mjs";
import { changed } from "./png.mjs";
import { readRun } from "./trajectory.mjs";

const plot = (page, id) => page.locator(`.plot[data-chart="${id}"]`);
const cursor = async (page, id) => {
    const [line, area] = [await plot(page, id).locator(".plot-now").boundingBox(), await plot(page, id).locator(".u-over").boundingBox()];
    return (line.x + line.width / 2 - area.x) / area.width;
};
const valueOf = (page, id, column) => plot(page, id).locator(`[data-series="${column}"] .value`).textContent();

check("the first plots are those that tell whether a run is sound", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await openTab(page, "plots");
    for (const id of ["energy", "energy_error", "momentum_error", "gap", "iterations", "wall", "contacts"]) {
        const area = plot(page, id).locator("canvas");
        await area.scrollIntoViewIfNeeded();
        // Drawn lines: more than a frame and a grid.
        const colours = await area.evaluate((canvas) => {
            const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            const seen = new Set();
            for (let k = 0; k < data.length; k += 4) {
                if (data[k + 3] > 200) {
                    seen.add(`${data[k] >> 4},${data[k + 1] >> 4},${data[k + 2] >> 4}`);
                }
            }
            return seen.size;
        });
        assert.ok(colours >= 4, `the plot ${id} is blank`);
    }
});

check("a page that starts with its plots open draws them", async ({ open }) => {
    const page = await open(`${reportUrl("cube-stack")}#tab=plots&t=0.2`);
    await plot(page, "energy").locator("canvas").waitFor();
    assert.ok(Math.abs(await cursor(page, "energy") - 2 / 3) < 0.006);
    assert.equal(quantity(await valueOf(page, "iterations", "iterations"), ""), readRun("cube-stack").series[20].iterations);
});

check("the line of the moment and the values follow the timeline", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const run = readRun("cube-stack");
    await openTab(page, "plots");
    const end = run.series.at(-1).time;
    for (const index of [0, 7, 15, 30]) {
        const { time } = run.frames[index];
        await choose(page, { time });
        const row = run.series.find((one) => Math.abs(one.time - time) < 1e-9);
        for (const id of ["energy", "iterations"]) {
            // A pixel of the plot's 230.
            const line = await cursor(page, id);
            assert.ok(Math.abs(line - time / end) < 0.006, `${id}: the line is at ${line} of the plot at ${time} s`);
        }
        assert.equal(quantity(await valueOf(page, "iterations", "iterations"), ""), row.iterations, `iterations at ${time} s`);
        assert.equal(quantity(await valueOf(page, "contacts", "contacts"), ""), row.contacts, `contacts at ${time} s`);
        // Single precision of the largest energy.
        const unit = await plot(page, "energy").locator(".unit").first().textContent();
        for (const column of ["kinetic", "elastic", "gravity"]) {
            near(quantity(`${await valueOf(page, "energy", column)} ${unit}`, "J"), row[column], 1e-6, `${column} at ${time} s`);
        }
    }
});

check("a click or a drag in a plot sets the time", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await openTab(page, "plots");
    await plot(page, "energy").locator(".u-over").scrollIntoViewIfNeeded();
    const area = await plot(page, "energy").locator(".u-over").boundingBox();
    const at = (share) => [area.x + share * area.width, area.y + area.height / 2];
    await page.mouse.click(...at(2 / 3));
    await settled(page);
    const { time } = await view(page);
    assert.ok(Math.abs(time - 0.2) < 0.0101, `two thirds of the plot is ${time} s`);
    assert.equal(await page.evaluate(() => window.brunt.player.frames[0].time), time, "the picture goes there too");
    assert.equal(Number(await page.locator("#scrub").inputValue()), time, "and the slider");
    await page.mouse.move(...at(2 / 3));
    await page.mouse.down();
    await page.mouse.move(...at(0.2), { steps: 6 });
    await page.mouse.up();
    await settled(page);
    assert.ok(Math.abs((await view(page)).time - 0.06) < 0.0101, "a drag takes the time along");
});

check("while playing the line moves", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await openTab(page, "plots");
    await page.selectOption("#speed", "0.1");
    await page.click("#first"); // a page opens where the run tells most
    await page.click("#play");
    const first = await cursor(page, "energy");
    await eventually("the line moves", async () => await cursor(page, "energy") > first + 0.1);
    await page.click("#play");
});

check("lines are hidden, plots removed and added, the time zoomed", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await openTab(page, "plots");
    await plot(page, "energy").locator(".u-over").scrollIntoViewIfNeeded();
    const before = await picture(page);
    const box = await plot(page, "energy").locator(".u-over").boundingBox();
    await plot(page, "energy").locator('[data-series="gravity"]').click();
    await settled(page);
    assert.ok(changed(before, await picture(page), box) > 0.002, "a hidden line is still drawn");
    await page.getByRole("button", { name: "Remove the plot Energies" }).click();
    await plot(page, "energy").waitFor({ state: "detached" });
    assert.ok(!(await view(page)).plots.includes("energy"));
    await page.getByText("Choose plots").click();
    await page.getByLabel("top: velocity").check(); // a probe of the scene
    await plot(page, "top.v").locator("canvas").waitFor();
    const row = readRun("cube-stack").series.at(-1);
    await page.click("#last");
    await settled(page);
    const unit = await plot(page, "top.v").locator(".unit").first().textContent();
    near(quantity(`${await valueOf(page, "top.v", "top.vz")} ${unit}`, "m/s"), row["top.vz"], 1e-6, "velocity of the probe");
});

const checkShear = async (page, first) => {
    const run = readRun("rubber-block");
    for (const index of [4, 14, 20]) {
        await choose(page, { time: run.frames[index].time });
        const row = run.series.find((one) => Math.abs(one.time - run.frames[index].time) < 1e-9);
        const [x, y] = (await first.locator(".value").textContent()).split(",");
        // Single precision of 6 mm and 136 N.
        near(quantity(x, "m"), row["plate.dx"], 1e-9, `displacement at ${row.time} s`);
        near(quantity(y, "N"), row["plate.force_x"], 1e-5, `force at ${row.time} s`);
    }
    // The dot is at the end of the curve, a click in its beginning goes there.
    const area = await first.locator(".u-over").boundingBox(), dot = await first.locator(".plot-dot").boundingBox();
    assert.ok(dot.x + dot.width / 2 > area.x + 0.9 * area.width && dot.y + dot.height / 2 < area.y + 0.1 * area.height, "the dot is not at the end");
    await page.mouse.click(area.x + 0.5 * area.width, area.y + 0.5 * area.height);
    await settled(page);
    // The shear goes from 0.5 s to 1 s at one speed: its middle is at 0.75 s.
    assert.ok(Math.abs((await view(page)).time - 0.75) < 0.0501, `the middle of the curve is ${(await view(page)).time} s`);
};

check("the plots that the scene asks for come first, in its order", async ({ open }) => {
    const page = await open(reportUrl("rubber-block"));
    await openTab(page, "plots");
    const ids = await page.locator(".plot").evaluateAll((plots) => plots.map((one) => one.dataset.chart));
    assert.deepEqual(ids.slice(0, 2), ["xy:plate.dz:plate.force_z", "xy:plate.dx:plate.force_x"]);
    assert.equal(await plot(page, ids[0]).locator("h4").textContent(), "plate: reaction z over displacement z");
    assert.equal(await plot(page, ids[0]).locator(".unit").textContent(), "N");
    assert.equal(await plot(page, ids[0]).locator(".plot-x").textContent(), "plate: displacement z [mm]");
    await page.getByText("Choose plots").click();
    assert.equal((await page.locator(".plot-choices h5").allTextContents())[0], "Of the scene");
});

check("points that the scene has for its plot stand beside the curve", async ({ open }) => {
    const page = await open(`${reportUrl("cylinder-press")}#th=light`), run = readRun("cylinder-press");
    await openTab(page, "plots");
    await choose(page, { time: run.frames.at(-1).time });
    const first = page.locator(".plot").first();
    assert.equal(await first.getAttribute("data-chart"), "xy:plate.dy:plate.force_y");
    assert.deepEqual(await first.locator(".key-label").allTextContents(), ["at the moment shown", "published"]);
    // The last of them is half a percent from the end of the curve, where the dot is: a circle in the colour of text, 3.5 pixels wide.
    const dark = await first.evaluate((element) => {
        const canvas = element.querySelector("canvas"), [dot, area] = [element.querySelector(".plot-dot"), canvas].map((one) => one.getBoundingClientRect());
        const scale = canvas.width / area.width, at = (low, from, size) => Math.round((low + size / 2 - from - 8) * scale);
        const { data } = canvas.getContext("2d").getImageData(at(dot.x, area.x, dot.width), at(dot.y, area.y, dot.height), 16 * scale, 16 * scale);
        let count = 0;
        for (let k = 0; k < data.length; k += 4) {
            count += data[k + 3] > 200 && Math.max(data[k], data[k + 1], data[k + 2]) < 80 ? 1 : 0;
        }
        return count;
    });
    assert.ok(dark >= 8, `${dark} pixels of a circle`);
});

check("where no scene asks, force over displacement comes first, reactions and probes before what the solver did", async ({ open }) => {
    const page = await open(reportUrl("rubber-block-unasked"));
    await openTab(page, "plots");
    const first = page.locator(".plot").first();
    assert.equal(await first.getAttribute("data-chart"), "xy:plate.dx:plate.force_x");
    await checkShear(page, first);
    await page.getByText("Choose plots").click();
    const groups = await page.locator(".plot-choices h5").allTextContents();
    assert.equal(groups[0], "Force over displacement");
    assert.ok(groups.indexOf("plate") < groups.indexOf("Run") && groups.indexOf("plate") >= 0, groups.join());
});

check("any column over any other, kept by the address", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    const row = readRun("cube-stack").series.at(-1);
    await openTab(page, "plots");
    await page.getByText("One column over another").click();
    await page.selectOption("#xy-y", "kinetic");
    await page.selectOption("#xy-x", "top.dz");
    await page.click("#xy-add");
    const id = "xy:top.dz:kinetic";
    await plot(page, id).locator("canvas").waitFor();
    const check = async (one) => {
        const [x, y] = (await plot(one, id).locator(".value").textContent()).split(",");
        near(quantity(x, "m"), row["top.dz"], 1e-7, "horizontal");
        near(quantity(y, "J"), row.kinetic, 1e-7, "vertical");
    };
    await check(page);
    await page.waitForFunction(() => location.hash.includes("xy%253A") || location.hash.includes("xy"));
    const again = await open(page.url());
    await check(again);
    await page.getByRole("button", { name: /^Remove the plot Kinetic over/ }).click();
    await plot(page, id).waitFor({ state: "detached" });
});

check("2D and rigid runs have their plots too", async ({ open }) => {
    for (const [name, id] of [["two-squares", "gap"], ["rigid-mix", "energy"]]) {
        const page = await open(reportUrl(name));
        await openTab(page, "plots");
        await plot(page, id).locator("canvas").waitFor();
    }
});

await runChecks("plots");
