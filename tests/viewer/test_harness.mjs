// The watch on every page sees what it is there for: otherwise "no errors" would mean nothing.
import assert from "node:assert/strict";
import { check, runChecks } from "./browser.mjs";
import { eventually } from "./machine.mjs";
import { changed, readPng } from "./png.mjs";

const BAD = [
    ["an error in the console", "<script>console.error('bad')</script>", /^console error: bad/],
    ["a warning", "<script>console.warn('odd')</script>", /^console warning: odd/],
    ["an exception", "<script>throw new Error('bad')</script>", /^exception: bad/],
    ["a rejected promise", "<script>Promise.reject(new Error('bad'))</script>", /^exception: bad/],
    ["a request to elsewhere", "<img src=http://127.0.0.1:9/x>", /^request to elsewhere: http:\/\/127\.0\.0\.1:9/],
];

for (const [name, markup, pattern] of BAD) {
    check(`seen: ${name}`, async ({ open }) => {
        const page = await open(`data:text/html,${encodeURIComponent(markup)}`, { ready: false, expected: [/./] });
        await eventually(name, () => page.trouble.some((text) => pattern.test(text)), 5000);
    });
}

check("a quiet page has no trouble, and its pixels are read as they are", async ({ open }) => {
    const page = await open("data:text/html,<body style='margin:0;background:linear-gradient(90deg,%23f00 50%25,%23123456 50%25)'>",
        { ready: false, viewport: { width: 200, height: 100 } });
    const first = readPng(await page.screenshot());
    assert.deepEqual([first.width, first.height], [200, 100]);
    assert.deepEqual(first.at(50, 50), [255, 0, 0]);
    assert.deepEqual(first.at(150, 50), [0x12, 0x34, 0x56]);
    await page.evaluate(() => (document.body.style.background = "#f00"));
    const second = readPng(await page.screenshot());
    assert.equal(changed(first, second), 0.5);
    assert.equal(changed(first, first), 0);
});

await runChecks("harness");
