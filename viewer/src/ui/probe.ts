// Values at points: under the pointer, under the crosshair of the keyboard, and at pinned vertices, whose values follow the time.

import { formatValue } from "../draw/numbers";
import type { Hit } from "../types";
import type { Pin } from "../view";
import { isCompare, type Context } from "./context";
import { el, follow, onceAFrame, setText } from "./dom";
import { choiceOf } from "./fields";
import { formatPoint } from "./format";

const CLICK = 4; // [px] a pointer that moved further was dragging
const PINS = 24;

export interface Reading {
    value: string;
    place: string;
}

export class Probe {
    readonly element: HTMLElement;
    private readonly tip = el("div", { class: "tip", role: "tooltip", hidden: true });
    private readonly marks = el("div", { class: "marks" });
    private readonly cross = el("div", { class: "crosshair", hidden: true });
    private readonly listeners: (() => void)[] = [];
    private pointer: { x: number; y: number } | null = null;
    private inspecting: { x: number; y: number } | null = null;

    constructor(private readonly context: Context, private readonly host: HTMLElement) {
        this.element = el("div", { class: "probe" }, this.marks, this.cross, this.tip);
        const { canvas } = context.stage;
        const look = onceAFrame(() => this.look());
        let down: { x: number; y: number } | null = null;
        canvas.addEventListener("pointermove", (event) => {
            const dragging = event.buttons !== 0;
            this.pointer = dragging || event.pointerType === "touch" ? null : { x: event.clientX, y: event.clientY };
            look();
        });
        canvas.addEventListener("pointerleave", () => {
            this.pointer = null;
            look();
        });
        canvas.addEventListener("pointerdown", (event) => {
            down = event.button === 0 && !event.altKey && !event.ctrlKey ? { x: event.clientX, y: event.clientY } : null;
        });
        canvas.addEventListener("pointerup", (event) => {
            if (down !== null && Math.hypot(event.clientX - down.x, event.clientY - down.y) < CLICK) {
                this.pin(event.clientX, event.clientY);
            }
            down = null;
        });
        const refresh = onceAFrame(() => this.refresh());
        context.player.onFrame(refresh);
        follow(context.store, ["camera", "colour", "pins", "hidden", "time"], refresh);
        new ResizeObserver(refresh).observe(host);
        // While the camera is being moved, the view does not know yet.
        canvas.addEventListener("pointermove", (event) => event.buttons !== 0 && refresh());
        canvas.addEventListener("wheel", refresh, { passive: true });
    }

    onReading(listener: () => void): void {
        this.listeners.push(listener);
    }

    nameOf(pin: Pin): string {
        const run = this.context.runs[pin.pane];
        const body = run?.bodies.find((other) => pin.vertex >= other.vertexFirst && pin.vertex < other.vertexFirst + other.vertexCount);
        const node = run?.node[pin.vertex] ?? pin.vertex;
        return `${isCompare(this.context) ? `${run?.name ?? ""}: ` : ""}${body?.name ?? "?"}, node ${node}`;
    }

    /** A pinned vertex at the moment shown. */
    read(pin: Pin): Reading {
        const point = this.positionOf(pin);
        const value = this.context.stage.valueAt(pin.pane, pin.vertex);
        return {
            value: value === null ? "" : formatValue(value, this.unit()),
            place: point === null ? "" : `${formatPoint(point)} m`,
        };
    }

    /** Pins what is at a place of the window, or unpins it. */
    pin(x: number, y: number): void {
        const { stage, store, status } = this.context;
        const hit = stage.pick(x, y);
        if (hit === null) {
            return;
        }
        const { pins } = store.get();
        const same = pins.find((pin) => pin.pane === hit.pane && pin.vertex === hit.vertex);
        if (same !== undefined) {
            store.set({ pins: pins.filter((pin) => pin !== same) });
            status.say("Pin removed");
        } else if (pins.length >= PINS) {
            status.show(`${PINS} points are pinned: remove some first`, "problem");
        } else {
            const pin = { pane: hit.pane, vertex: hit.vertex };
            store.set({ pins: [...pins, pin] });
            status.say(`Pinned ${this.nameOf(pin)}: ${this.read(pin).value}`);
        }
    }

    /** The crosshair of the keyboard. */
    inspect(on = this.inspecting === null): void {
        const box = this.host.getBoundingClientRect();
        this.inspecting = on ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : null;
        if (on) {
            this.context.status.show("Crosshair: arrow keys move it, Enter pins the value, Escape ends");
            this.host.focus();
        }
        this.look();
    }

    get isInspecting(): boolean {
        return this.inspecting !== null;
    }

    moveCrosshair(dx: number, dy: number): void {
        if (this.inspecting !== null) {
            const box = this.host.getBoundingClientRect();
            this.inspecting.x = Math.min(Math.max(this.inspecting.x + dx, box.left), box.right);
            this.inspecting.y = Math.min(Math.max(this.inspecting.y + dy, box.top), box.bottom);
            this.look();
            this.context.status.say(this.tip.hidden ? "Nothing here" : this.tip.innerText);
        }
    }

    pinCrosshair(): void {
        if (this.inspecting !== null) {
            this.pin(this.inspecting.x, this.inspecting.y);
        }
    }

    private unit(): string {
        return choiceOf(this.context, this.context.store.get().colour)?.unit ?? "";
    }

    private positionOf(pin: Pin): [number, number, number] | null {
        const position = this.context.player.frames[pin.pane]?.position;
        const at = 3 * pin.vertex;
        return position === undefined || at + 2 >= position.length ? null : [position[at]!, position[at + 1]!, position[at + 2]!];
    }

    private refresh(): void {
        this.placeMarks();
        if (!this.tip.hidden) {
            this.look();
        }
        this.listeners.forEach((listener) => listener());
    }

    /** The tip for what is under the pointer or the crosshair. */
    private look(): void {
        const at = this.inspecting ?? this.pointer;
        const box = this.host.getBoundingClientRect();
        this.cross.hidden = this.inspecting === null;
        if (this.inspecting !== null) {
            this.cross.style.transform = `translate(${this.inspecting.x - box.left}px, ${this.inspecting.y - box.top}px)`;
        }
        const hit = at === null ? null : this.context.stage.pick(at.x, at.y);
        this.tip.hidden = hit === null;
        if (hit === null || at === null) {
            return;
        }
        this.fillTip(hit);
        // Beside the pointer, on the side where there is room.
        const { offsetWidth: width, offsetHeight: height } = this.tip;
        const x = at.x - box.left;
        const y = at.y - box.top;
        const left = x + 16 + width > box.width ? x - 16 - width : x + 16;
        const top = y + 16 + height > box.height ? y - 16 - height : y + 16;
        this.tip.style.transform = `translate(${Math.round(Math.max(4, left))}px, ${Math.round(Math.max(4, top))}px)`;
    }

    private fillTip(hit: Hit): void {
        const choice = choiceOf(this.context, this.context.store.get().colour);
        const body = this.context.runs[hit.pane]?.bodies[hit.body];
        const lines = [el("span", { class: "tip-name" }, body?.name ?? "?")];
        if (hit.value !== null && choice !== undefined && choice.name !== "body") {
            lines.push(el("span", { class: "tip-value" }, formatValue(hit.value, choice.unit)), el("span", { class: "muted" }, choice.label));
        }
        lines.push(el("span", { class: "muted" }, `node ${hit.node}`), el("span", { class: "muted" }, `${formatPoint(hit.point)} m`));
        this.tip.replaceChildren(...lines);
    }

    private placeMarks(): void {
        const { pins, hidden } = this.context.store.get();
        while (this.marks.childElementCount > pins.length) {
            this.marks.lastElementChild!.remove();
        }
        pins.forEach((pin, i) => {
            const mark = (this.marks.children[i] as HTMLElement | undefined) ?? this.marks.appendChild(
                el("div", { class: "mark" }, el("span", { class: "mark-dot" }), el("span", { class: "mark-text" })));
            const point = this.positionOf(pin);
            const place = point === null ? null : this.context.stage.project(point, pin.pane);
            const body = this.context.runs[pin.pane]?.bodies.findIndex((other) =>
                pin.vertex >= other.vertexFirst && pin.vertex < other.vertexFirst + other.vertexCount) ?? -1;
            const pane = this.context.stage.panes()[pin.pane];
            const inside = place !== null && pane !== undefined && place.x >= pane.x && place.x <= pane.x + pane.width
                && place.y >= pane.y && place.y <= pane.y + pane.height;
            mark.hidden = !inside || hidden.includes(body);
            if (inside) {
                const text = this.read(pin).value;
                mark.style.transform = `translate(${place.x.toFixed(1)}px, ${place.y.toFixed(1)}px)`;
                setText(mark.children[1]!, text === "" ? String(i + 1) : `${i + 1}: ${text}`);
            }
        });
    }
}
