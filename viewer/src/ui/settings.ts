// What the scenes of several runs differ in. The texts are those that brunt prints (scene.yaml of a run): a key or a list's entry a line,
// values on the line of their key.

import type { Run } from "../types";

export interface Setting {
    path: string; // "time.step", "bodies.ball.position"
    values: string[]; // of each run, "" where it has none
}

type Tree = string | { keys: [string, Tree][] } | { entries: Tree[] };

const KEY = /^("(?:[^"\\]|\\.)*"|[^\s:"#][^:]*):(?: (.*))?$/;

function unquoted(text: string): string {
    if (!/^".*"$/.test(text)) {
        return text;
    }
    try {
        return String(JSON.parse(text));
    } catch {
        return text.slice(1, -1);
    }
}

/** Lines as [indent, text]; "- " of an entry becomes a line of its own. */
function linesOf(text: string): [number, string][] {
    return text.split("\n").filter((line) => /\S/.test(line) && !/^\s*#/.test(line)).flatMap((line): [number, string][] => {
        const indent = line.search(/\S/), rest = line.slice(indent);
        return rest.startsWith("- ") && KEY.test(rest.slice(2)) ? [[indent, "-"], [indent + 2, rest.slice(2)]] : [[indent, rest]];
    });
}

/** The block whose lines start at `from` and are indented as that one; the number of the line behind it. */
function blockOf(lines: [number, string][], from: number): [Tree, number] {
    const indent = lines[from]?.[0] ?? 0;
    const keys: [string, Tree][] = [], entries: Tree[] = [];
    let at = from;
    while (at < lines.length && lines[at]![0] === indent) {
        const text = lines[at]![1], match = KEY.exec(text);
        const deeper = (lines[at + 1]?.[0] ?? -1) > indent;
        if (text === "-" || (match !== null && match[2] === undefined && deeper)) {
            const [inner, next] = blockOf(lines, at + 1);
            if (text === "-") {
                entries.push(inner);
            } else {
                keys.push([unquoted(match![1]!), inner]);
            }
            at = next;
        } else {
            if (match !== null) {
                keys.push([unquoted(match[1]!), match[2] ?? ""]);
            } else {
                entries.push(text.replace(/^- /, ""));
            }
            at += 1;
        }
    }
    // A text that is indented otherwise is not brunt's: what is left of it is passed over.
    return [entries.length > 0 ? { entries } : { keys }, Math.max(at, from + 1)];
}

function flatten(tree: Tree, path: string, out: Map<string, string>): void {
    if (typeof tree === "string") {
        out.set(path, unquoted(tree).replace(/(\d)\.0\b/g, "$1"));
    } else if ("keys" in tree) {
        tree.keys.forEach(([key, value]) => flatten(value, path === "" ? key : `${path}.${key}`, out));
    } else {
        tree.entries.forEach((entry, k) => {
            const name = typeof entry === "object" && "keys" in entry ? entry.keys.find(([key]) => key === "name")?.[1] : undefined;
            flatten(entry, typeof name === "string" ? `${path}.${unquoted(name)}` : `${path}[${k}]`, out);
        });
    }
}

/** Paths and values of a scene, in its order. */
export function settingsOf(scene: string): Map<string, string> {
    const out = new Map<string, string>();
    const lines = linesOf(scene);
    for (let at = 0; at < lines.length; ) {
        const [tree, next] = blockOf(lines, at);
        flatten(tree, "", out);
        at = next;
    }
    return out;
}

/** Settings that are not the same in all runs; titles are no settings. */
export function differingSettings(runs: readonly Run[]): Setting[] {
    const all = runs.map((run) => settingsOf(run.scene));
    const paths = [...new Set(all.flatMap((settings) => [...settings.keys()]))].filter((path) => path !== "title");
    return paths.map((path) => ({ path, values: all.map((settings) => settings.get(path) ?? "") }))
        .filter(({ values }) => values.some((value) => value !== values[0]));
}

/** What makes a run another than the first, in a line. With another method all its settings are others: its name says it. */
export function settingsText(settings: readonly Setting[], run: number): string {
    const differ = settings.filter(({ values }) => values[run] !== values[0]);
    const method = differ.some(({ path }) => path === "method.type");
    return differ.filter(({ path }) => !method || path === "method.type" || !path.startsWith("method."))
        .map(({ path, values }) => `${path} = ${values[run] === "" ? "–" : values[run]!}`).join(", ");
}
