// Pulling a body of a running simulation by a spring: the pointer holds a vertex and moves in the plane of the screen through it.

import type { LiveLink } from "../types";
import type { Context } from "./context";

const EVERY = 40; // [ms] between two commands
const SVG = "http://www.w3.org/2000/svg";

type Point = [number, number, number];

export class Grab {
    /** The line of the spring. */
    readonly element = document.createElementNS(SVG, "svg");
    on = false;
    private readonly line = document.createElementNS(SVG, "line");
    private readonly end = document.createElementNS(SVG, "circle");
    private readonly listeners: (() => void)[] = [];
    private held: { vertex: number; pane: number; pointer: number; target: Point; sent: number; waiting: number } | null = null;

    constructor(private readonly context: Context, private readonly link: LiveLink) {
        const { stage, player } = context;
        this.element.setAttribute("class", "spring");
        this.element.setAttribute("hidden", "");
        this.element.setAttribute("aria-hidden", "true");
        this.end.setAttribute("r", "5");
        this.element.append(this.line, this.end);
        stage.onPointer = (event) => this.down(event);
        stage.canvas.addEventListener("pointermove", (event) => this.move(event));
        stage.canvas.addEventListener("pointerup", (event) => this.up(event));
        stage.canvas.addEventListener("pointercancel", (event) => this.up(event));
        player.onFrame(() => this.draw());
        link.onChange(() => link.connected || this.letGo());
    }

    onChange(act: () => void): void {
        this.listeners.push(act);
    }

    toggle(): void {
        this.on = !this.on;
        document.documentElement.classList.toggle("grab-mode", this.on);
        this.context.status.show(this.on ? "Grab mode: drag a body to pull it" : "Grab mode is off");
        this.listeners.forEach((listener) => listener());
    }

    letGo(): void {
        if (this.held !== null) {
            clearTimeout(this.held.waiting);
            this.held = null;
            this.element.setAttribute("hidden", "");
            this.link.send("release");
        }
    }

    /** True: this gesture is not the camera's. */
    private down(event: PointerEvent): boolean {
        if (event.button !== 0 || !(this.on || event.altKey || event.ctrlKey)) {
            return false;
        }
        const { stage, runs, status, player } = this.context;
        const hit = stage.pick(event.clientX, event.clientY);
        const body = hit === null ? undefined : runs[hit.pane]?.bodies[hit.body];
        if (hit === null || body === undefined) {
            return false;
        }
        if (body.type === "static") {
            status.show(`${body.name} is an obstacle: move it in the tab Live`);
            return true;
        }
        stage.canvas.setPointerCapture(event.pointerId);
        // One pulls what is there now.
        player.follow();
        this.held = { vertex: hit.vertex, pane: hit.pane, pointer: event.pointerId, target: hit.point, sent: 0, waiting: 0 };
        this.move(event);
        return true;
    }

    private move(event: PointerEvent): void {
        const { held } = this;
        if (held === null || event.pointerId !== held.pointer) {
            return;
        }
        held.target = this.context.stage.dragPoint(event.clientX, event.clientY, held.target);
        clearTimeout(held.waiting);
        const wait = held.sent + EVERY - performance.now();
        if (wait <= 0) {
            this.send();
        } else {
            // Where the pointer came to rest must arrive as well.
            held.waiting = window.setTimeout(() => this.send(), wait);
        }
        this.draw();
    }

    private send(): void {
        const { held } = this;
        if (held !== null) {
            held.sent = performance.now();
            this.link.send(`drag ${held.vertex} ${held.target.map((x) => Number(x.toPrecision(6))).join(" ")}`);
        }
    }

    private up(event: PointerEvent): void {
        if (this.held !== null && event.pointerId === this.held.pointer) {
            this.letGo();
        }
    }

    private draw(): void {
        const { held } = this;
        const { stage, player } = this.context;
        const position = held === null ? undefined : player.frames[held.pane]?.position;
        if (held !== null && position !== undefined) {
            const at = 3 * held.vertex;
            const from = stage.project([position[at]!, position[at + 1]!, position[at + 2]!], held.pane);
            const to = stage.project(held.target, held.pane);
            this.element.toggleAttribute("hidden", from === null || to === null);
            const places = { x1: from?.x, y1: from?.y, x2: to?.x, y2: to?.y };
            Object.entries(places).forEach(([name, value]) => this.line.setAttribute(name, (value ?? 0).toFixed(1)));
            this.end.setAttribute("cx", (to?.x ?? 0).toFixed(1));
            this.end.setAttribute("cy", (to?.y ?? 0).toFixed(1));
        }
    }
}
