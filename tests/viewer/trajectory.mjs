// A run as `brunt export --format csv` tells it: the reader with which the page is compared.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RUNS } from "./machine.mjs";

/** Rows of a CSV file as objects; cells that are numbers become numbers. The exports quote only names with commas: none here. */
function rowsOf(path) {
    const [head, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
    const names = head.split(",");
    return lines.map((line) => {
        const cells = line.split(",");
        return Object.fromEntries(names.map((name, k) => [name, Number.isNaN(Number(cells[k])) ? cells[k] : Number(cells[k])]));
    });
}

const known = new Map();

export function readRun(name) {
    if (!known.has(name)) {
        known.set(name, read(name));
    }
    return known.get(name);
}

function read(name) {
    const folder = join(RUNS, name, "csv");
    const frames = rowsOf(join(folder, "frames.csv")).map((row) => ({ ...row, nodes: new Map(), contacts: [] }));
    for (const row of rowsOf(join(folder, "nodes.csv"))) {
        frames[row.frame].nodes.set(row.node, row);
    }
    for (const row of rowsOf(join(folder, "contacts.csv"))) {
        frames[row.frame].contacts.push(row);
    }
    return { name, folder: join(RUNS, name), frames, series: rowsOf(join(RUNS, name, "series.csv")) };
}

/** Mean position of a body's nodes in a frame. */
export function centreOf(frame, body) {
    const nodes = [...frame.nodes.values()].filter((row) => row.body === body);
    return ["x", "y", "z"].map((axis) => nodes.reduce((sum, row) => sum + row[axis], 0) / nodes.length);
}
