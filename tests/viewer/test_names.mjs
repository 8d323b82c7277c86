// Names and texts of a scene are shown, never interpreted; and what is wrong with a file is said.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check, choose, openTab, project, reportUrl, runChecks, settled, view } from "./browser.mjs";
import { RUNS } from "./machine.mjs";

const FOLDER = "names <img src=x onerror=hacked=1>";
const NAMES = [
    `<img src=x onerror="window.hacked='body'">`,
    `</script><script>window.hacked='body'</script>`,
    `<!--brunt:data--><svg onload=window.hacked='body'>`,
];

/** Elements that the page has no use for, and attributes that run something. */
const strange = (page) => page.evaluate(() => {
    const found = [...document.querySelectorAll(
        "img, iframe, object, embed, base, link, form, b, u, title ~ title, script:not([type]) ~ script:not([type])")];
    const acting = [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(({ name, value }) =>
        name.startsWith("on") || (["href", "src", "action"].includes(name) && /^\s*javascript:/i.test(value))));
    const ran = window.hacked === undefined ? [] : [`ran: ${window.hacked}`];
    return [...found, ...acting].map((element) => element.outerHTML.slice(0, 200)).concat(ran);
});

check("markup in names, titles, texts and the folder's name is only text", async ({ open }) => {
    const page = await open(reportUrl(FOLDER));
    page.on("dialog", (dialog) => page.trouble.push(`dialog: ${dialog.message()}`));
    assert.match(await page.textContent("h1"), /<\/title><img src=x/);
    assert.match(await page.title(), /<\/title><img src=x/);
    const shown = await page.evaluate(() => window.brunt.sources[0].run.bodies.map(({ name }) => name));
    assert.deepEqual(shown, NAMES);
    for (const tab of ["colours", "bodies", "contacts", "plots", "scene", "summary"]) {
        await openTab(page, tab);
        assert.deepEqual(await strange(page), [], `tab ${tab}`);
    }
    await openTab(page, "bodies");
    const rows = await page.locator(".body-row .body-name").allTextContents();
    NAMES.forEach((name, k) => assert.ok(rows[k].startsWith(name), `${rows[k]} is not ${name}`));
    await openTab(page, "scene");
    assert.ok((await page.textContent("#panel-scene")).includes("</script><script>window.hacked='title'</script>"));

    // Plots of a probe and a hold with such names: chosen, drawn, in the address and back.
    await openTab(page, "plots");
    await page.getByText("Choose plots").click();
    const boxes = page.locator(".plot-choices input[type=checkbox]");
    for (let k = 0; k < await boxes.count(); k++) {
        await boxes.nth(k).check();
    }
    assert.deepEqual(await strange(page), []);
    await openTab(page, "colours");
    for (const k of [0, 1]) {
        const centre = await page.evaluate((body) => {
            const { vertexFirst, vertexCount } = window.brunt.sources[0].run.bodies[body];
            const { position } = window.brunt.player.frames[0];
            const mean = [0, 0, 0];
            for (let v = vertexFirst; v < vertexFirst + vertexCount; v++) {
                mean.forEach((_, axis) => (mean[axis] += position[3 * v + axis] / vertexCount));
            }
            return mean;
        }, k);
        const { x, y } = await project(page, centre);
        await page.mouse.move(x, y);
        await page.locator(".tip:visible").waitFor();
        assert.equal(await page.locator(".tip-name").textContent(), NAMES[k]);
        await page.mouse.click(x, y);
    }
    await page.locator(".pin-row").nth(1).waitFor();
    assert.deepEqual(await strange(page), [], "tips and pins");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#screenshot")]);
    assert.match(download.suggestedFilename(), /^[\p{L}\p{N}._-]+\.png$/u);
    await settled(page);
    const plots = (await view(page)).plots.length;
    await page.waitForFunction(() => location.hash.includes("pl="));
    const again = await open(page.url());
    await openTab(again, "plots");
    assert.equal((await view(again)).plots.length, plots, "plots with such names come back from the address");
    assert.deepEqual(await strange(again), []);
});

check("the file itself holds no text of the scene outside its packed data", async () => {
    const text = readFileSync(join(RUNS, FOLDER, "report.html"), "utf8");
    assert.equal(text.includes("hacked"), false);
    const plain = readFileSync(join(RUNS, "cube-stack", "report.html"), "utf8");
    const count = (html) => html.split("<script").length;
    assert.equal(count(text), count(plain), "another number of scripts");
});

check("the page's policy runs no script but its own, and loads nothing", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"), { expected: [/Content Security Policy|Refused|request/i] });
    await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.hacked = 1";
        document.body.append(script);
        const image = document.createElement("img");
        image.src = "http://127.0.0.1:9/x.png";
        document.body.append(image);
    });
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.ok(page.trouble.some((text) => /Content Security Policy/.test(text)));
    assert.ok(await page.evaluate(() => fetch("http://127.0.0.1:9/").then(() => false, () => true)), "a request got out");
});

check("a damaged file says what is wrong", async ({ open }) => {
    const whole = readFileSync(join(RUNS, "cube-stack", "report.html"), "utf8");
    const start = whole.indexOf('<script type="application/x-brunt">');
    const data = whole.indexOf("\n", start) + 1;
    const end = whole.indexOf("\n", data);
    const damages = {
        "not base64": whole.slice(0, data + 100) + "!!!!" + whole.slice(data + 104),
        "other bytes": whole.slice(0, data + 200) + "AAAAAAAAAAAAAAAA" + whole.slice(data + 216),
        "the run's packet is cut": whole.slice(0, data + ((end - data) >> 1)) + whole.slice(end),
        "no data at all": whole.slice(0, start) + whole.slice(whole.indexOf("</script>", start) + "</script>".length),
    };
    const folder = mkdtempSync(join(tmpdir(), "brunt-damaged-"));
    try {
        for (const [name, text] of Object.entries(damages)) {
            const path = join(folder, "report.html");
            writeFileSync(path, text);
            const page = await open(pathToFileURL(path).href, { ready: false });
            await page.getByRole("alert").or(page.locator(".failure")).first().waitFor();
            assert.match(await page.textContent("body"), /cannot be shown|damaged|incomplete|no run/i, name);
        }
        // A frame in the middle: the others can be seen, and the one that cannot is named.
        const lines = whole.slice(data, whole.indexOf("</script>", data)).split("\n");
        lines[15] = lines[15].slice(0, lines[15].length >> 1);
        writeFileSync(join(folder, "report.html"), whole.slice(0, data) + lines.join("\n") + whole.slice(whole.indexOf("</script>", data)));
        const page = await open(pathToFileURL(join(folder, "report.html")).href);
        const times = await page.evaluate(() => window.brunt.player.times);
        await choose(page, { time: times[14] });
        await page.getByRole("alert").waitFor();
        await choose(page, { time: times[20] });
        assert.equal(await page.evaluate(() => window.brunt.player.frames[0].index), 20, "it does not go on after a damaged frame");
    } finally {
        rmSync(folder, { recursive: true });
    }
});

await runChecks("names");
