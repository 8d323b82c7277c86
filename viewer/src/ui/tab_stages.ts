// Tab of a run whose scene has `stages`: what happened in each, and where the energy went.

import type { LiveLink, RunStage } from "../types";
import { firstRun, type Context } from "./context";
import { el, follow, onceAFrame, section, setText } from "./dom";
import { capital } from "./format";
import type { Tab } from "./panel";
import { courseText, energiesOf, rowsOf, seekStage, spanText, stageAt, stageColour } from "./stages";

/** A stage: its name is a button that goes there. Its elements stay while a live run changes their texts. */
class Card {
    readonly element: HTMLElement;
    private readonly span = el("span", { class: "value" });
    private readonly course = el("p", { class: "hint" });
    private readonly facts = el("dl", { class: "facts" });
    private readonly jump: HTMLButtonElement;

    constructor(private readonly context: Context, readonly name: string) {
        this.jump = el("button", {
            type: "button", class: "stage-jump", title: `Go to where ${name} begins`, onclick: () => {
                const stage = this.stage;
                if (stage !== undefined) {
                    seekStage(context.player, stage);
                }
            },
        }, el("span", { class: "stage-dot" }), el("strong", { class: "grow" }, name), this.span);
        this.element = el("section", { class: "section stage-card", "data-stage": name }, this.jump, this.course, this.facts);
    }

    update(): void {
        const run = firstRun(this.context), stage = this.stage;
        this.element.hidden = stage === undefined;
        if (stage === undefined) {
            return;
        }
        this.element.style.setProperty("--stage", `var(${stageColour(stage)})`);
        setText(this.span, spanText(stage, run));
        setText(this.course, capital(courseText(stage)));
        const rows = rowsOf(stage, run);
        if (this.facts.children.length !== 2 * rows.length) {
            this.facts.replaceChildren(...rows.flatMap(() => [el("dt"), el("dd")]));
        }
        rows.flat().forEach((text, i) => setText(this.facts.children[i]!, text));
    }

    mark(now: RunStage | null): void {
        if (now?.name === this.name) {
            this.jump.setAttribute("aria-current", "true");
        } else {
            this.jump.removeAttribute("aria-current");
        }
    }

    private get stage(): RunStage | undefined {
        return firstRun(this.context).stages.find((stage) => stage.name === this.name);
    }
}

export class StagesTab implements Tab {
    readonly id = "stages";
    readonly label = "Stages";
    readonly icon = "stages";
    private readonly cards: Card[];
    private readonly energies = el("table", { class: "table" });
    private visible = false;

    constructor(private readonly context: Context, link: LiveLink | null) {
        this.cards = firstRun(context).figures.stageNames.map((name) => new Card(context, name));
        link?.onChange(onceAFrame(() => this.update()));
    }

    build(host: HTMLElement): void {
        host.append(...this.cards.map((card) => card.element), section("Energies at the end of each",
            el("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Energies at the end of each stage" }, this.energies)));
        follow(this.context.store, ["time"], () => this.mark());
    }

    shown(visible: boolean): void {
        this.visible = visible;
        this.update();
    }

    private update(): void {
        if (!this.visible) {
            return;
        }
        this.cards.forEach((card) => card.update());
        this.mark();
        const { stages } = firstRun(this.context);
        const { unit, rows } = energiesOf(stages);
        this.energies.replaceChildren(
            el("thead", {}, el("tr", {}, el("th", { scope: "col", class: "unit" }, unit), ...stages.map((stage) => el("th", { scope: "col", class: "num" }, stage.name)))),
            el("tbody", {}, ...rows.map(([label, texts]) =>
                el("tr", {}, el("th", { scope: "row" }, label), ...texts.map((text) => el("td", { class: "num" }, text))))));
    }

    private mark(): void {
        const now = stageAt(firstRun(this.context).stages, this.context.store.get().time);
        this.cards.forEach((card) => card.mark(now));
    }
}
