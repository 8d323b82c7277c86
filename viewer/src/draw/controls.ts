// Mouse, wheel and fingers: turn, move, nearer. 2D scenes are moved where 3D ones are turned.
import type { Camera } from "../view";
import { orbited, panned, zoomed } from "./camera";

const TURN = Math.PI; // [rad] for a drag across the height of a pane
const WHEEL_REST = 180; // [ms] after which wheeling is over

export interface Host {
    camera: Camera;
    turns: boolean; // false: dragging moves
    paneAt(x: number, y: number): { x: number; y: number; width: number; height: number };
    moved(done: boolean): void; // the camera changed; done: the gesture is over
    taken(event: PointerEvent): boolean; // somebody else wants this gesture
}

export class Controls {
    private readonly fingers = new Map<number, { x: number; y: number }>();
    private moving = false; // this gesture moves instead of turning
    private wheelTimer = 0;

    constructor(private readonly element: HTMLElement, private readonly host: Host) {
        element.style.touchAction = "none";
        element.addEventListener("pointerdown", (event) => this.down(event));
        element.addEventListener("pointermove", (event) => this.move(event));
        element.addEventListener("pointerup", (event) => this.up(event));
        element.addEventListener("pointercancel", (event) => this.up(event));
        element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
        element.addEventListener("contextmenu", (event) => event.preventDefault());
    }

    get active(): boolean {
        return this.fingers.size > 0;
    }

    private down(event: PointerEvent): void {
        if (this.fingers.size === 0 && this.host.taken(event)) {
            return;
        }
        this.moving = event.button !== 0 || event.shiftKey || event.ctrlKey || event.metaKey || !this.host.turns;
        this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
        this.element.setPointerCapture(event.pointerId);
    }

    private move(event: PointerEvent): void {
        const finger = this.fingers.get(event.pointerId);
        if (!finger) {
            return;
        }
        const pane = this.host.paneAt(event.clientX, event.clientY);
        const dx = event.clientX - finger.x, dy = event.clientY - finger.y;
        if (this.fingers.size === 1) {
            this.host.camera = this.moving ? panned(this.host.camera, dx / pane.height, -dy / pane.height)
                : orbited(this.host.camera, (TURN * dx) / pane.height, (TURN * dy) / pane.height);
            finger.x = event.clientX;
            finger.y = event.clientY;
        } else {
            this.pinch(event, finger);
        }
        this.host.moved(false);
    }

    /** Two fingers: their middle moves, their distance nears. */
    private pinch(event: PointerEvent, finger: { x: number; y: number }): void {
        const other = [...this.fingers.entries()].find(([id]) => id !== event.pointerId)![1];
        const before = { x: (finger.x + other.x) / 2, y: (finger.y + other.y) / 2, far: Math.hypot(finger.x - other.x, finger.y - other.y) };
        finger.x = event.clientX;
        finger.y = event.clientY;
        const after = { x: (finger.x + other.x) / 2, y: (finger.y + other.y) / 2, far: Math.hypot(finger.x - other.x, finger.y - other.y) };
        const pane = this.host.paneAt(after.x, after.y);
        this.host.camera = panned(this.host.camera, (after.x - before.x) / pane.height, -(after.y - before.y) / pane.height);
        this.near(after.x, after.y, Math.min(Math.max(after.far / (before.far || 1), 0.5), 2));
    }

    private up(event: PointerEvent): void {
        if (this.fingers.delete(event.pointerId) && this.fingers.size === 0) {
            this.host.moved(true);
        }
    }

    private wheel(event: WheelEvent): void {
        event.preventDefault();
        const lines = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 240 : 1;
        const amount = Math.min(Math.max(event.deltaY * lines, -240), 240) * (event.ctrlKey ? 0.008 : 0.0018);
        this.near(event.clientX, event.clientY, Math.exp(-amount));
        this.host.moved(false);
        clearTimeout(this.wheelTimer);
        this.wheelTimer = window.setTimeout(() => this.host.moved(true), WHEEL_REST);
    }

    private near(x: number, y: number, factor: number): void {
        const pane = this.host.paneAt(x, y);
        const half = pane.height / 2;
        this.host.camera = zoomed(this.host.camera, factor, (x - pane.x - pane.width / 2) / half, (pane.y + half - y) / half);
    }
}
