// A slider of the running simulation: it follows what the simulation says, unless a hand moves it.

import { formatNumber } from "../draw/numbers";
import { el, setText } from "./dom";

const EVERY = 60; // [ms] between two commands of one slider

/** Not more often than the simulation can use it; the last value always arrives. */
export function throttled(send: (command: string) => void): (command: string) => void {
    let waiting: string | null = null;
    let timer = 0;
    return (command: string) => {
        if (timer !== 0) {
            waiting = command;
            return;
        }
        send(command);
        const next = (): void => {
            timer = 0;
            if (waiting !== null) {
                send(waiting);
                waiting = null;
                timer = window.setTimeout(next, EVERY);
            }
        };
        timer = window.setTimeout(next, EVERY);
    };
}

export interface Range {
    input: HTMLInputElement;
    value: HTMLElement; // it in words
    set(value: number): void; // what the simulation says
}

export interface Slider {
    element: HTMLElement;
    set(value: number): void;
}

export function range(label: string, low: number, high: number, step: number | "any", change: (value: number) => void,
                      text = (number: number): string => formatNumber(number, 3)): Range {
    const value = el("output", { class: "value" });
    const input = el("input", {
        type: "range", min: low, max: high, step, "aria-label": label,
        oninput: () => {
            setText(value, text(Number(input.value)));
            change(Number(input.value));
        },
    });
    return {
        input, value,
        set: (wish) => {
            // Not against the hand that moves it.
            if (document.activeElement !== input || !input.matches(":active")) {
                input.max = String(Math.max(high, wish));
                input.min = String(Math.min(low, wish));
                input.value = String(wish);
                setText(value, text(wish));
            }
        },
    };
}

/** With its label above. */
export function slider(label: string, low: number, high: number, step: number, change: (value: number) => void): Slider {
    const { input, value, set } = range(label, low, high, step, change);
    return { element: el("label", { class: "slider" }, el("span", { class: "slider-label", title: label }, label), value, input), set };
}
