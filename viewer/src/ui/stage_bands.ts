// Bands above the slider of the timeline: when each stage of a launch began and ended. A row for every run that has stages; the bands of a
// page with one run have their names in them. What they do can be done by keys too, and the tab Stages tells what they say.

import type { Run, RunStage } from "../types";
import type { Context } from "./context";
import { el, follow } from "./dom";
import { courseText, endOf, seekStage, spanText, stageAt, stageColour } from "./stages";

/** A live run makes its stages anew with every frame. */
function stageNamed(run: Run, name: string): RunStage {
    return run.stages.find((stage) => stage.name === name)!;
}

export class StageBands {
    readonly element = el("div", { class: "stage-bands", "aria-hidden": "true", hidden: true });
    private bands: { run: Run; name: string; element: HTMLElement }[] = [];
    private key = "";

    constructor(private readonly context: Context) {
        follow(context.store, ["time"], () => this.mark());
    }

    /** The runs have more frames, or other ones. */
    update(): void {
        const { runs, player } = this.context;
        const staged = runs.filter((run) => run.stages.length > 0);
        const span = player.end - player.start;
        // Elements stay while only the last band grows: a click on one must end where it began.
        const key = staged.map((run) => run.stages.map((stage) => `${stage.name} ${stage.begin}`).join()).join(";");
        if (key !== this.key) {
            this.key = key;
            this.build(staged);
        }
        for (const { run, name, element } of this.bands) {
            const stage = stageNamed(run, name);
            const from = (stage.begin - player.start) / span, to = (endOf(stage, run) - player.start) / span;
            element.style.left = `${100 * from}%`;
            element.style.width = `${100 * (to - from)}%`;
            element.title = `${runs.length > 1 ? `${run.name}, ` : ""}${stage.name}: ${spanText(stage, run)}, ${courseText(stage)}`;
        }
        this.element.hidden = staged.length === 0 || !(span > 0);
        this.mark();
    }

    private build(staged: readonly Run[]): void {
        const { player, runs } = this.context;
        this.bands = [];
        this.element.classList.toggle("thin", runs.length > 1);
        this.element.replaceChildren(...staged.map((run) => el("div", { class: "stage-row" }, ...run.stages.map(({ name }) => {
            const element = el("div", { class: "band", "data-stage": name, onclick: () => seekStage(player, stageNamed(run, name)) },
                runs.length > 1 ? null : el("span", {}, name));
            element.style.setProperty("--stage", `var(${stageColour(stageNamed(run, name))})`);
            this.bands.push({ run, name, element });
            return element;
        }))));
    }

    /** The stage of the moment shown stands out. */
    private mark(): void {
        const { time } = this.context.store.get();
        this.bands.forEach(({ run, name, element }) => element.classList.toggle("now", stageAt(run.stages, time)?.name === name));
    }
}
