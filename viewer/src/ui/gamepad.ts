// A gamepad moves joints: each of its axes one of them. A stick sets how fast the target of a position moves; other targets follow
// the stick itself, so that a stick that is let go stops them.

import type { JointHand } from "./joints";

const DEAD = 0.15; // what a stick at rest may show
const RATE = 0.4; // [1/s] of the range, with the stick at its end
const LONGEST = 0.1; // [s] of one picture: a page that hung does not jump

export interface PadAxis {
    joint: number | null; // among those with a drive
    reversed: boolean;
    value: number; // of the stick, without its reversal
}

/** From -1 to 1, 0 near the middle, without a jump where that ends. */
export function stick(raw: number): number {
    const size = Math.min(Math.abs(raw), 1);
    return size > DEAD ? (Math.sign(raw) * (size - DEAD)) / (1 - DEAD) : 0;
}

export class GamepadHand {
    name: string | null = null; // null: there is none
    axes: PadAxis[] = [];
    private before = 0; // [ms]
    private running = false;
    private readonly listeners: (() => void)[] = [];

    constructor(private readonly hand: JointHand) {
        // Browsers tell of a gamepad once one of its buttons was pressed.
        addEventListener("gamepadconnected", () => {
            if (!this.running) {
                this.running = true;
                this.before = performance.now();
                requestAnimationFrame((now) => this.poll(now));
            }
        });
    }

    /** One was connected or is gone, or its sticks moved. */
    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }

    private poll(now: number): void {
        const pad = [...navigator.getGamepads()].find((one) => one !== null && one.connected && one.axes.length > 0) ?? null;
        const seconds = Math.min(Math.max((now - this.before) / 1000, 0), LONGEST);
        this.before = now;
        this.running = pad !== null;
        let changed = this.name !== (pad?.id ?? null);
        this.name = pad?.id ?? null;
        pad?.axes.forEach((raw, k) => {
            // The first axes move the first joints. Upwards is negative on a gamepad, and every second axis is upright.
            const axis = (this.axes[k] ??= { joint: k < this.hand.joints.length ? k : null, reversed: k % 2 === 1, value: 0 });
            const value = stick(raw);
            changed ||= value !== axis.value;
            this.move(axis, value, seconds);
            axis.value = value;
        });
        if (changed) {
            this.listeners.forEach((listener) => listener());
        }
        if (pad !== null) {
            requestAnimationFrame((next) => this.poll(next));
        }
    }

    private move(axis: PadAxis, value: number, seconds: number): void {
        const joint = axis.joint === null ? undefined : this.hand.joints[axis.joint];
        if (joint === undefined || axis.joint === null || (value === 0 && axis.value === 0)) {
            return;
        }
        const way = axis.reversed ? -value : value;
        const [low, high] = joint.range;
        if (joint.drive !== "position") {
            this.hand.aim(axis.joint, way > 0 ? way * high : -way * low);
        } else if (value !== 0) {
            this.hand.aim(axis.joint, this.hand.target(axis.joint) + way * RATE * seconds * (high - low));
        }
    }
}
