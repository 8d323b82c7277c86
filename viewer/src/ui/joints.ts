// Joints of robots in a person's hand: sliders, keys and gamepads all set targets by way of this.

import { formatNumber } from "../draw/numbers";
import type { LiveJoint, LiveLink } from "../types";
import type { Context } from "./context";
import { throttled } from "./slider";

const PATIENCE = 2000; // [ms] for the simulation to take up a target
const NUDGE = 0.01; // of the range, for one press of a key
const LEAST = 1e-3; // [N] or [N m] that is worth a number

/** The unit of a joint's target. */
export function targetUnit(joint: LiveJoint): string {
    return joint.drive === "position" ? joint.unit : joint.drive === "velocity" ? `${joint.unit}/s` : effortUnit(joint);
}

export function effortUnit(joint: LiveJoint): string {
    return joint.unit === "m" ? "N" : "N m";
}

/** As many decimals as tell a thousandth of its range: a number that moves keeps its width. */
export function targetText(joint: LiveJoint, value: number): string {
    const digits = Math.round(3 - Math.log10(joint.range[1] - joint.range[0] || 1));
    return `${value.toFixed(Math.min(Math.max(digits, 0), 9)).replace(/^-(?=0\.?0*$)/, "").replace("-", "−")} ${targetUnit(joint)}`;
}

/** Where a joint is, in the unit of its target if it can be, and what its drive does. */
export function nowText(joint: LiveJoint): string {
    const { drive, position, velocity, unit, effort } = joint;
    const at = drive === "position" ? targetText(joint, position) : drive === "velocity" ? targetText(joint, velocity)
        : `${formatNumber(position, 3)} ${unit}`;
    return `at ${at}, ${formatNumber(Math.abs(effort) < LEAST ? 0 : effort, 3)} ${effortUnit(joint)}`;
}

export class JointHand {
    chosen = 0; // that keys move
    private readonly wishes = new Map<number, { target: number; since: number }>(); // on their way to the simulation
    private readonly senders = new Map<number, (command: string) => void>();
    private readonly listeners: (() => void)[] = [];

    constructor(private readonly context: Context, private readonly link: LiveLink) {
        link.onChange(() => this.compare());
    }

    get joints(): readonly LiveJoint[] {
        return this.link.state?.joints ?? [];
    }

    /** Another joint is chosen, or a target was set here. */
    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }

    /** Once, when the simulation has named its joints, if there are any. */
    onFirst(act: () => void): void {
        let told = false;
        this.link.onChange(() => {
            if (!told && this.joints.length > 0) {
                told = true;
                act();
            }
        });
    }

    /** What was wished for last, even if the simulation has not got there yet; NaN: no such joint. */
    target(index: number): number {
        const joint = this.joints[index];
        return joint === undefined ? NaN : this.wishes.get(joint.number)?.target ?? joint.target;
    }

    aim(index: number, target: number): void {
        const joint = this.joints[index];
        if (joint === undefined || !Number.isFinite(target)) {
            return;
        }
        // A scene may aim beyond the range: from there one comes back by steps, not by a jump.
        const now = this.target(index);
        const low = Math.min(joint.range[0], now), high = Math.max(joint.range[1], now);
        const wish = Number(Math.min(Math.max(target, low), high).toPrecision(7));
        this.wishes.set(joint.number, { target: wish, since: performance.now() });
        this.sender(joint.number)(`joint ${joint.number} ${wish}`);
        this.tell();
    }

    /** Moves the chosen joint; share: steps of a key. */
    nudge(share: number): void {
        const joint = this.joints[this.chosen];
        if (joint !== undefined) {
            this.aim(this.chosen, this.target(this.chosen) + share * NUDGE * (joint.range[1] - joint.range[0]));
            this.context.status.say(`${joint.name}: ${targetText(joint, this.target(this.chosen))}`);
        }
    }

    /** A joint follows the scene's target again. */
    back(index: number): void {
        const joint = this.joints[index];
        if (joint !== undefined) {
            this.wishes.delete(joint.number);
            this.sender(joint.number)(`joint ${joint.number}`);
            this.tell();
        }
    }

    choose(index: number): void {
        const { status, store } = this.context;
        const count = this.joints.length;
        if (count > 0) {
            this.chosen = ((index % count) + count) % count;
            const { robot, name } = this.joints[this.chosen]!;
            const text = `Joint ${name} of ${robot}`;
            // Who looks at the list sees it there.
            store.get().panel === "joints" ? status.say(text) : status.show(text);
            this.tell();
        }
    }

    private sender(number: number): (command: string) => void {
        const known = this.senders.get(number) ?? throttled((command) => this.link.send(command));
        this.senders.set(number, known);
        return known;
    }

    /** Forgets wishes that came true, or did not in time (somebody else moved the joint, the simulation was reset). */
    private compare(): void {
        for (const joint of this.joints) {
            const wish = this.wishes.get(joint.number);
            if (wish !== undefined
                && (Math.abs(wish.target - joint.target) <= 1e-9 * Math.abs(wish.target) || performance.now() - wish.since > PATIENCE)) {
                this.wishes.delete(joint.number);
            }
        }
    }

    private tell(): void {
        this.listeners.forEach((listener) => listener());
    }
}
