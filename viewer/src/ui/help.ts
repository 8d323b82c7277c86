// The help sheet: all keys, and what the pointer does.

import { button, el } from "./dom";
import type { Shortcut } from "./shortcuts";

const POINTER: [string, string][] = [
    ["Drag", "turn"], ["Right or Shift + drag", "move"], ["Wheel", "zoom"], ["Click a body", "pin its value"], ["Two fingers", "move and zoom"],
];

function keys(shown: string): HTMLElement {
    const parts = shown.split(" ");
    // A plus between keys joins them; alone it is a key.
    return el("dt", {}, ...parts.map((part) => (parts.length > 1 && ["or", "to", "+"].includes(part) ? ` ${part} ` : el("kbd", {}, part))));
}

export class Help {
    readonly element: HTMLDialogElement;

    constructor(private readonly table: () => Shortcut[], private readonly extra: () => [string, string][]) {
        this.element = el("dialog", { id: "help-sheet", class: "help", "aria-labelledby": "help-title" });
        // A click on what is around the sheet closes it.
        this.element.addEventListener("click", (event) => {
            if (event.target === this.element) {
                this.element.close();
            }
        });
    }

    toggle(): void {
        if (this.element.open) {
            this.element.close();
        } else {
            this.fill();
            this.element.showModal();
        }
    }

    private fill(): void {
        const groups = new Map<string, HTMLElement[]>();
        for (const entry of this.table()) {
            const rows = groups.get(entry.group) ?? [];
            if (entry.shown === "") {
                continue; // one of several that another entry stands for
            }
            rows.push(el("div", {}, keys(entry.shown), el("dd", {}, entry.does)));
            groups.set(entry.group, rows);
        }
        groups.set("Pointer", [...POINTER, ...this.extra()].map(([what, does]) => el("div", {}, el("dt", {}, what), el("dd", {}, does))));
        const close = button({ id: "help-close", label: "Close", key: "Escape", icon: "close", act: () => this.element.close() });
        this.element.replaceChildren(
            el("div", { class: "help-body" },
                el("header", {}, el("h2", { id: "help-title" }, "Keys and pointer"), close),
                el("div", { class: "help-groups" },
                    ...[...groups].map(([title, rows]) => el("section", {}, el("h3", {}, title), el("dl", {}, ...rows))))));
    }
}
