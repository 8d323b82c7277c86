// The figures of a run's summary: what they are called, their units, what belongs together, and which of several is best.

export interface Figure {
    key: string;
    label: string;
    unit: string;
    whole?: boolean;
    best?: "low" | "high" | "small"; // small: nearest to 0
}

export interface FigureGroup {
    title: string;
    figures: Figure[];
}

export const FIGURES: FigureGroup[] = [
    {
        title: "Run",
        figures: [
            { key: "status", label: "Status", unit: "" },
            { key: "reason", label: "Reason", unit: "" },
            { key: "method", label: "Method", unit: "" },
            { key: "time_end", label: "Simulated time", unit: "s" },
            { key: "steps", label: "Steps", unit: "", whole: true },
        ],
    },
    {
        title: "Speed",
        figures: [
            { key: "wall_s", label: "Wall time", unit: "s", best: "low" },
            { key: "cpu_s", label: "CPU time", unit: "s", best: "low" },
            { key: "realtime_rate", label: "Real-time rate", unit: "", best: "high" },
            { key: "iterations", label: "Iterations", unit: "", whole: true, best: "low" },
            { key: "iterations_per_step", label: "Iterations a step", unit: "", best: "low" },
            { key: "threads", label: "Threads", unit: "", whole: true },
            { key: "peak_mb", label: "Peak memory", unit: "MB", best: "low" },
        ],
    },
    {
        title: "Model",
        figures: [
            { key: "nodes", label: "Nodes", unit: "", whole: true },
            { key: "elements", label: "Elements", unit: "", whole: true },
            { key: "dofs", label: "Degrees of freedom", unit: "", whole: true },
        ],
    },
    {
        title: "Contact",
        figures: [
            { key: "contacts_max", label: "Contacts, most", unit: "", whole: true },
            { key: "contacts_mean", label: "Contacts, mean", unit: "" },
            { key: "sticking", label: "Sticking at the end", unit: "", whole: true },
            { key: "slipping", label: "Slipping at the end", unit: "", whole: true },
            { key: "gap_min", label: "Smallest gap", unit: "m" },
            { key: "penetration_max", label: "Penetration", unit: "m", best: "small" },
            { key: "intersections", label: "Intersections", unit: "", whole: true, best: "small" },
            { key: "inversions", label: "Inversions", unit: "", whole: true, best: "small" },
            { key: "cone_error_max", label: "Friction cone error", unit: "N", best: "small" },
            { key: "dissipation_error_max", label: "Dissipation error", unit: "W", best: "small" },
            { key: "complementarity_max", label: "Gap of loaded contacts", unit: "m", best: "small" },
        ],
    },
    {
        title: "Balance",
        figures: [
            { key: "energy_initial", label: "Energy at the start", unit: "J" },
            { key: "energy_final", label: "Energy at the end", unit: "J" },
            { key: "stiffness_work", label: "Work of stiffness changes", unit: "J" },
            { key: "energy_error_max", label: "Energy error, relative", unit: "1", best: "small" },
            { key: "momentum_error_max", label: "Momentum error, relative", unit: "1", best: "small" },
            { key: "angular_momentum_error_max", label: "Angular momentum error, relative", unit: "1", best: "small" },
        ],
    },
    {
        title: "Program",
        figures: [
            { key: "version", label: "Version", unit: "" },
            { key: "blas", label: "BLAS", unit: "" },
            { key: "state_hash", label: "State hash", unit: "" },
        ],
    },
];

export type Summary = Readonly<Record<string, unknown>>;

/** Groups as far as some of the summaries have them; what the table does not know comes last. */
export function groupFigures(summaries: readonly Summary[]): FigureGroup[] {
    const present = new Set(summaries.flatMap((summary) => Object.keys(summary)));
    const has = (key: string): boolean =>
        present.has(key) && summaries.some((summary) => summary[key] !== "" && summary[key] !== undefined);
    const groups = FIGURES.map((group) => ({ ...group, figures: group.figures.filter((figure) => has(figure.key)) }));
    const known = new Set(FIGURES.flatMap((group) => group.figures.map((figure) => figure.key)));
    const other = [...present].filter((key) => !known.has(key) && has(key));
    groups.push({ title: "Other", figures: other.map((key) => ({ key, label: key.replaceAll("_", " "), unit: "" })) });
    return groups.filter((group) => group.figures.length > 0);
}

/** Which of several values are best; none where all are the same or a value is missing everywhere. */
export function bestOf(figure: Figure, values: readonly unknown[]): boolean[] {
    const none = values.map(() => false);
    const sizes = values.map((value) =>
        typeof value === "number" && Number.isFinite(value) ? (figure.best === "small" ? Math.abs(value) : value) : null);
    const finite = sizes.filter((size): size is number => size !== null);
    if (figure.best === undefined || finite.length < 2) {
        return none;
    }
    const best = figure.best === "high" ? Math.max(...finite) : Math.min(...finite);
    const marks = sizes.map((size) => size === best);
    return finite.every((size) => size === best) ? none : marks;
}
