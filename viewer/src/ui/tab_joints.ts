// Tab: joints of robots, to be moved while the simulation is going on.

import type { LiveJoint, LiveLink } from "../types";
import { button, el, onceAFrame, section, setText } from "./dom";
import type { GamepadHand, PadAxis } from "./gamepad";
import { nowText, targetText, type JointHand } from "./joints";
import type { Tab } from "./panel";
import { range } from "./slider";

export class JointsTab implements Tab {
    readonly id = "joints";
    readonly label = "Joints";
    readonly icon = "joints";
    private readonly list = el("div", {});
    private readonly pad = el("div", {});
    private updates: (() => void)[] = [];
    private padUpdates: (() => void)[] = [];
    private shape = "";
    private padShape = "";
    private visible = true;
    private chosen = -1;

    constructor(private readonly link: LiveLink, private readonly hand: JointHand, private readonly gamepad: GamepadHand) {}

    build(host: HTMLElement): void {
        const key = (name: string): HTMLElement => el("kbd", {}, name);
        const all = button({
            id: "joints-back", label: "All joints follow the scene again", text: "All back to the scene", class: "small",
            act: () => this.hand.joints.forEach((joint, i) => joint.hand && this.hand.back(i)),
        });
        host.append(
            section("By hand", el("p", { class: "hint" }, "A slider is the target of a joint's drive, the mark below it where the joint is. Keys: ",
                key("J"), " chooses a joint, ", key("Q"), " ", key("E"), " move it, ", key("Z"), " gives it back to the scene; with Shift: "
                + "the joint before, small steps."), all),
            this.list, this.pad);
        const show = onceAFrame(() => this.show());
        this.link.onChange(show);
        this.hand.onChange(show);
        this.gamepad.onChange(show);
        this.show();
    }

    shown(visible: boolean): void {
        this.visible = visible;
        if (visible && this.shape !== "") {
            this.show();
        }
    }

    private show(): void {
        if (this.visible) {
            this.adapt();
            this.updates.forEach((update) => update());
            this.adaptPad();
            this.padUpdates.forEach((update) => update());
        }
    }

    /** The rows are built once the joints are known, and anew if they differ. */
    private adapt(): void {
        const { joints } = this.hand;
        const shape = JSON.stringify(joints.map(({ robot, name, number }) => [robot, name, number]));
        if (shape === this.shape) {
            return;
        }
        this.shape = shape;
        this.updates = [];
        const robots = new Map<string, HTMLElement[]>();
        joints.forEach((joint, i) => {
            const rows = robots.get(joint.robot) ?? [];
            rows.push(this.row(joint, i));
            robots.set(joint.robot, rows);
        });
        this.list.replaceChildren(...[...robots].map(([robot, rows]) => section(robot, el("div", {}, ...rows))));
        if (joints.length === 0) {
            this.list.append(section("", el("p", { class: "hint" }, "No joint of this scene has a drive.")));
        }
    }

    private row(first: LiveJoint, i: number): HTMLElement {
        const one = range(first.name, first.range[0], first.range[1], "any", (value) => this.hand.aim(i, value), (value) => targetText(first, value));
        const at = el("small", { class: "muted value" });
        const mark = el("span", { class: "joint-mark", "aria-hidden": "true", hidden: first.drive !== "position" });
        const back = button({
            label: `${first.name} follows the scene again`, icon: "reset", class: "quiet", act: () => this.hand.back(i),
        });
        const row = el("div", {
            class: "joint", "data-joint": first.number, onpointerdown: () => this.hand.chosen !== i && this.hand.choose(i),
        }, el("div", { class: "joint-head" }, el("span", { class: "joint-name", title: first.name }, first.name), at),
        el("div", { class: "joint-aim" }, el("span", { class: "joint-range" }, one.input, mark), one.value, back));
        this.updates.push(() => {
            const joint = this.hand.joints[i]!;
            const target = this.hand.target(i);
            one.set(target);
            setText(at, nowText(joint));
            const low = Math.min(joint.range[0], target), high = Math.max(joint.range[1], target);
            mark.style.setProperty("--at", String(Math.min(Math.max((joint.position - low) / (high - low || 1), 0), 1)));
            back.disabled = !joint.hand;
            row.classList.toggle("chosen", this.hand.chosen === i);
            if (this.hand.chosen === i && this.chosen !== i) {
                this.chosen = i;
                row.scrollIntoView({ block: "nearest" });
            }
        });
        return row;
    }

    /** Which axis of the gamepad moves which joint. */
    private adaptPad(): void {
        const { name, axes } = this.gamepad;
        const shape = JSON.stringify([name, name === null ? 0 : axes.length, this.shape]);
        if (shape === this.padShape) {
            return;
        }
        this.padShape = shape;
        this.padUpdates = [];
        this.pad.replaceChildren(name === null
            ? section("Gamepad", el("p", { class: "hint" }, "The sticks of a gamepad can move joints: connect one and press one of its buttons."))
            : section("Gamepad", el("p", { class: "hint" }, name), ...axes.map((axis, k) => this.axisRow(axis, k))));
    }

    private axisRow(axis: PadAxis, k: number): HTMLElement {
        const { joints } = this.hand;
        const robots = new Set(joints.map((joint) => joint.robot)).size;
        const select = el("select", {
            class: "select small grow", "aria-label": `Joint of axis ${k + 1}`, onchange: () => (axis.joint = select.value === "" ? null : Number(select.value)),
        }, el("option", { value: "" }, "none"),
        ...joints.map((joint, i) => el("option", { value: i }, robots > 1 ? `${joint.robot}/${joint.name}` : joint.name)));
        select.value = axis.joint === null ? "" : String(axis.joint);
        const reversed = el("input", { type: "checkbox", onchange: () => (axis.reversed = reversed.checked) });
        reversed.checked = axis.reversed;
        const value = el("output", { class: "value axis-value" });
        this.padUpdates.push(() => setText(value, axis.value.toFixed(2).replace("-", "−")));
        return el("div", { class: "row axis-row" }, el("span", {}, `Axis ${k + 1}`), value, select,
            el("label", { class: "row", title: "The other way round" }, reversed, "reversed"));
    }
}
