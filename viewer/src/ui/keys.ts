// What each key does.

import { colourChoices } from "./fields";
import { LARGEST_AMPLITUDE } from "../data/modes";
import { firstRun, hasModes, isCompare } from "./context";
import { capital } from "./format";
import type { JointHand } from "./joints";
import { modeTitle } from "./modes";
import type { Shell } from "./shell";
import type { Shortcut, Shortcuts } from "./shortcuts";
import { neighbour, seekStage } from "./stages";

const TURN = (7.5 * Math.PI) / 180; // [rad] for one press of an arrow key
const MOVE = 0.04; // of the picture's height
const SMALL = 0.1; // with Shift, of the step of a joint
const SWING = 1.25; // of a mode's amplitude for one press
const SMALLEST_SWING = 0.001; // that can grow

function timeKeys(shell: Shell): Shortcut[] {
    const { player, store } = shell.context;
    const group = "Time";
    return [
        { keys: [" "], shown: "Space", does: "play, pause", group, act: () => shell.timeline.toggle() },
        { keys: [","], shown: ",", does: "previous frame", group, act: () => player.step(-1) },
        { keys: ["."], shown: ".", does: "next frame", group, act: () => player.step(1) },
        { keys: ["Home"], shown: "Home", does: "first frame", group, act: () => player.step(-1e9) },
        { keys: ["End"], shown: "End", does: "last frame", group, act: () => player.step(1e9) },
        { keys: ["["], shown: "[", does: "slower", group, act: () => shell.timeline.changeSpeed(-1) },
        { keys: ["]"], shown: "]", does: "faster", group, act: () => shell.timeline.changeSpeed(1) },
        { keys: ["l"], shown: "L", does: "repeat", group, act: () => store.set({ loop: !store.get().loop }) },
    ];
}

function cameraKeys(shell: Shell): Shortcut[] {
    const { stage } = shell.context;
    const group = "Camera (picture in focus)";
    const arrow = (key: string, dx: number, dy: number): Shortcut => ({
        keys: [key], shown: "", does: "", group: "", stage: true,
        act: (event) => {
            if (shell.probe.isInspecting) {
                shell.probe.moveCrosshair(dx * (event.shiftKey ? 2 : 16), dy * (event.shiftKey ? 2 : 16));
            } else if (event.shiftKey) {
                stage.pan(-dx * MOVE, -dy * MOVE);
            } else {
                stage.orbit(dx * TURN, dy * TURN);
            }
        },
    });
    return [
        { keys: [], shown: "← ↑ → ↓", does: "turn", group, act: () => undefined },
        { keys: [], shown: "Shift + ← ↑ → ↓", does: "move", group, act: () => undefined },
        arrow("ArrowLeft", -1, 0), arrow("ArrowRight", 1, 0), arrow("ArrowUp", 0, -1), arrow("ArrowDown", 0, 1),
        { keys: ["+", "="], shown: "+", does: "zoom in", group, act: () => stage.zoom(1.15) },
        { keys: ["-", "_"], shown: "−", does: "zoom out", group, act: () => stage.zoom(1 / 1.15) },
        { keys: ["f"], shown: "F", does: "frame everything", group, act: () => stage.frameAll() },
        { keys: ["v"], shown: "V", does: "views along the axes", group, act: () => shell.tools.views.show() },
        { keys: ["m"], shown: "M", does: "perspective, parallel", group, act: () => shell.tools.flipProjection() },
        ...Array.from({ length: 9 }, (_, i): Shortcut => ({
            keys: [`Digit${i + 1}`], shown: i === 0 ? "1 to 9" : "", does: "go to a bookmark", group, act: () => shell.tools.recall(i),
        })),
        ...Array.from({ length: 9 }, (_, i): Shortcut => ({
            keys: [`Shift+Digit${i + 1}`], shown: i === 0 ? "Shift + 1 to 9" : "", does: "keep a bookmark", group, act: () => shell.tools.save(i),
        })),
    ];
}

function drawingKeys(shell: Shell): Shortcut[] {
    const { store, status, runs } = shell.context;
    const group = "Drawing";
    const flip = (key: "contacts" | "wireframe" | "axes" | "overlay", name: string) => (): void => {
        const on = !store.get()[key];
        store.set({ [key]: on });
        status.say(`${name} ${on ? "on" : "off"}`);
    };
    const nextColour = (): void => {
        const choices = colourChoices(runs).filter((choice) => choice.missing === null);
        const at = choices.findIndex((choice) => choice.name === store.get().colour);
        const next = choices[(at + 1) % choices.length]!;
        store.set({ colour: next.name, range: null });
        status.show(`Colour: ${next.label}`);
    };
    const keys: Shortcut[] = [
        { keys: ["k"], shown: "K", does: "next colour", group, act: nextColour },
        { keys: ["y"], shown: "Y", does: "colours: all values, 99 % of them", group, act: () => shell.range.flip() },
        { keys: ["c"], shown: "C", does: "contacts", group, act: flip("contacts", "Contacts") },
        { keys: ["w"], shown: "W", does: "wireframe", group, act: flip("wireframe", "Wireframe") },
        { keys: ["a"], shown: "A", does: "axes", group, act: flip("axes", "Axes") },
        {
            keys: ["x"], shown: "X", does: "clip plane: off, x, y, z", group, act: () => {
                const { clip } = store.get();
                const axis = ({ none: "x", x: "y", y: "z", z: null } as const)[clip.axis ?? "none"];
                store.set({ clip: { ...clip, axis } });
                status.say(axis === null ? "Clip plane off" : `Clip plane across ${axis}`);
            },
        },
        { keys: ["i"], shown: "I", does: "crosshair: value under it, Enter pins", group, act: () => shell.probe.inspect() },
        { keys: ["Enter"], shown: "", does: "", group: "", stage: true, act: () => shell.probe.pinCrosshair() },
    ];
    if (isCompare(shell.context)) {
        keys.push({ keys: ["o"], shown: "O", does: "other runs as ghosts", group, act: flip("overlay", "Overlay") },
            { keys: ["d"], shown: "D", does: "colour by difference", group, act: () =>
                store.set({ colour: store.get().colour === "difference" ? "body" : "difference", range: null, follow: false }) });
    }
    return keys;
}

function pageKeys(shell: Shell): Shortcut[] {
    const { store } = shell.context;
    const group = "Page";
    return [
        { keys: ["?", "h"], shown: "? or H", does: "this sheet", group, act: () => shell.help.toggle() },
        { keys: ["t"], shown: "T", does: "light, dark", group, act: () => shell.flipTheme() },
        {
            keys: ["b"], shown: "B", does: "panel", group,
            act: () => (store.get().panel === null ? store.set({ panel: hasModes(shell.context) ? "modes" : "colours" }) : shell.panel.close()),
        },
        { keys: ["p"], shown: "P", does: "save a picture", group, act: () => void shell.capture.screenshot() },
        { keys: ["r"], shown: "R", does: "record a film", group, act: () => void shell.capture.record() },
        {
            keys: ["Escape"], shown: "Escape", does: "close, leave", group, act: () => {
                if (shell.probe.isInspecting) {
                    shell.probe.inspect(false);
                } else if (shell.capture.isRecording) {
                    void shell.capture.record();
                } else if (shell.panel.element.contains(document.activeElement)) {
                    shell.panel.close();
                } else {
                    shell.grab?.letGo();
                    shell.stageHost.focus();
                }
            },
        },
    ];
}

function liveKeys(shell: Shell): Shortcut[] {
    const { liveBar, grab } = shell;
    const group = "Simulation";
    return liveBar === null || grab === null ? [] : [
        { keys: ["s"], shown: "S", does: "pause, go on", group, act: () => liveBar.flip() },
        { keys: ["n"], shown: "N", does: "one step", group, act: () => liveBar.step() },
        { keys: ["g"], shown: "G", does: "grab mode", group, act: () => grab.toggle() },
    ];
}

/** Of a run with stages; those of the first run that has some. */
export function stageKeys(shell: Shell): Shortcut[] {
    const { runs, player, store, status } = shell.context;
    const group = "Time";
    const go = (direction: 1 | -1) => (): void => {
        const stages = runs.find((run) => run.stages.length > 0)?.stages ?? [];
        const stage = neighbour(stages, player.times, store.get().time, direction);
        if (stage !== null) {
            seekStage(player, stage);
            status.say(capital(stage.name));
        }
    };
    return [
        { keys: ["<"], shown: "<", does: "previous stage", group, act: go(-1) },
        { keys: [">"], shown: ">", does: "next stage", group, act: go(1) },
    ];
}

/** Of a page with modes of vibration. */
export function modeKeys(shell: Shell): Shortcut[] {
    const { store, status } = shell.context, { modes } = firstRun(shell.context);
    const group = "Modes";
    const go = (by: 1 | -1) => (): void => {
        const mode = (store.get().mode + by + modes.length) % modes.length;
        store.set({ mode });
        status.say(modeTitle(modes, mode));
    };
    const swing = (factor: number) => (): void => {
        const now = Math.max(store.get().amplitude, SMALLEST_SWING);
        store.set({ amplitude: Number(Math.min(now * factor, LARGEST_AMPLITUDE).toPrecision(3)) });
    };
    return [
        { keys: ["<"], shown: "<", does: "previous mode", group, act: go(-1) },
        { keys: [">"], shown: ">", does: "next mode", group, act: go(1) },
        { keys: ["q"], shown: "Q", does: "smaller swing", group, act: swing(1 / SWING) },
        { keys: ["e"], shown: "E", does: "larger swing", group, act: swing(SWING) },
    ];
}

/** Of a scene with robots. */
export function jointKeys(joints: JointHand): Shortcut[] {
    const group = "Joints";
    const step = (way: number) => (event: KeyboardEvent): void => joints.nudge(event.shiftKey ? SMALL * way : way);
    return [
        { keys: ["j"], shown: "J", does: "next joint, with Shift the one before", group,
            act: (event) => joints.choose(joints.chosen + (event.shiftKey ? -1 : 1)) },
        { keys: ["q"], shown: "Q", does: "its target down, with Shift a little", group, act: step(-1) },
        { keys: ["e"], shown: "E", does: "its target up, with Shift a little", group, act: step(1) },
        { keys: ["z"], shown: "Z", does: "back to the scene's target", group, act: () => joints.back(joints.chosen) },
    ];
}

export function addKeys(shortcuts: Shortcuts, shell: Shell): void {
    shortcuts.add(...timeKeys(shell), ...cameraKeys(shell), ...drawingKeys(shell), ...liveKeys(shell), ...pageKeys(shell));
}
