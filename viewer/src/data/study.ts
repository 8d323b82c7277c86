// The design or sweep that a run came of: study.json in its folder. What is not as it should be is left out.
import type { Study, StudyColumn } from "../types";

const ROLES: readonly string[] = ["parameter", "objective", "constraint", "figure", "success"];

type Json = Record<string, unknown>;

const finite = (value: unknown): number => (typeof value === "number" ? value : NaN);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

function columnOf(json: Json): StudyColumn {
    const role = text(json["role"]);
    return {
        name: text(json["name"]), unit: text(json["unit"]), low: finite(json["low"]), high: finite(json["high"]), log: json["log"] === true,
        role: (ROLES.includes(role) ? role : "figure") as StudyColumn["role"],
    };
}

/** null: the run is of no study. */
export function studyOf(value: unknown): Study | null {
    const json = (typeof value === "object" && value !== null ? value : {}) as Json;
    const { columns, rows } = json;
    if (!Array.isArray(columns) || !Array.isArray(rows) || rows.length === 0) {
        return null;
    }
    const rowAt = (key: string): number => {
        const row = finite(json[key]);
        return Number.isInteger(row) && row >= 0 && row < rows.length ? row : -1;
    };
    return {
        kind: json["kind"] === "sweep" ? "sweep" : "design",
        goal: text(json["goal"]), highest: json["highest"] === true,
        columns: columns.map((column) => columnOf((column ?? {}) as Json)),
        rows: rows.map((row) => columns.map((_, k) => finite(Array.isArray(row) ? row[k] : null))),
        start: rowAt("start"), best: rowAt("best"),
    };
}
