// Tab: what may be changed while a simulation is going on.

import { formatValue } from "../draw/numbers";
import type { LiveLink, LiveState } from "../types";
import { firstRun, type Context } from "./context";
import { button, el, onceAFrame, section, setText } from "./dom";
import { formatCount, formatSpeed } from "./format";
import type { Tab } from "./panel";
import { slider, throttled } from "./slider";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];
const NAMED_PAIRS = 24; // pairs of bodies with a slider of their own

/** Words of a command are separated by blanks: a body is named by its number, a name may hold blanks itself. */
export function bodyNumber(names: readonly string[], name: string): number {
    return names.indexOf(name);
}

export class LiveTab implements Tab {
    readonly id = "live";
    readonly label = "Live";
    readonly icon = "live";
    private updates: ((state: LiveState) => void)[] = [];
    private readonly changing = el("div", {});
    private shape = "";

    constructor(private readonly context: Context, private readonly link: LiveLink) {}

    build(host: HTMLElement): void {
        const facts = el("dl", { class: "facts" });
        const problem = el("p", { class: "notice", hidden: true });
        const show = (): void => {
            const { state } = this.link;
            const rows: [string, string][] = [["Connection", this.link.connected ? "connected" : "lost: trying again"]];
            if (state !== null) {
                rows.push(["Simulated", `${formatValue(state.time, "s")}, step ${formatCount(state.step)}`],
                    ["Real-time rate", formatSpeed(state.rate)], ["Frames not sent", formatCount(state.dropped)]);
            }
            facts.replaceChildren(...rows.flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, text)]));
            const trouble = state?.error ?? this.link.problem;
            problem.hidden = trouble === null;
            setText(problem, trouble ?? "");
            if (state !== null) {
                this.adapt(state);
                this.updates.forEach((update) => update(state));
            }
        };
        host.append(section("Simulation", facts, problem), this.changing,
            section("By hand", el("p", { class: "hint" },
                "Alt + drag in the picture, or the grab mode (G) and a plain drag, pulls a body by a spring. "
                + "Obstacles are moved by the sliders above.")));
        this.link.onChange(onceAFrame(show));
        show();
    }

    /** The knobs depend on what there is to change: they are built once that is known, and anew if it differs. */
    private adapt(state: LiveState): void {
        const shape = JSON.stringify([state.friction.map((pair) => pair.bodies), state.motions.map((motion) => motion.name), state.movable]);
        if (shape === this.shape) {
            return;
        }
        this.shape = shape;
        this.updates = [];
        this.changing.replaceChildren(this.speed(), this.gravity(), this.friction(state), this.motions(state), this.obstacles(state));
    }

    private speed(): HTMLElement {
        const send = throttled((command) => this.link.send(command));
        const select = el("select", {
            id: "live-speed", class: "select wide", "aria-label": "Speed of the simulation", onchange: () => send(`speed ${select.value}`),
        }, el("option", { value: "0" }, "as fast as it can"),
        ...SPEEDS.map((value) => el("option", { value }, `at most ${formatSpeed(value)} real time`)));
        this.updates.push((state) => {
            if (document.activeElement !== select) {
                select.value = String(state.speed);
            }
        });
        return section("Speed", select);
    }

    private gravity(): HTMLElement {
        const run = firstRun(this.context);
        const send = throttled((command) => this.link.send(command));
        const axes = ["x", "y", "z"].slice(0, run.dimension);
        const now = [0, 0, 0];
        const sliders = axes.map((axis, i) => slider(`${axis} [m/s²]`, -20, 20, 0.01, (value) => {
            now[i] = value;
            send(`gravity ${now.join(" ")}`);
        }));
        this.updates.push((state) => state.gravity.forEach((value, i) => {
            now[i] = value;
            sliders[i]?.set(value);
        }));
        const preset = (text: string, label: string, vector: () => number[]): HTMLElement =>
            button({ label, text, class: "small", act: () => this.link.send(`gravity ${vector().join(" ")}`) });
        const size = (): number => Math.hypot(...now) || 9.81;
        const presets = [preset("none", "No gravity", () => [0, 0, 0])];
        axes.forEach((axis, i) => {
            for (const sign of [-1, 1]) {
                presets.push(preset(`${sign < 0 ? "−" : "+"}${axis}`, `Gravity along ${sign < 0 ? "−" : "+"}${axis}`,
                    () => [0, 1, 2].map((k) => (k === i ? sign * size() : 0))));
            }
        });
        return section("Gravity", el("div", { class: "presets" }, ...presets), ...sliders.map((one) => one.element));
    }

    private friction(state: LiveState): HTMLElement {
        const names = firstRun(this.context).bodies.map((body) => body.name);
        const parts: HTMLElement[] = [];
        const sendAll = throttled((command) => this.link.send(command));
        const all = slider("All pairs", 0, 1.5, 0.01, (value) => sendAll(`friction ${value}`));
        parts.push(all.element);
        this.updates.push((now) => now.friction[0] !== undefined && all.set(Math.max(...now.friction.map((pair) => pair.value))));
        if (state.friction.length > 1) {
            const pairs = el("details", { class: "pairs" }, el("summary", {}, "Each pair"));
            state.friction.slice(0, NAMED_PAIRS).forEach((pair, i) => {
                const numbers = pair.bodies.map((name) => bodyNumber(names, name));
                const send = throttled((command) => this.link.send(command));
                const name = `${pair.bodies[0]} – ${pair.bodies[1]}`;
                const one = slider(name, 0, 1.5, 0.01, (value) => send(`friction ${value} ${numbers.join(" ")}`));
                this.updates.push((now) => now.friction[i] !== undefined && one.set(now.friction[i].value));
                pairs.append(one.element);
            });
            if (state.friction.length > NAMED_PAIRS) {
                pairs.append(el("p", { class: "hint" }, `The first ${NAMED_PAIRS} of ${state.friction.length} pairs.`));
            }
            parts.push(pairs);
        }
        return section("Friction", ...parts);
    }

    private motions(state: LiveState): HTMLElement {
        const rows = state.motions.map((motion, i) => {
            const send = throttled((command) => this.link.send(command));
            const one = slider(motion.name, -2, 4, 0.05, (value) => send(`motion ${i} ${value}`));
            this.updates.push((now) => now.motions[i] !== undefined && one.set(now.motions[i].speed));
            return one.element;
        });
        const box = section("Speed of motions", ...rows);
        box.hidden = rows.length === 0;
        return box;
    }

    private obstacles(state: LiveState): HTMLElement {
        const run = firstRun(this.context);
        const extent = Math.max(...[0, 1, 2].map((axis) => spanOf(run.rest, axis)), 1e-6);
        const reach = Number((0.5 * extent).toPrecision(2));
        const rows = state.movable.filter((number) => run.bodies[number] !== undefined).map((number) => {
            const send = throttled((command) => this.link.send(command));
            const offset = [0, 0, 0];
            const axes = ["x", "y", "z"].slice(0, run.dimension).map((axis, i) => {
                const one = slider(`${axis} [m]`, -reach, reach, reach / 200, (value) => {
                    offset[i] = value;
                    send(`move ${number} ${offset.join(" ")}`);
                });
                one.set(0);
                return one;
            });
            const back = button({
                label: `Put ${run.bodies[number]!.name} back`, text: "Back", class: "small",
                act: () => {
                    offset.fill(0);
                    axes.forEach((one) => one.set(0));
                    this.link.send(`move ${number} 0 0 0`);
                },
            });
            return el("details", { class: "obstacle", "data-body": number }, el("summary", {}, run.bodies[number]!.name),
                ...axes.map((one) => one.element), back);
        });
        const box = section("Move obstacles", ...rows);
        box.hidden = rows.length === 0;
        return box;
    }
}

function spanOf(points: Float32Array, axis: number): number {
    let low = Infinity;
    let high = -Infinity;
    for (let i = axis; i < points.length; i += 3) {
        low = Math.min(low, points[i]!);
        high = Math.max(high, points[i]!);
    }
    return high > low ? high - low : 0;
}
