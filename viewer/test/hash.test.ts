// The view goes into the address and comes back; what is not a view is left out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readHash, writeHash } from "../src/hash";

const camera = (x, projection = "perspective") => ({ position: [x, -2.5, 1.25], target: [0, 0.5, -0.125], up: [0, 0, 1], zoom: 1.5, projection });

const START = {
    time: 0, playing: false, speed: 1, loop: true, colour: "body", range: null, follow: false, most: false, contacts: false,
    arrows: { normal: true, friction: true }, arrowScale: 1, forcesOn: null, wireframe: false, axes: true, clip: { axis: null, at: 0.5, flip: false },
    hidden: [], ghost: [], camera: null, bookmarks: [], theme: "light", panel: "colours", plots: ["energy"], pins: [], overlay: false,
    mode: 6, amplitude: 0.1,
};
const OTHER = {
    ...START, time: 0.123456789, speed: 0.25, loop: false, colour: "von_mises", range: [-1.5, 2e5], most: true, contacts: true,
    arrows: { normal: false, friction: true }, arrowScale: 2.5, forcesOn: 3, wireframe: true, axes: false, clip: { axis: "y", at: 0.25, flip: true },
    hidden: [0, 1, 2, 5], ghost: [3], camera: camera(4), bookmarks: [camera(1), camera(2, "parallel")], theme: "dark", panel: "plots",
    plots: ["gap", "a, b & c=d;e.at", "löwe.contact"], pins: [{ pane: 1, vertex: 7 }], overlay: true,
    mode: 8, amplitude: 0.035,
};
const LIMITS = {
    bodies: 8, vertices: [10, 20], colours: ["body", "von_mises"], panels: ["colours", "plots"], start: 0, end: 2, live: false, modes: 9,
};

test("every part of a view comes back", () => {
    const hash = writeHash(OTHER, START);
    assert.match(hash, /^#[\x21-\x7e]+$/);
    const back = readHash(hash, LIMITS);
    for (const key of Object.keys(OTHER)) {
        assert.deepEqual({ ...START, ...back }[key], OTHER[key], key);
    }
});

test("each part alone comes back, and only that is written", () => {
    for (const key of Object.keys(OTHER).filter((name) => JSON.stringify(OTHER[name]) !== JSON.stringify(START[name]))) {
        const hash = writeHash({ ...START, [key]: OTHER[key] }, START);
        assert.deepEqual(readHash(hash, LIMITS), { [key]: OTHER[key] }, hash);
    }
});

test("the view at the start needs no words", () => {
    assert.equal(writeHash(START, START), "");
    assert.deepEqual(readHash("", LIMITS), {});
    assert.deepEqual(readHash("#", LIMITS), {});
});

test("a closed panel and empty lists are values", () => {
    const start = { ...START, panel: "plots", hidden: [1], plots: ["gap"] };
    assert.deepEqual(readHash(writeHash({ ...start, panel: null, hidden: [], plots: [] }, start), LIMITS), { panel: null, hidden: [], plots: [] });
});

test("bad values are left out, good ones beside them stay", () => {
    for (const bad of [
        "t=3", "t=-1", "t=", "t=NaN", "t=1e999", "s=0", "s=-1", "loop=2", "c=nothing", "r=2,1", "r=1", "r=1,2,3", "r=a,b", "k=yes", "arrows=q", "as=0",
        "clip=q0.5", "clip=x2", "clip=x", "h=a", "h=1-", "cam=p1,2,3", "cam=p1,2,3,1,2,3,0,0,1,1", "cam=p1,2,3,0,0,0,0,0,0,1", "cam=p1,2,3,0,0,0,0,0,1,0",
        "cam=x1,2,3,0,0,0,0,0,1,1", "th=red", "tab=nowhere", "mode=0", "mode=10", "mode=1.5", "amp=-1", "amp=9", "pin=0.10", "pin=2.0", "pin=x", "nonsense", "=1", "c", "%E0%A4%A=1", "pl=%E0%A4%A",
    ]) {
        const view = readHash(`#${bad}&w=1`, LIMITS);
        assert.deepEqual(view, { wireframe: true }, bad);
    }
});

test("numbers of bodies that are not there are dropped, and never counted through", () => {
    assert.deepEqual(readHash("#h=6-999999999", LIMITS).hidden, [6, 7]);
    assert.deepEqual(readHash("#h=100-999999999", LIMITS).hidden, []);
});

test("at most nine bookmarks, bad ones left out", () => {
    const one = writeHash({ ...START, camera: camera(1) }, START).replace("#cam=", "");
    const many = readHash(`#b=${Array(20).fill(one).join(";")};zzz`, LIMITS);
    assert.equal(many.bookmarks.length, 9);
    assert.equal(readHash(`#b=zzz;${one}`, LIMITS).bookmarks.length, 1);
});

test("a live run has no end yet", () => {
    assert.deepEqual(readHash("#t=50", { ...LIMITS, live: true }), { time: 50 });
});

test("any text is survived", () => {
    let seed = 1;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const letters = "tcrhgb=&#,;.-%0123456789eEpoxyzcampinclip";
    for (let i = 0; i < 3000; i++) {
        const text = Array.from({ length: Math.floor(60 * random()) }, () => letters[Math.floor(letters.length * random())]).join("");
        const view = { ...START, ...readHash(`#${text}`, LIMITS) };
        // What was taken can be written, and is the same then.
        assert.deepEqual({ ...START, ...readHash(writeHash(view, START), LIMITS) }.hidden.sort(), [...view.hidden].sort());
        assert.ok(view.time >= 0 && view.time <= 2 && LIMITS.colours.includes(view.colour), text);
    }
});
