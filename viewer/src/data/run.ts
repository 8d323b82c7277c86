// A run from its packet. Everything that later code relies on (ranges of indices, lengths) is checked here, once.
import type { Body, BodyType, Difference, Field, Figures, Pair, Run, Series } from "../types";
import { DataError, type Packet } from "./packet";
import { stagesOf } from "./stages";
import { studyOf } from "./study";

type Json = Record<string, unknown>;

const TYPES: BodyType[] = ["deformable", "static", "rigid", "shell"];

const text = (value: unknown, otherwise = ""): string => (typeof value === "string" ? value : otherwise);
const number = (value: unknown, otherwise = 0): number => (typeof value === "number" ? value : otherwise);
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

function fail(what: string): never {
    throw new DataError(`the data are damaged: ${what}`);
}

function span(first: number, count: number, total: number): boolean {
    return Number.isInteger(first) && Number.isInteger(count) && first >= 0 && count >= 0 && first + count <= total;
}

function bodyOf(json: Json, totals: { vertices: number; triangles: number; edges: number }): Body {
    const body: Body = {
        name: text(json["name"], "?"),
        type: TYPES.includes(json["type"] as BodyType) ? (json["type"] as BodyType) : "deformable",
        plane: json["plane"] === true,
        vertexFirst: number(json["vertex_first"]),
        vertexCount: number(json["vertex_count"]),
        triFirst: number(json["tri_first"]),
        triCount: number(json["tri_count"]),
        edgeFirst: number(json["edge_first"]),
        edgeCount: number(json["edge_count"]),
    };
    const fits = span(body.vertexFirst, body.vertexCount, totals.vertices) && span(body.triFirst, body.triCount, totals.triangles)
        && span(body.edgeFirst, body.edgeCount, totals.edges);
    return fits ? body : fail(`body "${body.name}" reaches beyond the arrays`);
}

function fieldOf(json: Json): Field {
    const range = (Array.isArray(json["range"]) ? json["range"] : []) as unknown[];
    const name = text(json["name"]);
    return {
        name,
        label: text(json["label"], name),
        unit: text(json["unit"]),
        range: [number(range[0]), number(range[1])],
    };
}

function plotOf(json: Json): Pair {
    const points = (Array.isArray(json["points"]) ? json["points"] : []) as unknown[];
    return {
        x: text(json["x"]), y: text(json["y"]), source: text(json["source"], "reference"),
        points: points.filter(Array.isArray).map(([x, y]): [number, number] => [number(x, NaN), number(y, NaN)])
            .filter(([x, y]) => Number.isFinite(x + y)),
    };
}

function figuresOf(json: Json): Figures {
    const unit = (figure: Json): string => text(figure["unit"]).replace("^2", "²");
    const known = (value: unknown): string | null => (typeof value === "string" ? value : null);
    return {
        charts: list(json["charts"]).map((chart) => ({
            id: text(chart["id"]), title: text(chart["title"]), log: chart["log"] === true, first: chart["first"] === true,
        })),
        step: list(json["step_figures"]).map((figure) => ({
            name: text(figure["name"]), label: text(figure["label"]), unit: unit(figure),
            chart: known(figure["chart"]), group: known(figure["group"]), whole: figure["whole"] === true,
        })),
        run: list(json["run_figures"]).map((figure) => ({
            name: text(figure["name"]), label: text(figure["label"]), unit: unit(figure), group: text(figure["group"], "other"),
            whole: figure["whole"] === true, better: figure["better"] === "low" || figure["better"] === "high" ? figure["better"] : null,
        })),
        stageNames: list(json["stage_names"]).map((name) => String(name)),
        stage: list(json["stage_figures"]).map((figure) => ({ name: text(figure["name"]), label: text(figure["label"]), unit: unit(figure) })),
    };
}

function differenceOf(value: unknown): Difference | null {
    if (typeof value !== "object" || value === null) {
        return null;
    }
    const json = value as Json;
    const known = (name: string): number => number(json[name], NaN);
    return {
        sameMesh: json["same_mesh"] === true, max: known("max"), maxTime: known("max_time"), maxBody: text(json["max_body"]), rms: known("rms"),
        endMax: known("end_max"), endRms: known("end_rms"), timeEnd: known("time_end"), probeMax: known("probe_max"),
        probeMaxName: text(json["probe_max_name"]),
    };
}

function checkIndices(indices: Uint32Array, below: number, what: string): void {
    for (let i = 0; i < indices.length; i++) {
        if (indices[i]! >= below) {
            fail(`${what} refer to vertices that are not there`);
        }
    }
}

/** The table of the series; a live run appends rows to it. */
export class Table implements Series {
    private data: Float32Array[]; // a column each, with room to grow

    constructor(readonly columns: string[], public rows: number, public of: number, values: Float32Array,
        private readonly together: Float32Array = new Float32Array(0)) {
        this.data = columns.map((_, k) => values.slice(k * rows, (k + 1) * rows));
    }

    column(name: string): Float32Array | null {
        const k = this.columns.indexOf(name);
        return k < 0 ? null : this.data[k]!.subarray(0, this.rows);
    }

    whole(name: string): Float32Array | null {
        const k = this.columns.indexOf(name), count = this.together.length / this.columns.length;
        return k < 0 || this.together.length === 0 ? this.column(name) : this.together.subarray(k * count, (k + 1) * count);
    }

    append(row: unknown[]): void {
        if (this.data.length > 0 && this.rows === this.data[0]!.length) {
            this.data = this.data.map((old) => {
                const grown = new Float32Array(Math.max(256, 2 * old.length));
                grown.set(old);
                return grown;
            });
        }
        // What JSON cannot say (not known, infinite) is null there.
        this.data.forEach((column, k) => (column[this.rows] = typeof row[k] === "number" ? (row[k] as number) : NaN));
        this.rows += 1;
        this.of = this.rows;
    }

    /** Forgets the rows from a time on: the simulation was reset. */
    cut(time: number): void {
        const times = this.column("time");
        while (times && this.rows > 0 && times[this.rows - 1]! >= time) {
            this.rows -= 1;
        }
    }
}

export function runOf(packet: Packet): Run {
    const json = packet.json;
    if (json["kind"] !== "run") {
        throw new DataError("these data do not start with the description of a run");
    }
    if (number(json["version"]) !== 1) {
        throw new DataError(`these data have version ${String(json["version"])}, this page reads version 1: use brunt's own page`);
    }
    const rest = packet.array<Float32Array>("rest", "f32");
    const vertices = rest.length / 3;
    const tri = packet.has("tri") ? packet.array<Uint32Array>("tri", "u32") : new Uint32Array(0);
    const edge = packet.has("edge") ? packet.array<Uint32Array>("edge", "u32") : new Uint32Array(0);
    const node = packet.has("node") ? packet.array<Uint32Array>("node", "u32", vertices) : Uint32Array.from({ length: vertices }, (_, i) => i);
    checkIndices(tri, vertices, "triangles");
    checkIndices(edge, vertices, "edges");
    const totals = { vertices, triangles: tri.length / 3, edges: edge.length / 2 };
    const frames = list(json["frames"]);
    const series = (json["series"] ?? {}) as Json;
    const columns = list(series["columns"]).map((name) => String(name));
    const rows = number(series["rows"]);
    const figures = figuresOf(json);
    return {
        name: text(json["name"], "run"),
        title: text(json["title"]),
        method: text(json["method"]),
        version: text(json["brunt"]),
        dimension: json["dimension"] === 2 ? 2 : 3,
        end: number(json["end"]),
        step: number(json["step"]),
        live: json["live"] === true,
        still: json["static"] === true,
        recorded: number(json["recorded"], frames.length),
        times: frames.map((frame) => number(frame["time"])),
        thinned: typeof json["thinned"] === "string" ? json["thinned"] : null,
        bodies: list(json["bodies"]).map((body) => bodyOf(body, totals)),
        fields: list(json["fields"]).map(fieldOf),
        contacts: json["contacts"] === true,
        scene: text(json["scene"]),
        summary: (json["summary"] ?? null) as Record<string, unknown> | null,
        series: new Table(columns, rows, number(series["of"], rows), packet.array<Float32Array>("series", "f32", columns.length * rows),
            packet.array<Float32Array>("together", "f32", columns.length * number(series["together"]))),
        plots: list(json["plots"]).map(plotOf),
        figures,
        stages: stagesOf(json["summary"] ?? json["stages"], figures),
        study: studyOf(json["study"]),
        notes: list(json["notes"]).map((note) => String(note)),
        rest,
        node,
        tri,
        edge,
        difference: differenceOf(json["difference"]),
        moments: [],
    };
}
