// Which plots a series of columns gives. Names of columns are those of series.csv (docs/output.md).

export interface Line {
    column: string; // of the series; of a derived line: its own name
    label: string;
    sum?: string[]; // derived: the sum of these columns
}

export interface Chart {
    id: string;
    title: string;
    unit: string;
    group: string; // of the list in which a person looks for it
    lines: Line[];
    log: boolean; // at first
    whole: boolean; // counts: ticks at whole numbers
}

interface Known {
    id: string;
    title: string;
    unit: string;
    lines: [string, string][];
    log?: boolean;
    whole?: boolean;
}

const STORED = ["kinetic", "elastic", "gravity", "contact"];

const KNOWN: Known[] = [
    {
        id: "energy", title: "Energies", unit: "J",
        lines: [["kinetic", "kinetic"], ["elastic", "elastic"], ["gravity", "gravity"], ["contact", "contact"],
            ["work", "work done"], ["dissipated", "dissipated"]],
    },
    { id: "energy_error", title: "Energy error", unit: "1", lines: [["energy_error", "error"]], log: true },
    {
        id: "momentum_error", title: "Momentum error", unit: "1",
        lines: [["momentum_error", "linear"], ["angular_momentum_error", "angular"]], log: true,
    },
    { id: "gap", title: "Smallest gap", unit: "m", lines: [["gap_min", "gap"]] },
    {
        id: "iterations", title: "Iterations a step", unit: "",
        lines: [["iterations", "iterations"], ["retries", "refused attempts"], ["lags", "friction solves"]], whole: true,
    },
    { id: "wall", title: "Solve time a step", unit: "s", lines: [["wall_s", "wall time"]] },
    {
        id: "contacts", title: "Contacts", unit: "",
        lines: [["contacts", "all"], ["sticking", "sticking"], ["slipping", "slipping"]], whole: true,
    },
    { id: "penetration", title: "Penetration", unit: "m", lines: [["penetration_max", "largest"]] },
    { id: "residual", title: "Residual", unit: "", lines: [["residual", "solver's own measure"]], log: true },
    { id: "cone_error", title: "Friction cone error", unit: "N", lines: [["cone_error", "largest"]] },
    { id: "dissipation_error", title: "Dissipation error", unit: "W", lines: [["dissipation_error", "largest"]] },
    { id: "complementarity", title: "Gap of loaded contacts", unit: "m", lines: [["complementarity", "largest"]] },
    {
        id: "momentum", title: "Momentum", unit: "kg m/s",
        lines: [["momentum_x", "x"], ["momentum_y", "y"], ["momentum_z", "z"]],
    },
    {
        id: "angular_momentum", title: "Angular momentum", unit: "kg m²/s",
        lines: [["angular_momentum_x", "x"], ["angular_momentum_y", "y"], ["angular_momentum_z", "z"]],
    },
    {
        id: "parts", title: "Parts of a step", unit: "", lines: [["substeps", "parts"]], whole: true,
    },
    {
        id: "faults", title: "Faults", unit: "",
        lines: [["intersections", "intersections"], ["inversions", "inversions"]], whole: true,
    },
    { id: "stiffness_work", title: "Work of stiffness changes", unit: "J", lines: [["stiffness_work", "work"]] },
];

/** What is shown before a person chooses. */
export const FIRST_CHARTS = ["energy", "energy_error", "momentum_error", "gap", "iterations", "wall", "contacts"];

// NAME.force_x and so on: what stands behind the last dot.
const QUANTITIES: [RegExp, string, string, string][] = [
    [/^force_([xyz])$/, "force", "reaction", "N"],
    [/^contact_([xyz])$/, "contact", "contact force", "N"],
    [/^d([xyz])$/, "d", "displacement", "m"],
    [/^v([xyz])$/, "v", "velocity", "m/s"],
    [/^r([xyz])$/, "r", "rotation", "rad"],
    [/^([xyz])$/, "at", "position", "m"],
];

const NOT_DRAWN = new Set(["step", "time"]);

function knownCharts(columns: ReadonlySet<string>, used: Set<string>): Chart[] {
    const charts: Chart[] = [];
    for (const known of KNOWN) {
        const lines: Line[] = known.lines.filter(([column]) => columns.has(column)).map(([column, label]) => ({ column, label }));
        lines.forEach((line) => used.add(line.column));
        if (known.id === "energy" && STORED.every((column) => columns.has(column))) {
            lines.unshift({ column: "total", label: "total", sum: STORED });
        }
        if (known.id === "wall") {
            // Phases of a step, where a series has them.
            [...columns].filter((column) => /^phase_|_s$/.test(column) && column !== "wall_s").forEach((column) => {
                lines.push({ column, label: column.replace(/^phase_|_s$/g, "").replaceAll("_", " ") });
                used.add(column);
            });
        }
        if (lines.length > 0) {
            charts.push({
                id: known.id, title: known.title, unit: known.unit, group: "Run", lines,
                log: known.log ?? false, whole: known.whole ?? false,
            });
        }
    }
    return charts;
}

function measuredChart(column: string, charts: Map<string, Chart>): boolean {
    const dot = column.lastIndexOf(".");
    const name = column.slice(0, dot);
    for (const [pattern, id, label, unit] of dot > 0 ? QUANTITIES : []) {
        const axis = pattern.exec(column.slice(dot + 1))?.[1];
        if (axis !== undefined) {
            const key = `${name}.${id}`;
            const chart: Chart = charts.get(key) ?? {
                id: key, title: `${name}: ${label}`, unit, group: name, lines: [], log: false, whole: false,
            };
            chart.lines.push({ column, label: axis });
            charts.set(key, chart);
            return true;
        }
    }
    return false;
}

/** All plots of these columns, those of the run's report first. Every column but step and time is in one of them. */
export function chartsOf(columns: readonly string[]): Chart[] {
    const used = new Set<string>(NOT_DRAWN);
    const known = knownCharts(new Set(columns), used);
    const measured = new Map<string, Chart>();
    const others: Chart[] = [];
    for (const column of columns) {
        if (!used.has(column) && !measuredChart(column, measured)) {
            others.push({
                id: column, title: column, unit: "", group: "Other", lines: [{ column, label: column }], log: false, whole: false,
            });
        }
        used.add(column);
    }
    return [...known, ...measured.values(), ...others];
}

/** Values of a line, NaN as null (a gap in the drawing). log: magnitudes, as a logarithm knows no sign. */
export function lineValues(
    line: Line, column: (name: string) => ArrayLike<number> | null, rows: number, log: boolean,
): (number | null)[] {
    const parts = (line.sum ?? [line.column]).map(column);
    const values: (number | null)[] = new Array<number | null>(rows).fill(null);
    for (let i = 0; i < rows; ++i) {
        let sum = 0;
        for (const part of parts) {
            sum += part?.[i] ?? NaN;
        }
        const value = log ? Math.abs(sum) : sum;
        values[i] = Number.isFinite(value) && !(log && value === 0) ? value : null;
    }
    return values;
}

/** Powers of ten between two numbers, at most five of them; over short ranges 2 and 5 times them as well. */
export function logTicks(low: number, high: number): number[] {
    if (!(low > 0) || !(high > low) || !Number.isFinite(high)) {
        return [];
    }
    const first = Math.floor(Math.log10(low) + 1e-9);
    const last = Math.ceil(Math.log10(high) - 1e-9);
    const every = Math.max(1, Math.ceil((last - first) / 4));
    const factors = last - first <= 2 ? [1, 2, 5] : [1];
    const ticks: number[] = [];
    // From a multiple of the distance on: the same numbers whatever the range.
    for (let power = Math.ceil(first / every) * every; power <= last; power += every) {
        ticks.push(...factors.map((factor) => Number(`${factor}e${power}`)));
    }
    return ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
}

/** Number of the last row at or before a time, -1 without rows. Rows have single precision: 0.05 is a little more than 0.05 there. */
export function rowAt(times: ArrayLike<number>, time: number): number {
    const wanted = time + 2e-7 * Math.abs(time);
    let low = 0, high = times.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle]! <= wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return times.length === 0 ? -1 : Math.max(low - 1, 0);
}
