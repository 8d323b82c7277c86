// Short messages: seen for some seconds above the timeline, and read out by a screen reader.

import { button, el, setText } from "./dom";
import { icon } from "./icons";

export type Kind = "info" | "problem";

const SECONDS = 4;
const SECONDS_PROBLEM = 12;

export class Status {
    readonly element: HTMLElement;
    private readonly quiet = el("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
    private readonly toasts = el("div", { class: "toasts", role: "region", "aria-label": "Messages" });
    private shown = new Map<string, { element: HTMLElement; timer: number }>();

    constructor() {
        this.element = el("div", { class: "status" }, this.toasts, this.quiet);
    }

    /** Read out, not shown: what a person who sees the page sees anyway. */
    say(text: string): void {
        setText(this.quiet, text);
    }

    /** The same text twice is one message, shown longer. */
    show(text: string, kind: Kind = "info"): void {
        this.hide(text);
        const close = button({ label: "Close this message", icon: "close", class: "quiet", act: () => this.hide(text) });
        const element = el("div", { class: `toast ${kind}`, role: kind === "problem" ? "alert" : null },
            kind === "problem" ? icon("warning") : null, el("span", { class: "grow" }, text), close);
        const timer = window.setTimeout(() => this.hide(text), 1000 * (kind === "problem" ? SECONDS_PROBLEM : SECONDS));
        this.shown.set(text, { element, timer });
        this.toasts.append(element);
        // The oldest go first: a stream of messages must not cover the picture.
        if (this.shown.size > 3) {
            this.hide([...this.shown.keys()][0]!);
        }
        this.say(text);
    }

    private hide(text: string): void {
        const known = this.shown.get(text);
        if (known !== undefined) {
            clearTimeout(known.timer);
            known.element.remove();
            this.shown.delete(text);
        }
    }
}
