// Pictures and films that the page saves.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, choose, project, reportUrl, runChecks, stageBox } from "./browser.mjs";
import { changed, distance, readPng } from "./png.mjs";
import { centreOf, readRun } from "./trajectory.mjs";

async function saved(page, act, patience = 60000) {
    const [download] = await Promise.all([page.waitForEvent("download", { timeout: patience }), act()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()), path: await download.path() };
}

for (const deviceScaleFactor of [1, 2]) {
    check(`a picture is saved as it is seen, at ${deviceScaleFactor} pixels a pixel`, async ({ open }) => {
        const page = await open(reportUrl("cube-stack"), { deviceScaleFactor });
        await choose(page, { colour: "body", time: 0.1 });
        const { name, bytes } = await saved(page, () => page.click("#screenshot"));
        assert.match(name, /^cube-stack.*\.png$/);
        const box = await stageBox(page);
        const image = readPng(bytes);
        // Sides are even, as films need them.
        assert.deepEqual([image.width, image.height], [box.width, box.height].map((side) => 2 * Math.round((side * deviceScaleFactor) / 2)));
        // Bodies and background are where they are on the page.
        const frame = readRun("cube-stack").frames[10];
        const screen = readPng(await page.screenshot());
        for (const body of ["first", "second", "third", "fourth"]) {
            const at = await project(page, centreOf(frame, body));
            const [x, y] = [(at.x - box.x) * deviceScaleFactor, (at.y - box.y) * deviceScaleFactor];
            const pair = [image.at(x, y), screen.at(at.x * deviceScaleFactor, at.y * deviceScaleFactor)];
            assert.ok(distance(...pair) < 16, `${body} is ${pair[0]} in the file, ${pair[1]} on the page`);
        }
        const corner = [image.at(0.3 * image.width, 8), screen.at((box.x + 0.3 * box.width) * deviceScaleFactor, (box.y + 8) * deviceScaleFactor)];
        assert.ok(distance(...corner) < 16, `the background is ${corner[0]} in the file, ${corner[1]} on the page`);
    });
}

check("the key P saves a picture too", async ({ open }) => {
    const page = await open(reportUrl("two-squares"));
    await page.focus("#stage");
    const { bytes } = await saved(page, () => page.keyboard.press("p"));
    assert.ok(readPng(bytes).width > 100);
});

const ffmpeg = spawnSync("ffprobe", ["-version"]).status === 0;

check("a film of the whole run is saved, and other programs read it", async ({ open }) => {
    const folder = mkdtempSync(join(tmpdir(), "brunt-film-"));
    try {
        const page = await open(reportUrl("cube-stack"));
        await choose(page, { colour: "body" });
        await page.selectOption("#speed", "0.5"); // 0.6 s
        const { name, path, bytes } = await saved(page, () => page.click("#record"));
        assert.match(name, /^cube-stack.*\.webm$/);
        assert.equal(bytes.subarray(0, 4).toString("hex"), "1a45dfa3", "not a WebM file");
        if (!ffmpeg) {
            return; // tools/setup --tests installs it
        }
        const probe = spawnSync("ffprobe", ["-v", "error", "-select_streams", "v", "-count_frames", "-of", "json",
            "-show_entries", "stream=codec_name,width,height,nb_read_frames", path]);
        const [stream] = JSON.parse(probe.stdout).streams;
        const box = await stageBox(page);
        assert.match(stream.codec_name, /^vp[89]$/);
        assert.ok(Math.abs(stream.width - box.width) <= 2 && Math.abs(stream.height - box.height) <= 2, `${stream.width} x ${stream.height}`);
        // Each picture is drawn for the film, however slow the machine is: 30 a second for 0.6 s.
        assert.equal(Number(stream.nb_read_frames), 18, "pictures of the film");
        const stills = join(folder, "%03d.png");
        const split = spawnSync("ffmpeg", ["-v", "error", "-i", path, "-fps_mode", "passthrough", "-pix_fmt", "rgb24", stills]);
        assert.equal(split.status, 0, String(split.stderr));
        const [first, last] = [1, Number(stream.nb_read_frames)].map((k) => readPng(readFileSync(join(folder, `${String(k).padStart(3, "0")}.png`))));
        assert.ok(changed(first, last) > 0.005, "nothing moves in the film");
        const screen = readPng(await page.screenshot());
        const pair = [first.at(0.3 * first.width, 12), screen.at(box.x + 0.3 * box.width, box.y + 12)];
        assert.ok(distance(...pair) < 24, `the background is ${pair[0]} in the film, ${pair[1]} on the page`);
    } finally {
        rmSync(folder, { recursive: true });
    }
});

check("a film can be stopped early", async ({ open }) => {
    const page = await open(reportUrl("cube-stack"));
    await page.selectOption("#speed", "0.1");
    const { bytes } = await saved(page, async () => {
        await page.click("#record");
        await page.waitForFunction(() => document.querySelector(".recording progress").value > 0.05);
        await page.click("#record-stop");
    });
    assert.ok(bytes.length > 1000);
});

await runChecks("capture");
