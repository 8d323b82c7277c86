// The strip above the picture that says which colour means which value.

import { gradientStops } from "../draw/colours";
import { formatNumber, niceTicks, scaleFor } from "../draw/numbers";
import type { Context } from "./context";
import { el, follow, onceAFrame, setText } from "./dom";
import { capital } from "./fields";
import type { RangeKeeper } from "./range";

const TICKS = 5;
const ROOM = 0.09; // of the bar, for a line of text
const ROOM_LYING = 0.25; // for a number

export class ColourBar {
    readonly element: HTMLElement;
    private readonly strip = el("div", { class: "bar-strip" });
    private readonly ticks = el("div", { class: "bar-ticks" });
    private readonly label = el("span", { class: "bar-label" });
    private readonly mode = el("span", { class: "bar-mode" });

    constructor(private readonly context: Context, private readonly range: RangeKeeper) {
        this.element = el("button", {
            type: "button", id: "colour-bar", class: "colour-bar",
            onclick: () => context.store.set({ panel: "colours" }),
        }, this.label, el("span", { class: "bar-body" }, this.strip, this.ticks), this.mode);
        const draw = onceAFrame(() => this.draw());
        follow(context.store, ["colour", "theme"], draw);
        range.onChange(draw);
    }

    private draw(): void {
        const meaning = this.context.stage.scale();
        this.element.hidden = meaning === null;
        if (meaning === null) {
            return;
        }
        const [low, high] = meaning.range;
        const scale = scaleFor(Math.max(Math.abs(low), Math.abs(high)), meaning.unit);
        const label = capital(meaning.label);
        setText(this.label, scale.unit === "" ? label : `${label} [${scale.unit}]`);
        const mode = { all: "", frame: "this frame", locked: "locked" }[this.range.mode()];
        setText(this.mode, [mode, this.context.store.get().most ? "99 %" : ""].filter((word) => word !== "").join(", "));
        const title = `Colours: ${label} from ${formatNumber(low / scale.factor)} to ${formatNumber(high / scale.factor)} ${scale.unit}`;
        this.element.title = title;
        this.element.setAttribute("aria-label", title); // the ticks, read one after another, are no name
        this.strip.style.setProperty("--stops", gradientStops(meaning.map));
        const [bottom, top] = [low / scale.factor, high / scale.factor];
        const span = top - bottom || 1;
        // Both ends are named; round numbers in between where they have room.
        const between = niceTicks(bottom, top, TICKS).filter((value) => value - bottom > ROOM * span && top - value > ROOM * span);
        const values = [bottom, ...between, top];
        let kept = bottom;
        this.ticks.replaceChildren(...values.map((value) => {
            // A bar that lies (on phones) has room for fewer.
            const far = value === bottom || value === top || (value - kept >= ROOM_LYING * span && top - value >= ROOM_LYING * span);
            kept = far ? value : kept;
            const tick = el("span", { class: far ? "bar-tick" : "bar-tick between" }, formatNumber(value, 4));
            tick.style.setProperty("--at", `${(100 * (value - bottom)) / span}%`);
            return tick;
        }));
    }
}
