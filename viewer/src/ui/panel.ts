// The panel at the side (at the bottom of a narrow window): tabs of which one or none is open.

import type { Store } from "../view";
import { button, el, follow } from "./dom";
import { icon, type IconName } from "./icons";

export interface Tab {
    id: string;
    label: string;
    icon: IconName;
    /** Fills the tab, once, when it is opened first. */
    build(host: HTMLElement): void;
    /** It became visible, or is not any more: a hidden tab should cost nothing. */
    shown?(visible: boolean): void;
}

const NARROWEST = 280; // [px]
const WIDTH = 340;

export class Panel {
    readonly element: HTMLElement;
    readonly rail: HTMLElement;
    private readonly body = el("div", { class: "panel-body" });
    private readonly title = el("h2", {});
    private readonly tabs = new Map<string, { tab: Tab; knob: HTMLButtonElement; host: HTMLElement | null }>();
    private open: string | null = null;

    constructor(tabs: readonly Tab[], private readonly store: Store, width = WIDTH) {
        this.rail = el("div", { class: "rail", role: "tablist", "aria-label": "Panel", "aria-orientation": "vertical",
            onkeydown: (event: KeyboardEvent) => this.key(event) });
        for (const tab of tabs) {
            const knob = el("button", {
                type: "button", id: `tab-${tab.id}`, class: "tab", role: "tab", "aria-controls": `panel-${tab.id}`,
                onclick: () => this.toggle(tab.id),
            }, icon(tab.icon), el("span", {}, tab.label));
            this.rail.append(knob);
            this.tabs.set(tab.id, { tab, knob, host: null });
        }
        const close = button({
            id: "panel-close", label: "Close the panel", key: "B", icon: "close", class: "quiet", act: () => this.close(),
        });
        this.element = el("aside", { class: "panel", "aria-label": "Panel" }, this.edge(width),
            el("header", { class: "panel-head" }, this.title, close), this.body);
        follow(store, ["panel"], (view) => this.show(view.panel));
    }

    toggle(id: string): void {
        this.store.set({ panel: this.store.get().panel === id ? null : id });
    }

    /** Whether there is anything in a tab: without it has no knob. */
    offer(id: string, on: boolean): void {
        this.tabs.get(id)?.knob.toggleAttribute("hidden", !on);
    }

    close(): void {
        const open = this.open;
        this.store.set({ panel: null });
        // Focus does not get lost with what is closed.
        this.tabs.get(open ?? "")?.knob.focus();
    }

    private show(id: string | null): void {
        const entry = id === null ? undefined : this.tabs.get(id);
        this.tabs.get(this.open ?? "")?.tab.shown?.(false);
        this.open = entry === undefined ? null : entry.tab.id;
        document.documentElement.classList.toggle("panel-open", entry !== undefined);
        this.element.hidden = entry === undefined;
        const first = [...this.tabs.keys()][0];
        for (const [name, { knob, host }] of this.tabs) {
            knob.setAttribute("aria-selected", String(name === this.open));
            // One stop in the order of focus; arrow keys go on from there.
            knob.tabIndex = name === (this.open ?? first) ? 0 : -1;
            if (host !== null) {
                host.hidden = name !== this.open;
            }
        }
        if (entry === undefined) {
            return;
        }
        this.title.textContent = entry.tab.label;
        if (entry.host === null) {
            entry.host = el("div", {
                id: `panel-${entry.tab.id}`, class: "tab-page", role: "tabpanel", "aria-labelledby": `tab-${entry.tab.id}`, tabindex: "-1",
            });
            this.body.append(entry.host);
            entry.tab.build(entry.host);
        }
        entry.tab.shown?.(true);
    }

    private key(event: KeyboardEvent): void {
        const knobs = [...this.tabs.values()].map((entry) => entry.knob).filter((knob) => !knob.hidden);
        const at = knobs.indexOf(document.activeElement as HTMLButtonElement);
        const steps: Record<string, number> = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: -1 };
        const next = steps[event.key];
        if (next !== undefined && at >= 0) {
            event.preventDefault();
            event.stopPropagation();
            knobs.at(next % knobs.length)?.focus();
        }
    }

    /** The edge that makes the panel wider or narrower. */
    private edge(width: number): HTMLElement {
        const edge = el("div", {
            class: "panel-edge", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": "Width of the panel",
            title: "Drag to change the width",
        });
        const set = (wish: number): void => {
            width = Math.round(Math.min(Math.max(wish, NARROWEST), Math.max(NARROWEST, window.innerWidth * 0.7)));
            document.documentElement.style.setProperty("--panel-width", `${width}px`);
            edge.setAttribute("aria-valuenow", String(width));
        };
        edge.addEventListener("pointerdown", (event) => {
            event.preventDefault();
            edge.setPointerCapture(event.pointerId);
            const from = event.clientX + width;
            const move = (moved: PointerEvent): void => set(from - moved.clientX);
            edge.addEventListener("pointermove", move);
            edge.addEventListener("lostpointercapture", () => edge.removeEventListener("pointermove", move), { once: true });
        });
        edge.addEventListener("keydown", (event) => {
            const change = event.key === "ArrowLeft" ? 24 : event.key === "ArrowRight" ? -24 : 0;
            if (change !== 0) {
                event.preventDefault();
                event.stopPropagation();
                set(width + change);
            }
        });
        set(width);
        return edge;
    }
}
