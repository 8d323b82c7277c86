// The strip in the stage that says which colour means which value.

import { gradientStops } from "../draw/colours";
import { formatNumber, niceTicks, scaleFor } from "../draw/numbers";
import type { Context } from "./context";
import { el, follow, onceAFrame, setText } from "./dom";
import { capital } from "./fields";
import type { RangeKeeper } from "./range";

const TICKS = 5;

export class ColourBar {
    readonly element: HTMLElement;
    private readonly strip = el("div", { class: "bar-strip" });
    private readonly ticks = el("div", { class: "bar-ticks" });
    private readonly label = el("span", { class: "bar-label" });
    private readonly mode = el("span", { class: "bar-mode" });

    constructor(private readonly context: Context, range: RangeKeeper) {
        this.element = el("button", {
            type: "button", id: "colour-bar", class: "colour-bar", onclick: () => context.store.set({ panel: "colours" }),
        }, this.label, el("span", { class: "bar-body" }, this.strip, this.ticks), this.mode);
        const draw = onceAFrame(() => this.draw());
        follow(context.store, ["colour", "theme"], draw);
        range.onChange(draw);
    }

    private draw(): void {
        const { range, follow: following } = this.context.store.get();
        const meaning = this.context.stage.scale();
        this.element.hidden = meaning === null;
        if (meaning === null) {
            return;
        }
        const [low, high] = meaning.range;
        const scale = scaleFor(Math.max(Math.abs(low), Math.abs(high)), meaning.unit);
        const label = capital(meaning.label);
        setText(this.label, scale.unit === "" ? label : `${label} [${scale.unit}]`);
        setText(this.mode, following ? "this frame" : range === null ? "" : "locked");
        this.element.title = `Colours: ${label} from ${formatNumber(low / scale.factor)} to ${formatNumber(high / scale.factor)} ${scale.unit}`;
        this.strip.style.background = `linear-gradient(to top, ${gradientStops(meaning.map)})`;
        const values = niceTicks(low / scale.factor, high / scale.factor, TICKS);
        const span = (high - low) / scale.factor || 1;
        this.ticks.replaceChildren(...values.map((value) => {
            const tick = el("span", { class: "bar-tick" }, formatNumber(value, 4));
            tick.style.bottom = `${(100 * (value - low / scale.factor)) / span}%`;
            return tick;
        }));
    }
}
