import assert from "node:assert/strict";
import test from "node:test";
import { Player } from "../src/play/player";
import { frameAt, mergeTimes } from "../src/play/timeline";
import type { Frame, LiveLink, Run, Source } from "../src/types";
import { Store, type View } from "../src/view";

// The browser's clock, in the test's hands.
let now = 0;
let waiting: ((time: number) => void)[] = [];
Object.assign(globalThis, { requestAnimationFrame: (act: (time: number) => void) => waiting.push(act) });
Object.defineProperty(performance, "now", { value: () => now });

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

async function pass(seconds: number, step = 1 / 60): Promise<void> {
    for (let t = 0; t < seconds - 1e-9; t += step) {
        now += 1000 * step;
        const acts = waiting;
        waiting = [];
        acts.forEach((act) => act(now));
        await settle();
    }
}

class FakeSource implements Source {
    live: LiveLink | null = null;
    run: Run;
    asked: number[] = [];
    held: (() => void)[] | null = null; // frames that wait for the test to let them go

    constructor(times: number[]) {
        this.run = { times, modes: [] } as unknown as Run;
    }

    frame(index: number): Promise<Frame> {
        this.asked.push(index);
        const frame = { index, time: this.run.times[index] } as Frame;
        if (!this.held) {
            return Promise.resolve(frame);
        }
        return new Promise((resolve) => this.held!.push(() => resolve(frame)));
    }
}

const store = (change: Partial<View> = {}): Store => new Store({ time: 0, playing: false, speed: 1, loop: false, ...change } as View);
const grid = (count: number, step: number): number[] => Array.from({ length: count }, (_, k) => k * step);

function played(sources: Source[], view: Store): { player: Player; shown: number[][] } {
    waiting = [];
    const player = new Player(sources, view), shown: number[][] = [];
    player.onFrame((frames) => shown.push(frames.map((frame) => (frame ? frame.index : -1))));
    return { player, shown };
}

test("the last frame at or before a time", () => {
    const times = [0, 0.1, 0.2, 0.5];
    assert.deepEqual([-1, 0, 0.05, 0.1, 0.3, 0.5, 9].map((t) => frameAt(times, t)), [0, 0, 0, 1, 2, 3, 3]);
    // Written into the address and read back.
    assert.equal(frameAt(grid(1001, 0.1 / 3), Number((700 * (0.1 / 3)).toPrecision(12))), 700);
    assert.equal(frameAt([], 1), -1);
    assert.deepEqual(mergeTimes([[0, 0.1, 0.2], [0, 0.15, 0.2 + 1e-12]]), [0, 0.1, 0.15, 0.2]);
    assert.deepEqual(mergeTimes([]), []);
});

test("the frame of the view's time is shown, steps go from frame to frame", async () => {
    const view = store({ time: 0.25 }), { player, shown } = played([new FakeSource(grid(11, 0.1))], view);
    await settle();
    assert.deepEqual(shown, [[2]]);
    player.step(1);
    await settle();
    assert.equal(view.get().time, 0.30000000000000004);
    player.step(-2);
    await settle();
    player.step(1e9);
    await settle();
    player.step(1);
    await settle();
    assert.deepEqual(shown, [[2], [3], [1], [10]]);
    assert.ok(player.settled);
});

test("scrubbing: while a frame is under way only the newest wish is kept", async () => {
    const source = new FakeSource(grid(101, 0.01)), view = store(), { player, shown } = played([source], view);
    await settle();
    source.held = [];
    source.asked = [];
    for (const time of [0.1, 0.2, 0.3, 0.4, 0.5]) {
        view.set({ time });
        await settle();
    }
    assert.deepEqual(source.asked, [10]);
    assert.equal(player.settled, false);
    source.held.shift()!();
    await settle();
    assert.deepEqual(source.asked, [10, 50]);
    source.held.shift()!();
    await settle();
    assert.deepEqual(shown, [[0], [10], [50]]);
    assert.ok(player.settled);
});

test("playing at a speed, to the end, and again when it loops", async () => {
    const source = new FakeSource(grid(11, 0.1)), view = store({ speed: 0.5 }), { player, shown } = played([source], view);
    await settle();
    player.toggle();
    await settle();
    await pass(1.1);
    // Half as fast: 0.55 s, less a tick.
    assert.ok(Math.abs(view.get().time - 0.55) < 0.02, `${view.get().time}`);
    assert.equal(shown[shown.length - 1]![0], 5);
    await pass(1.2);
    assert.equal(view.get().playing, false);
    assert.equal(view.get().time, 1);
    assert.deepEqual(shown.map((s) => s[0]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // From the end it starts again.
    player.toggle();
    await settle();
    await pass(0.3);
    assert.ok(view.get().time < 0.3);
    view.set({ loop: true, speed: 4 });
    await settle();
    await pass(1);
    assert.ok(view.get().playing);
    view.set({ playing: false });
    await settle();
    await pass(0.1);
    // A clock that stands does not ask for pictures.
    assert.equal(waiting.length, 0);
});

test("a browser that slept does not make the clock jump far", async () => {
    const view = store({ playing: true }), { player } = played([new FakeSource(grid(1001, 0.1))], view);
    await settle();
    await pass(0.1);
    now += 30000;
    await pass(1 / 60);
    assert.ok(view.get().time < 1.3, `${view.get().time}`);
    // But one that only draws two pictures a second keeps the pace.
    const before = view.get().time;
    await pass(3, 0.5);
    assert.ok(Math.abs(view.get().time - before - 3) < 0.01);
    assert.ok(player.end > 99);
});

test("frames are fetched in advance while playing, not while scrubbing", async () => {
    const source = new FakeSource(grid(101, 0.1)), view = store(), { player } = played([source], view);
    await settle();
    view.set({ time: 5 });
    await settle();
    assert.deepEqual(source.asked, [0, 50]);
    player.toggle();
    await settle();
    await pass(0.12);
    assert.ok(source.asked.includes(54), `${source.asked}`);
});

test("several runs with times of their own on one line", async () => {
    const view = store(), { player, shown } = played([new FakeSource(grid(5, 0.1)), new FakeSource(grid(3, 0.25))], view);
    await settle();
    assert.deepEqual(player.times.map((t) => t.toFixed(2)), ["0.00", "0.10", "0.20", "0.25", "0.30", "0.40", "0.50"]);
    player.seek(0.26);
    await settle();
    player.seek(7);
    await settle();
    assert.equal(view.get().time, 0.5);
    assert.deepEqual(shown, [[0, 0], [2, 1], [4, 2]]);
});

test("frames of several runs are handed over together, never of two moments", async () => {
    const [fast, slow] = [new FakeSource(grid(11, 0.1)), new FakeSource(grid(11, 0.1))], view = store(), { shown } = played([fast!, slow!], view);
    await settle();
    slow!.held = [];
    for (const time of [0.31, 0.61, 0.91]) {
        view.set({ time });
        await settle();
    }
    assert.deepEqual(shown, [[0, 0]]);
    for (let k = 0; k < 2; k++) {
        slow!.held.shift()!();
        await settle();
    }
    assert.deepEqual(shown, [[0, 0], [3, 3], [9, 9]]);
});

test("a frame that cannot be had is told once, and the others still come", async () => {
    const source = new FakeSource(grid(5, 0.1)), view = store(), { player, shown } = played([source], view);
    const errors: string[] = [];
    player.onError((message) => errors.push(message));
    await settle();
    const good = source.frame.bind(source);
    source.frame = (index) => (index === 2 ? Promise.reject(new Error("gone")) : good(index));
    player.step(2);
    await settle();
    await settle();
    player.step(1);
    await settle();
    assert.deepEqual(errors, ["gone"]);
    assert.deepEqual(shown, [[0], [3]]);
});

class FakeLink implements LiveLink {
    state = null;
    connected = true;
    problem = null;
    arrivals = 0;
    acks = 0;
    private listeners: (() => void)[] = [];
    send(): void {}
    drawn(): void {
        this.acks += 1;
    }
    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }
    tell(): void {
        this.listeners.forEach((listener) => listener());
    }
}

test("a live run: the newest frame, unless one looks back", async () => {
    const source = new FakeSource([]), link = new FakeLink();
    source.live = link;
    const view = store(), { player, shown } = played([source], view);
    const arrive = async (time: number): Promise<void> => {
        source.run.times.push(time);
        link.arrivals += 1;
        link.tell();
        await settle();
        await pass(0.05);
    };
    await settle();
    assert.deepEqual(shown, []);
    await arrive(0.1);
    await arrive(0.2);
    assert.deepEqual([view.get().time, player.following], [0.2, true]);
    assert.equal(link.acks, 2);
    // A message about the state alone changes nothing.
    const before = shown.length;
    link.tell();
    await settle();
    assert.equal(shown.length, before);
    player.seek(0.1);
    await settle();
    assert.equal(player.following, false);
    await arrive(0.3);
    assert.equal(view.get().time, 0.1);
    assert.equal(link.acks, 3);
    assert.deepEqual(shown[shown.length - 1], [0]);
    player.follow();
    await settle();
    assert.deepEqual(shown[shown.length - 1], [2]);
    await arrive(0.4);
    assert.equal(view.get().time, 0.4);
    // Playing from back there catches up and follows again.
    view.set({ time: 0.1, playing: true, speed: 2 });
    await settle();
    await pass(0.3);
    assert.equal(player.following, true);
});
