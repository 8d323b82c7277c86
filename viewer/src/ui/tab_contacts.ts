// Tab: contacts of the frame shown.

import { actsOn } from "../draw/contacts";
import { formatValue } from "../draw/numbers";
import type { Contacts, Frame, Run } from "../types";
import { isCompare, type Context } from "./context";
import { el, follow, section, setToggle, toggle } from "./dom";
import { formatCount, NOTHING } from "./format";
import type { Tab } from "./panel";

const LISTED = 8;

export interface ContactFigures {
    shown: number;
    total: number;
    sticking: number;
    slipping: number;
    force: number; // [N] sum of the normal forces
    friction: number; // [N] sum of the magnitudes
    strongest: number[]; // numbers of contacts, the largest normal force first
    smallestGap: number; // [m]
}

/** Sums over the contacts of a frame. */
export function contactFigures(contacts: Contacts): ContactFigures {
    const figures: ContactFigures = {
        shown: contacts.count, total: contacts.total, sticking: 0, slipping: 0, force: 0, friction: 0, strongest: [], smallestGap: Infinity,
    };
    const { data, stick, count } = contacts;
    for (let i = 0; i < count; ++i) {
        const at = 9 * i;
        figures.force += data[at + 6]!;
        figures.friction += Math.hypot(data[at + 3]!, data[at + 4]!, data[at + 5]!);
        figures.smallestGap = Math.min(figures.smallestGap, data[at + 7]!);
        figures.sticking += stick[i] === 1 ? 1 : 0;
        figures.slipping += stick[i] === 1 ? 0 : 1;
    }
    figures.strongest = Array.from({ length: count }, (_, i) => i).sort((a, b) => data[9 * b + 6]! - data[9 * a + 6]!).slice(0, LISTED);
    return figures;
}

export class ContactsTab implements Tab {
    readonly id = "contacts";
    readonly label = "Contacts";
    readonly icon = "contacts";
    private readonly figures = el("div", { class: "contact-figures" });
    private visible = false;
    private told: readonly (Frame | null)[] = [];

    constructor(private readonly context: Context) {}

    build(host: HTMLElement): void {
        const { store, runs, player } = this.context;
        if (!runs.some((run) => run.contacts)) {
            const reason = runs.flatMap((run) => run.notes).find((note) => /contact/i.test(note));
            host.append(section("Contacts", el("p", { class: "hint" },
                reason ?? "Contact points were not recorded: add `contact` to the scene's output.fields.")));
            return;
        }
        const show = toggle("Show contacts", false, (contacts) => store.set({ contacts }), "C");
        show.querySelector("input")!.id = "show-contacts";
        const normal = toggle("Normal forces", true, (on) => store.set({ arrows: { ...store.get().arrows, normal: on } }));
        const friction = toggle("Friction forces", true, (on) => store.set({ arrows: { ...store.get().arrows, friction: on } }));
        const scale = el("input", {
            id: "arrow-scale", type: "range", min: -1, max: 1, step: 0.05, "aria-label": "Length of arrows",
            oninput: () => store.set({ arrowScale: Number((10 ** Number(scale.value)).toPrecision(3)) }),
        });
        follow(store, ["contacts", "arrows", "arrowScale"], (view) => {
            setToggle(show, view.contacts);
            setToggle(normal, view.arrows.normal);
            setToggle(friction, view.arrows.friction);
            [normal, friction].forEach((row) => (row.querySelector("input")!.disabled = !view.contacts));
            scale.disabled = !view.contacts;
            scale.value = String(Math.log10(view.arrowScale));
        });
        host.append(
            section("Drawing", show, normal, friction, this.forcesOn(),
                el("label", { class: "row short" }, el("span", { class: "grow" }, "Length of arrows"), scale),
                el("p", { class: "hint" }, "The longest arrow is the largest force of the frame shown; its value stands above the picture.")),
            this.figures);
        player.onFrame((frames) => this.show(frames));
    }

    /** On which of two bodies the arrows act: on the first named of each pair, or on one body alone. */
    private forcesOn(): HTMLElement {
        const { store, runs } = this.context;
        const names = runs.reduce((longest, run) => (run.bodies.length > longest.length ? run.bodies : longest), runs[0]!.bodies);
        const select = el("select", {
            id: "forces-on", class: "select grow", "aria-label": "Forces on",
            onchange: () => store.set({ forcesOn: select.selectedIndex === 0 ? null : select.selectedIndex - 1 }),
        }, el("option", {}, "first of each pair"), ...names.map((body) => el("option", {}, body.name)));
        follow(store, ["forcesOn", "contacts"], (view) => {
            select.selectedIndex = view.forcesOn === null ? 0 : view.forcesOn + 1;
            select.disabled = !view.contacts;
            this.told = [];
            this.show(this.context.player.frames);
        });
        return el("label", { class: "row" }, el("span", {}, "Forces on"), select);
    }

    shown(visible: boolean): void {
        this.visible = visible;
        if (visible) {
            this.show(this.context.player.frames);
        }
    }

    private show(frames: readonly (Frame | null)[]): void {
        // A tab that nobody sees does no sums.
        if (!this.visible || (frames.length === this.told.length && frames.every((frame, i) => frame === this.told[i]))) {
            return;
        }
        this.told = [...frames];
        this.figures.replaceChildren(...frames.flatMap((frame, pane) =>
            frame === null ? [] : [this.figuresOf(frame, this.context.runs[pane]!)]));
    }

    private figuresOf(frame: Frame, run: Run): HTMLElement {
        const figures = contactFigures(frame.contacts);
        const pair = (label: string, value: string): HTMLElement[] => [el("dt", {}, label), el("dd", {}, value)];
        const list = el("dl", { class: "facts" },
            ...pair("Contacts", formatCount(figures.total)),
            ...pair("Sticking", formatCount(figures.sticking)), ...pair("Slipping", formatCount(figures.slipping)),
            ...pair("Sum of normal forces", formatValue(figures.force, "N")),
            ...pair("Sum of friction forces", formatValue(figures.friction, "N")),
            ...pair("Smallest gap", figures.shown === 0 ? NOTHING : formatValue(figures.smallestGap, "m")));
        const note = figures.shown < figures.total
            ? el("p", { class: "notice" }, `The ${formatCount(figures.shown)} strongest of ${formatCount(figures.total)} contacts are here; `
                + "sums and counts of sticking and slipping are theirs.")
            : null;
        return section(isCompare(this.context) ? `This frame: ${run.name}` : "This frame", list, note,
            figures.shown === 0 ? null : this.table(frame, run, figures));
    }

    private table(frame: Frame, run: Run, figures: ContactFigures): HTMLElement {
        const { data, body, stick } = frame.contacts;
        const name = (number: number): string => run.bodies[number]?.name ?? "?";
        // The body that the arrow acts on first.
        const pair = (i: number): string => {
            const side = actsOn(run.bodies, body[2 * i]!, body[2 * i + 1]!, this.context.store.get().forcesOn) ?? 0;
            return `${name(body[2 * i + side]!)} – ${name(body[2 * i + 1 - side]!)}`;
        };
        const rows = figures.strongest.map((i) => el("tr", {},
            el("td", { class: "names" }, pair(i)),
            el("td", { class: "num" }, formatValue(data[9 * i + 6]!, "N", 3)),
            el("td", { class: "num" }, formatValue(data[9 * i + 7]!, "m", 3)),
            el("td", {}, stick[i] === 1 ? "sticks" : "slips")));
        return el("table", { class: "table" }, el("caption", {}, "The strongest"),
            el("thead", {}, el("tr", {}, ...["Bodies", "Force", "Gap", "State"].map((text, i) =>
                el("th", { scope: "col", class: i === 1 || i === 2 ? "num" : null }, text)))),
            el("tbody", {}, ...rows));
    }
}
