// Elements without markup: texts of a scene only ever become text nodes or attribute values.

import type { Listener, Store, View } from "../view";
import { icon, type IconName } from "./icons";

type Value = string | number | boolean | null | undefined | ((event: never) => void);
type Child = Node | string | null | undefined | false;

/** An element. "on..." are listeners, true and false switch an attribute, null and undefined leave it out. */
export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    props: Record<string, Value> = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
        if (typeof value === "function") {
            element.addEventListener(name.slice(2), value as EventListener);
        } else if (value !== null && value !== undefined && value !== false) {
            element.setAttribute(name, value === true ? "" : String(value));
        }
    }
    element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
    return element;
}

export interface ButtonOptions {
    id?: string;
    label: string; // what it does: tooltip and name for a screen reader
    key?: string; // shortcut shown in the tooltip
    icon?: IconName;
    text?: string;
    class?: string;
    pressed?: boolean; // makes it a toggle
    act: (event: MouseEvent) => void;
}

export function button(options: ButtonOptions): HTMLButtonElement {
    return el(
        "button",
        {
            type: "button",
            id: options.id,
            class: ["button", options.text === undefined ? "icon-button" : "", options.class ?? ""].join(" ").trim(),
            title: options.key === undefined ? options.label : `${options.label} (${options.key})`,
            "aria-label": options.text === undefined ? options.label : undefined,
            "aria-pressed": options.pressed === undefined ? undefined : String(options.pressed),
            "aria-keyshortcuts": options.key,
            onclick: options.act,
        },
        options.icon === undefined ? null : icon(options.icon),
        options.text === undefined ? null : el("span", {}, options.text),
    );
}

/** A toggle's state, told to eyes (CSS) and ears alike. */
export function press(element: HTMLElement, pressed: boolean): void {
    const text = String(pressed);
    if (element.getAttribute("aria-pressed") !== text) {
        element.setAttribute("aria-pressed", text);
    }
}

export function setIcon(element: HTMLElement, name: IconName): void {
    const old = element.querySelector("svg");
    if (old !== null && old.dataset["icon"] !== name) {
        old.replaceWith(icon(name));
    }
}

/** Sets a text only if it differs: no work for the browser sixty times a second. */
export function setText(element: Element, text: string): void {
    if (element.textContent !== text) {
        element.textContent = text;
    }
}

/** A row with a label and a switch. */
export function toggle(label: string, checked: boolean, change: (on: boolean) => void, hint?: string): HTMLLabelElement {
    const input = el("input", {
        type: "checkbox", role: "switch", class: "switch", onchange: () => change(input.checked),
    });
    input.checked = checked;
    return el("label", { class: "row toggle", title: hint }, el("span", { class: "grow" }, label), input);
}

export function setToggle(row: HTMLLabelElement, checked: boolean): void {
    const input = row.querySelector("input");
    if (input !== null && input.checked !== checked) {
        input.checked = checked;
    }
}

/** One of a few choices, as radio buttons side by side. */
export class Segments<T extends string> {
    readonly element: HTMLElement;
    private inputs = new Map<T, HTMLInputElement>();
    private static count = 0;

    constructor(label: string, choices: readonly [T, string][], change: (choice: T) => void) {
        const name = `segments-${Segments.count++}`;
        this.element = el("div", { class: "segments", role: "radiogroup", "aria-label": label });
        for (const [value, text] of choices) {
            const input = el("input", { type: "radio", name, value, onchange: () => change(value) });
            this.inputs.set(value, input);
            this.element.append(el("label", {}, input, el("span", {}, text)));
        }
    }

    set(choice: T | null): void {
        this.inputs.forEach((input, value) => (input.checked = value === choice));
    }

    enable(on: boolean): void {
        this.inputs.forEach((input) => (input.disabled = !on));
    }
}

export function section(title: string, ...children: Child[]): HTMLElement {
    return el("section", { class: "section" }, el("h3", {}, title), ...children);
}

export function clear(element: Element): void {
    element.replaceChildren();
}

/** Calls now and whenever one of the keys changes. */
export function follow(store: Store, keys: readonly (keyof View)[], act: Listener): void {
    act(store.get(), new Set(keys));
    store.listen((view, changed) => {
        if (keys.some((key) => changed.has(key))) {
            act(view, changed);
        }
    });
}

/** At most one call in a frame of the screen, with the newest arguments. */
export function onceAFrame<A extends unknown[]>(act: (...args: A) => void): (...args: A) => void {
    let newest: A | null = null;
    return (...args: A) => {
        if (newest === null) {
            requestAnimationFrame(() => {
                const use = newest;
                newest = null;
                if (use !== null) {
                    act(...use);
                }
            });
        }
        newest = args;
    };
}
