// Tab: the bodies, and how they are drawn.

import { bodyColours, css } from "../draw/colours";
import type { Body } from "../types";
import type { View } from "../view";
import { firstRun, type Context } from "./context";
import { button, el, follow, press, section, Segments, setIcon, setText, setToggle, toggle } from "./dom";
import type { Tab } from "./panel";

const SEARCH_FROM = 13; // fewer bodies are seen at a glance
const SHOWN = 400; // rows; a search finds the others

const KINDS: Record<Body["type"], string> = { deformable: "deformable", static: "obstacle", rigid: "rigid", shell: "shell" };

interface Row {
    element: HTMLElement;
    swatch: HTMLElement;
    eye: HTMLButtonElement;
    ghost: HTMLButtonElement;
}

export class BodiesTab implements Tab {
    readonly id = "bodies";
    readonly label = "Bodies";
    readonly icon = "bodies";
    private readonly rows = new Map<number, Row>();
    private readonly list = el("ul", { class: "bodies", "aria-label": "Bodies" });
    private readonly more = el("p", { class: "hint", hidden: true });

    constructor(private readonly context: Context) {}

    build(host: HTMLElement): void {
        const { store } = this.context;
        const bodies = firstRun(this.context).bodies;
        const search = el("input", {
            id: "body-search", type: "search", class: "field wide", placeholder: `Search ${bodies.length} bodies`, "aria-label": "Search bodies",
            oninput: () => this.fill(search.value),
        });
        search.hidden = bodies.length < SEARCH_FROM;
        const all = button({
            id: "show-all", label: "Show all bodies", text: "Show all", class: "small", act: () => store.set({ hidden: [], ghost: [] }),
        });
        host.append(section("Bodies", search, this.list, this.more, all), this.drawing(), this.clip());
        this.fill("");
        follow(store, ["hidden", "ghost", "theme"], (view) => this.show(view));
    }

    private fill(words: string): void {
        const bodies = firstRun(this.context).bodies;
        const wanted = words.trim().toLowerCase();
        const found = bodies.map((body, number) => ({ body, number })).filter(({ body }) => body.name.toLowerCase().includes(wanted));
        this.list.replaceChildren(...found.slice(0, SHOWN).map(({ body, number }) => this.row(body, number).element));
        this.more.hidden = found.length > 0 && found.length <= SHOWN;
        setText(this.more, found.length === 0 ? "No body has this in its name." : `${found.length - SHOWN} more: search for them by name.`);
        this.show(this.context.store.get());
    }

    private row(body: Body, number: number): Row {
        const known = this.rows.get(number);
        if (known !== undefined) {
            return known;
        }
        const swatch = el("span", { class: "swatch" });
        const eye = button({
            label: `Show ${body.name}`, icon: "eye", pressed: true, class: "quiet eye", act: () => this.flip("hidden", number),
        });
        const ghost = button({
            label: `Ghost: draw ${body.name} transparent`, icon: "ghost", pressed: false, class: "quiet", act: () => this.flip("ghost", number),
        });
        const solo = button({ label: `Solo: show only ${body.name}`, icon: "solo", class: "quiet", act: () => this.solo(number) });
        const kind = body.plane ? "half-space" : KINDS[body.type];
        const element = el("li", { class: "body-row", "data-body": number }, swatch,
            el("span", { class: "grow body-name", title: body.name }, body.name, el("small", { class: "muted" }, kind)), eye, ghost, solo);
        const row = { element, swatch, eye, ghost };
        this.rows.set(number, row);
        return row;
    }

    private flip(what: "hidden" | "ghost", number: number): void {
        const list = this.context.store.get()[what];
        this.context.store.set({ [what]: list.includes(number) ? list.filter((other) => other !== number) : [...list, number] });
    }

    /** Only this one; the same again: all. */
    private solo(number: number): void {
        const others = firstRun(this.context).bodies.map((_, i) => i).filter((i) => i !== number);
        const { hidden } = this.context.store.get();
        const alone = !hidden.includes(number) && others.every((other) => hidden.includes(other));
        this.context.store.set({ hidden: alone ? [] : others });
    }

    private show(view: Readonly<View>): void {
        const bodies = firstRun(this.context).bodies;
        const colours = bodyColours(bodies, view.theme === "dark");
        const hidden = new Set(view.hidden);
        const ghosts = new Set(view.ghost);
        for (const [number, row] of this.rows) {
            row.swatch.style.backgroundColor = css(colours[number]!);
            press(row.eye, !hidden.has(number));
            setIcon(row.eye, hidden.has(number) ? "hidden" : "eye");
            row.eye.title = `${hidden.has(number) ? "Show" : "Hide"} ${bodies[number]!.name}`;
            press(row.ghost, ghosts.has(number));
            row.element.classList.toggle("off", hidden.has(number));
        }
    }

    private drawing(): HTMLElement {
        const { store } = this.context;
        const wire = toggle("Wireframe", false, (wireframe) => store.set({ wireframe }), "W");
        const axes = toggle("Axes", true, (on) => store.set({ axes: on }), "A");
        const projection = new Segments<"perspective" | "parallel">("Projection", [["perspective", "Perspective"], ["parallel", "Parallel"]],
            (choice) => this.context.stage.setProjection(choice));
        follow(store, ["wireframe", "axes", "camera"], (view) => {
            setToggle(wire, view.wireframe);
            setToggle(axes, view.axes);
            projection.set(this.context.stage.camera().projection);
        });
        return section("Drawing", wire, axes, el("div", { class: "row" }, el("span", { class: "grow" }, "Projection"), projection.element));
    }

    private clip(): HTMLElement {
        const { store } = this.context;
        const axis = new Segments<"off" | "x" | "y" | "z">("Clip plane across", [["off", "Off"], ["x", "x"], ["y", "y"], ["z", "z"]],
            (choice) => store.set({ clip: { ...store.get().clip, axis: choice === "off" ? null : choice } }));
        const at = el("input", {
            id: "clip-at", type: "range", min: 0, max: 1, step: 0.005, "aria-label": "Place of the clip plane",
            oninput: () => store.set({ clip: { ...store.get().clip, at: Number(at.value) } }),
        });
        const flip = toggle("Other side", false, (on) => store.set({ clip: { ...store.get().clip, flip: on } }));
        follow(store, ["clip"], ({ clip }) => {
            axis.set(clip.axis ?? "off");
            at.value = String(clip.at);
            at.disabled = clip.axis === null;
            flip.querySelector("input")!.disabled = clip.axis === null;
            setToggle(flip, clip.flip);
        });
        return section("Clip plane", axis.element, el("div", { class: "row" }, at), flip);
    }
}
