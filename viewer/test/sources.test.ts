import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { FrameCache } from "../src/data/cache";
import { EmbeddedSource } from "../src/data/embedded";
import { LiveSource } from "../src/data/live";
import { Packet } from "../src/data/packet";
import { runOf } from "../src/data/run";
import type { Frame, Source } from "../src/types";
import { element } from "./packet.mjs";
import { sampleFrame, sampleRun } from "./sample.mjs";

const OPTIONS = { rings: 6, frames: 5, end: 1 };
const buffer = (bytes: Buffer): ArrayBuffer => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
const textOf = (): string => element([sampleRun(OPTIONS), ...[0, 1, 2, 3, 4].map((k) => sampleFrame(OPTIONS, k))]).replace(/<[^>]*>/g, "");
const open = (text: string): Promise<Source> => EmbeddedSource.open(text, new FrameCache(1e9));

const frame = (index: number, vertices = 1000): Frame => ({
    index, time: index, step: index, position: new Float32Array(3 * vertices), fields: new Map(), bytes: 12 * vertices,
    contacts: { count: 0, total: 0, data: new Float32Array(0), normal: new Int16Array(0), body: new Uint16Array(0), stick: new Uint8Array(0) },
});

test("a run in the page's own file", async () => {
    const source = await open(textOf());
    assert.equal(source.run.times.length, 5);
    const [third, again] = await Promise.all([source.frame(3), source.frame(3)]);
    assert.equal(third.time, 0.75);
    assert.equal(third, again);
    assert.equal((await source.frame(0)).time, 0);
});

test("a file that was cut off shows what it has", async () => {
    const whole = textOf().trim().split("\n");
    const source = await open(whole.slice(0, 3).join("\r\n"));
    assert.deepEqual(source.run.times, [0, 0.25]);
    await assert.rejects(source.frame(3), /no frame 3/);
});

test("damaged files say so", async () => {
    const lines = textOf().trim().split("\n");
    await assert.rejects(open(""), /no data/);
    await assert.rejects(open("this is not base64!"), /base64/);
    await assert.rejects(open(Buffer.from("not zlib").toString("base64")), /unpacked/);
    await assert.rejects(open(deflateSync(Buffer.from("hello world")).toString("base64")), /not data of brunt/);
    await assert.rejects(open(lines[1]!), /description of a run/);
    const torn = await open([lines[0], lines[1], lines[2]!.slice(0, 100)].join("\n"));
    await assert.rejects(torn.frame(1), /unpacked/);
    // What went wrong once may go well the next time: nothing is remembered.
    await assert.rejects(torn.frame(1), /unpacked/);
    assert.equal((await torn.frame(0)).time, 0);
});

test("the cache forgets what was not used for longest", async () => {
    // A frame takes 12 000 bytes: four fit.
    const cache = new FrameCache(50000);
    let fetched = 0;
    const load = (key: number): Promise<Frame> => cache.load(key, async () => (fetched++, frame(key)));
    for (const key of [0, 1, 2, 3]) {
        await load(key);
    }
    await load(0);
    assert.equal(fetched, 4);
    await load(4);
    assert.equal(cache.get(1), null);
    assert.ok(cache.get(0) && cache.get(4));
    // One that is larger than all room is still handed out.
    const large = await cache.load(9, async () => frame(9, 100000));
    assert.equal(large.index, 9);
    assert.equal(cache.get(0), null);
});

/** A connection that the test holds in its hands. */
class FakeSocket {
    static all: FakeSocket[] = [];
    static readonly OPEN = 1;
    readyState = 0;
    sent: string[] = [];
    onopen: () => void = () => undefined;
    onclose: () => void = () => undefined;
    onmessage: (event: { data: unknown }) => void = () => undefined;
    constructor(readonly address: string) {
        FakeSocket.all.push(this);
    }
    open(): void {
        this.readyState = 1;
        this.onopen();
    }
    say(data: Buffer | string): void {
        this.onmessage({ data: typeof data === "string" ? data : buffer(data) });
    }
    lose(): void {
        this.readyState = 3;
        this.onclose();
    }
    send(text: string): void {
        this.sent.push(text);
    }
    close(): void {
        this.lose();
    }
}

const LIVE = { ...OPTIONS, frames: 101, end: 10, live: true };

function live(history = 1e9): { source: LiveSource; socket: () => FakeSocket } {
    FakeSocket.all = [];
    (globalThis as unknown as { WebSocket: unknown }).WebSocket = FakeSocket;
    const source = new LiveSource(runOf(new Packet(buffer(sampleRun(LIVE)))), "ws://x/live", new FrameCache(1e9), history);
    return { source, socket: () => FakeSocket.all[FakeSocket.all.length - 1]! };
}

const row = (k: number): number[] => [k / 10, k, 2 * k, 3, 1e-3];

test("live: frames come, are kept, and the next is asked for once one is drawn", async () => {
    const { source, socket } = live();
    let told = 0;
    source.onChange(() => told++);
    socket().open();
    assert.ok(source.connected);
    socket().say(sampleRun(LIVE));
    for (const k of [1, 2, 5]) {
        socket().say(sampleFrame(LIVE, k, row(k)));
        assert.deepEqual(socket().sent.length, [0, 0, 1, 1, 1, 2][k]);
        source.drawn();
        source.drawn();
    }
    assert.deepEqual(socket().sent, ["ack 1", "ack 2", "ack 5"]);
    assert.deepEqual(source.run.times.map((t) => t.toFixed(1)), ["0.1", "0.2", "0.5"]);
    assert.equal((await source.frame(1)).index, 2);
    assert.deepEqual([...source.run.series.column("kinetic")!], [1, 2, 5]);
    socket().say(JSON.stringify({ kind: "state", running: true, time: 0.5 }));
    assert.equal(source.state!.time, 0.5);
    assert.ok(told >= 6);
    source.close();
});

test("live: ranges grow with what comes", () => {
    const { source, socket } = live();
    source.run.fields.forEach((field) => (field.range = [0, 0]));
    socket().open();
    socket().say(sampleFrame(LIVE, 4, row(4)));
    const first = source.run.fields[0]!.range[1];
    assert.ok(first > 0);
    socket().say(sampleFrame(LIVE, 5, row(5)));
    assert.ok(source.run.fields[0]!.range[1] >= first);
    source.close();
});

test("live: a reset forgets what came after, a repeated step is replaced", async () => {
    const { source, socket } = live();
    socket().open();
    [1, 2, 3, 4].forEach((k) => socket().say(sampleFrame(LIVE, k, row(k))));
    socket().say(sampleFrame(LIVE, 4, row(4)));
    assert.equal(source.run.times.length, 4);
    socket().say(sampleFrame(LIVE, 2, row(2)));
    assert.deepEqual(source.run.times.map((t) => t.toFixed(1)), ["0.1", "0.2"]);
    assert.equal(source.run.series.rows, 2);
    socket().say(sampleFrame(LIVE, 0, row(0)));
    assert.deepEqual(source.run.times, [0]);
    assert.equal((await source.frame(0)).time, 0);
    source.close();
});

test("live: old frames are thinned out, the newest stay, all of the past stays in reach", async () => {
    const size = sampleFrame(LIVE, 7, row(7)).length;
    const { source, socket } = live(60 * size);
    socket().open();
    for (let k = 0; k <= 100; k++) {
        socket().say(sampleFrame(LIVE, k, row(k)));
        // The last three seconds are whole at any moment.
        const newest = source.run.times.slice(-31).map((time) => Math.round(10 * time));
        newest.forEach((step, i) => assert.equal(step, k - newest.length + 1 + i));
    }
    const { times } = source.run;
    assert.ok(times.length <= 61 && times.length > 32, `${times.length}`);
    assert.equal(times[0], 0);
    assert.deepEqual(times.slice(-5).map((t) => t.toFixed(1)), ["9.6", "9.7", "9.8", "9.9", "10.0"]);
    for (let k = 0; k < times.length; k++) {
        assert.equal((await source.frame(k)).time, times[k]);
    }
    await assert.rejects(source.frame(times.length), /not kept/);
    source.close();
});

/** setTimeout in the test's hands, until it is given back. */
function holdTimers(): { pass(ms: number): void; giveBack(): void } {
    const real = globalThis.setTimeout;
    let now = 0;
    let waiting: { due: number; act: () => void }[] = [];
    globalThis.setTimeout = ((act: () => void, wait = 0) => waiting.push({ due: now + wait, act })) as unknown as typeof setTimeout;
    return {
        pass: (ms) => {
            now += ms;
            const due = waiting.filter((one) => one.due <= now);
            waiting = waiting.filter((one) => one.due > now);
            due.forEach((one) => one.act());
        },
        giveBack: () => (globalThis.setTimeout = real),
    };
}

test("live: a lost connection is tried again, each time later", (t) => {
    const timers = holdTimers();
    t.after(() => timers.giveBack());
    const { source, socket } = live();
    socket().open();
    socket().say(sampleFrame(LIVE, 1, row(1)));
    const waits: number[] = [];
    for (let k = 0; k < 6; k++) {
        const before = FakeSocket.all.length;
        socket().lose();
        assert.equal(source.connected, false);
        assert.match(source.problem!, /lost/);
        let waited = 0;
        while (FakeSocket.all.length === before && waited < 10000) {
            timers.pass(100);
            waited += 100;
        }
        waits.push(waited);
    }
    assert.deepEqual(waits, [300, 600, 1200, 2400, 3000, 3000]);
    socket().open();
    assert.equal(source.problem, null);
    // What was drawn of the old connection is not told to the new one.
    source.drawn();
    assert.deepEqual(socket().sent, []);
    socket().say(sampleFrame(LIVE, 2, row(2)));
    assert.deepEqual(source.run.times.map((time) => time.toFixed(1)), ["0.1", "0.2"]);
    // After a success it starts with short waits again.
    const before = FakeSocket.all.length;
    socket().lose();
    timers.pass(300);
    assert.equal(FakeSocket.all.length, before + 1);
    source.close();
});

test("live: what cannot be read does not end the stream", () => {
    const { source, socket } = live();
    socket().open();
    socket().say("{ not json");
    assert.ok(source.problem);
    socket().say(Buffer.from("BRN?"));
    assert.match(source.problem!, /not data of brunt/);
    socket().say(sampleFrame(LIVE, 3, row(3)));
    assert.equal(source.run.times.length, 1);
    source.close();
});
