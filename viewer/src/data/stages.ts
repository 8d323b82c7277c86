// The stages of a launch: keys "launch.speed" and so on, of the summary or of a live frame. Names and units come with the run.
import type { Figures, RunStage } from "../types";

/** Those that were reached, in their order. */
export function stagesOf(values: unknown, figures: Figures): RunStage[] {
    const json = (typeof values === "object" && values !== null ? values : {}) as Record<string, unknown>;
    return figures.stageNames.flatMap((name, kind): RunStage[] => {
        const number = (figure: string): number => {
            const value = json[`${name}.${figure}`];
            return typeof value === "number" ? value : NaN;
        };
        const text = (key: string): string => {
            const value = json[`${name}.${key}`];
            return typeof value === "string" ? value : "";
        };
        const begin = number("begin");
        if (!Number.isFinite(begin)) {
            return [];
        }
        return [{
            name, kind, begin, end: number("end"), integrator: text("integrator"), verdict: text("verdict"),
            values: Object.fromEntries(figures.stage.map((figure) => [figure.name, number(figure.name)])),
        }];
    });
}
