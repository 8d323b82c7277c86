// Tab: what colours the bodies, its range, and the pinned values.

import type { View } from "../view";
import { formatNumber } from "../draw/numbers";
import type { Context } from "./context";
import { button, clear, el, follow, press, section, Segments, setText } from "./dom";
import { colourChoices } from "./fields";
import type { Panel, Tab } from "./panel";
import type { Probe } from "./probe";
import type { RangeKeeper, RangeMode } from "./range";

const MODES: [RangeMode, string][] = [["all", "All frames"], ["frame", "This frame"], ["locked", "Locked"]];

export class ColoursTab implements Tab {
    readonly id = "colours";
    readonly label = "Colours";
    readonly icon = "colours";
    panel: Panel | null = null;

    constructor(private readonly context: Context, private readonly range: RangeKeeper, private readonly probe: Probe) {}

    build(host: HTMLElement): void {
        host.append(this.choices(), this.rangeSection(), this.pins());
    }

    private choices(): HTMLElement {
        const { store, runs } = this.context;
        const inputs = new Map<string, HTMLInputElement>();
        const list = el("div", { class: "choices", role: "radiogroup", "aria-label": "Colour by" });
        const groups = new Map<string, HTMLElement>();
        const hostOf = (group: string | null): HTMLElement => {
            if (group === null) {
                return list;
            }
            if (!groups.has(group)) {
                groups.set(group, el("details", { class: "parts" }, el("summary", {}, `Components and principal values of ${group}`)));
            }
            return groups.get(group)!;
        };
        for (const choice of colourChoices(runs)) {
            const input = el("input", {
                type: "radio", name: "colour", value: choice.name, id: `colour-${choice.name}`, disabled: choice.missing !== null,
                onchange: () => store.set({ colour: choice.name, range: null, follow: store.get().follow && choice.name !== "body" }),
            });
            inputs.set(choice.name, input);
            hostOf(choice.group).append(el("label", { class: choice.missing === null ? "choice" : "choice missing" }, input,
                el("span", { class: "grow" }, choice.label, choice.missing === null ? null : el("small", {}, choice.missing)),
                el("span", { class: "unit" }, choice.unit === "1" || choice.missing !== null ? "" : choice.unit)));
        }
        list.append(...groups.values());
        follow(store, ["colour"], (view) => inputs.forEach((input, name) => {
            input.checked = name === view.colour;
            // What is chosen is never folded away.
            input.closest("details")?.toggleAttribute("open", input.checked || input.closest("details")!.open);
        }));
        return section("Colour by", list);
    }

    private rangeSection(): HTMLElement {
        const { store, status } = this.context;
        const modes = new Segments("Range of the colours", MODES, (mode) => this.range.choose(mode));
        const fields = ["low", "high"].map((end) => el("input", {
            id: `range-${end}`, type: "text", inputmode: "decimal", class: "field",
            "aria-label": `${end === "low" ? "Lower" : "Upper"} end of the range`, spellcheck: "false", autocomplete: "off",
        }));
        const [low, high] = fields as [HTMLInputElement, HTMLInputElement];
        const unit = el("span", { class: "unit" });
        const lock = (): void => {
            const values = fields.map((field) => Number(field.value.replace(/−/g, "-").replace(",", ".")));
            if (values.every(Number.isFinite) && values[0]! < values[1]!) {
                store.set({ range: [values[0]!, values[1]!], follow: false, most: false });
            } else {
                status.show("The range needs two numbers, the lower one first", "problem");
                show(store.get());
            }
        };
        fields.forEach((field) => field.addEventListener("change", lock));
        const row = el("div", { class: "row range-row" }, low, el("span", { class: "muted" }, "to"), high, unit);
        const most = button({
            id: "range-most", label: "Colours span what 99 % of the vertices have; extremes get the last colour", key: "Y", text: "99 %", class: "small",
            pressed: false, act: () => this.range.flip(),
        });
        const hint = el("p", { class: "hint" }, "Bodies have their own colours: see the tab Bodies.");
        const show = (view: Readonly<View>): void => {
            const plain = view.colour === "body";
            modes.set(this.range.mode());
            modes.enable(!plain);
            press(most, view.most);
            most.disabled = !this.range.trims();
            row.hidden = plain;
            hint.hidden = !plain;
            fields.forEach((field, end) => {
                // Not while somebody types into it.
                if (document.activeElement !== field) {
                    field.value = formatNumber(this.range.current()[end]!, 5).replace(/−/g, "-");
                }
            });
            setText(unit, this.range.unit());
        };
        this.range.onChange(() => show(store.get()));
        show(store.get());
        return section("Range", el("div", { class: "row range-modes" }, modes.element, most), row, hint);
    }

    private pins(): HTMLElement {
        const { store } = this.context;
        const list = el("ul", { class: "pins" });
        const none = el("p", { class: "hint" }, "Click a point of a body to pin its value here. From the keyboard: I, arrow keys, Enter.");
        const unpin = button({ label: "Remove all pins", text: "Remove all", class: "small", act: () => store.set({ pins: [] }) });
        let values: HTMLElement[] = [];
        const rebuild = (): void => {
            clear(list);
            values = [];
            this.context.store.get().pins.forEach((pin, i) => {
                const value = el("strong", { class: "value" });
                const place = el("small", { class: "muted" });
                values.push(value, place);
                list.append(el("li", { class: "pin-row" }, el("span", { class: "pin-number" }, String(i + 1)),
                    el("span", { class: "pin-name", title: this.probe.nameOf(pin) }, this.probe.nameOf(pin)), value, place,
                    button({
                        label: `Remove pin ${i + 1}`, icon: "close", class: "quiet",
                        act: () => store.set({ pins: store.get().pins.filter((other) => other !== pin) }),
                    })));
            });
            none.hidden = values.length > 0;
            unpin.hidden = values.length === 0;
            fill();
        };
        const fill = (): void => {
            this.context.store.get().pins.forEach((pin, i) => {
                const reading = this.probe.read(pin);
                if (values[2 * i] !== undefined) {
                    setText(values[2 * i]!, reading.value);
                    setText(values[2 * i + 1]!, reading.place);
                }
            });
        };
        follow(store, ["pins"], rebuild);
        this.probe.onReading(fill);
        return section("Pinned values", list, none, unpin);
    }
}
