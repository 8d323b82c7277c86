// The bar above the picture of a simulation that is going on: how it stands, pause, step, start again.

import type { LiveLink } from "../types";
import { firstRun, type Context } from "./context";
import { button, el, onceAFrame, press, setIcon, setText } from "./dom";
import { formatSpeed, formatTime, timeDigits } from "./format";
import type { Grab } from "./grab";

/** Where the connection stands, in a word. */
export function linkState(link: LiveLink): { text: string; kind: "ok" | "wait" | "bad" } {
    const { state } = link;
    if (!link.connected) {
        return { text: "reconnecting", kind: "bad" };
    }
    if (state === null) {
        return { text: "connecting", kind: "wait" };
    }
    if (state.error !== null) {
        return { text: "failed", kind: "bad" };
    }
    // One may let it run on behind the scene's end.
    return state.running ? { text: "running", kind: "ok" } : { text: state.done ? "at its end" : "paused", kind: "wait" };
}

export class LiveBar {
    readonly element: HTMLElement;
    private readonly dot = el("span", { class: "live-dot" });
    private readonly word = el("strong", { id: "live-state", role: "status" });
    private readonly rate = el("span", { class: "muted" });
    private readonly run: HTMLButtonElement;
    private readonly digits: number;
    private connected: boolean | null = null; // null: never so far
    private error: string | null = null;

    constructor(private readonly context: Context, private readonly link: LiveLink, grab: Grab) {
        this.digits = timeDigits(firstRun(context).step);
        this.run = button({ id: "live-run", label: "Pause the simulation", key: "S", icon: "pause", act: () => this.flip() });
        const hand = button({
            id: "live-grab", label: "Grab bodies with the pointer", key: "G", icon: "grab", pressed: false, act: () => grab.toggle(),
        });
        grab.onChange(() => press(hand, grab.on));
        this.element = el("div", { class: "live-bar", role: "toolbar", "aria-label": "Simulation" }, this.dot, this.word, this.rate, this.run,
            button({ id: "live-step", label: "One step", key: "N", icon: "step", act: () => this.step() }),
            button({ id: "live-reset", label: "Start again from the beginning", icon: "reset", act: () => this.reset() }), hand);
        const show = onceAFrame(() => this.show());
        link.onChange(show);
        show();
    }

    flip(): void {
        this.link.send(this.link.state?.running === true ? "pause" : "resume");
    }

    step(): void {
        this.context.player.follow();
        this.link.send("step 1");
    }

    reset(): void {
        this.link.send("reset");
        this.context.player.follow();
    }

    /** What one should know also without looking at the bar. */
    private announce(): void {
        const { status } = this.context;
        const error = this.link.state?.error ?? null;
        if (this.connected !== null && this.link.connected !== this.connected) {
            this.connected = this.link.connected;
            status.show(this.connected ? "Connected again" : "The connection to brunt is lost: trying again", this.connected ? "info" : "problem");
        }
        if (error !== this.error) {
            this.error = error;
            if (error !== null) {
                status.show(error, "problem");
            }
        }
    }

    private show(): void {
        const { text, kind } = linkState(this.link);
        const { state } = this.link;
        this.connected ??= this.link.connected || null;
        this.dot.className = `live-dot ${kind}`;
        setText(this.word, text);
        setText(this.rate, state === null ? "" : `${formatTime(state.time, this.digits)} · ${formatSpeed(state.rate)}`);
        this.announce();
        const running = state?.running === true;
        setIcon(this.run, running ? "pause" : "play");
        this.run.setAttribute("aria-label", running ? "Pause the simulation" : "Let the simulation run");
        this.run.title = `${running ? "Pause the simulation" : "Let the simulation run"} (S)`;
    }
}
