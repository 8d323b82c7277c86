// Tab of a page with modes of vibration: which one is shown, how far it swings, and its figures.

import { LARGEST_AMPLITUDE } from "../data/modes";
import { formatNumber, formatValue } from "../draw/numbers";
import type { Mode } from "../types";
import { firstRun, type Context } from "./context";
import { el, follow, section, setText } from "./dom";
import { NOTHING } from "./format";
import { columnNumber, dampedText, frequencyScale, frequencyText, modeTitle, ratioText } from "./modes";
import type { Tab } from "./panel";
import { range } from "./slider";

const STEP = 0.005;
const ROUNDING = 1e-9; // of the modal mass

export class ModesTab implements Tab {
    readonly id = "modes";
    readonly label = "Modes";
    readonly icon = "modes";

    constructor(private readonly context: Context) {}

    build(host: HTMLElement): void {
        const run = firstRun(this.context);
        const remark = run.thinned === null ? null : el("p", { class: "hint" }, run.thinned);
        host.append(section("Frequencies", this.list(run.modes), remark), this.amplitude(), this.figures());
    }

    /** A row a mode, one of which is chosen. */
    private list(modes: readonly Mode[]): HTMLElement {
        const { store } = this.context;
        const { factor, unit } = frequencyScale(modes);
        const hertz = (value: number): string => columnNumber(value / factor);
        const rows = modes.map((mode, index) => {
            const input = el("input", {
                type: "radio", name: "mode", value: index, class: "visually-hidden", onchange: () => store.set({ mode: index }),
                "aria-label": `${modeTitle(modes, index)}${mode.rigid ? "" : `, damped ${dampedText(mode)}, damping ${ratioText(mode)}`}`,
            });
            const cells = mode.rigid ? [el("span", { class: "mode-rigid" }, "rigid motion")] : [
                el("span", { class: "num" }, hertz(mode.frequency)),
                el("span", { class: "num" }, mode.ratio >= 1 ? "overdamped" : hertz(mode.damped)),
                el("span", { class: "num" }, ratioText(mode)),
            ];
            return { input, element: el("label", { class: "mode-row", "data-mode": index + 1 }, input, el("span", { class: "num" }, String(index + 1)), ...cells) };
        });
        follow(store, ["mode"], (view) => rows.forEach(({ input, element }, index) => {
            input.checked = index === view.mode;
            element.classList.toggle("chosen", input.checked);
            if (input.checked) {
                element.scrollIntoView({ block: "nearest" });
            }
        }));
        const head = ["Mode", unit, `damped ${unit}`, "damping"].map((text) => el("span", { class: "num" }, text));
        return el("div", { class: "mode-list", role: "radiogroup", "aria-label": "Mode shown" },
            el("div", { class: "mode-row mode-head", "aria-hidden": "true" }, ...head), ...rows.map((row) => row.element));
    }

    private amplitude(): HTMLElement {
        const { store } = this.context;
        const one = range("Amplitude", 0, LARGEST_AMPLITUDE, STEP, (value) => store.set({ amplitude: value }), (value) => `${formatNumber(100 * value, 3)} %`);
        one.input.id = "amplitude";
        follow(store, ["amplitude"], (view) => one.set(view.amplitude));
        return section("Amplitude", el("label", { class: "slider" }, el("span", { class: "slider-label" }, "Of the bodies' size"), one.value, one.input),
            el("p", { class: "hint" }, "A mode has a shape, but no size: that depends on what excites it. Shapes of small motions are drawn large here, "
                + "so what turns seems to grow."));
    }

    private figures(): HTMLElement {
        const { store } = this.context;
        const run = firstRun(this.context);
        const title = el("h3", {});
        const facts = el("dl", { class: "facts" });
        const perMetre = run.dimension === 2 ? "/m" : "";
        const mass = (value: number): string => (Number.isFinite(value) ? `${formatValue(1000 * value, "g")}${perMetre}` : NOTHING);
        follow(store, ["mode"], (view) => {
            const mode = run.modes[view.mode];
            if (mode === undefined) {
                return;
            }
            setText(title, `Mode ${view.mode + 1}`);
            const axes = ["x", "y", "z"].slice(0, run.dimension);
            const rows: [string, string][] = [
                ["Frequency", mode.rigid ? "rigid motion" : frequencyText(mode)], ["Damped frequency", dampedText(mode)],
                ["Damping, of critical", ratioText(mode)], ["Period", mode.rigid ? NOTHING : formatValue(1 / mode.frequency, "s")],
                ["Modal mass", mass(mode.mass)],
                // What rounding leaves is none.
                ...axes.map((axis, i): [string, string] =>
                    [`Effective mass along ${axis}`, mass(mode.effectiveMass[i]! > ROUNDING * mode.mass ? mode.effectiveMass[i]! : 0)]),
            ];
            facts.replaceChildren(...rows.flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, text)]));
        });
        return el("section", { class: "section", id: "mode-figures" }, title, facts);
    }
}
