// The view as a URL's hash and back: short words for what differs from the view at the start. What comes in was written by
// anyone, so every value is checked and a bad one is left out.

import { LARGEST_AMPLITUDE } from "./data/modes";
import type { Camera, Clip, Pin, View } from "./view";

/** What a page can show: values outside are dropped. */
export interface Limits {
    bodies: number;
    vertices: number[]; // of each run
    colours: string[];
    panels: string[];
    start: number; // [s]
    end: number;
    live: boolean; // the end is not known yet
    modes: number;
}

const MOST = 4000; // entries of a list; a hash is no place for more

function digits(value: number, count = 6): string {
    return String(Number(value.toPrecision(count)));
}

function number(text: string | undefined, low: number, high: number): number | null {
    const value = text === undefined || text.trim() === "" ? NaN : Number(text);
    return Number.isFinite(value) && value >= low && value <= high ? value : null;
}

function numbers(text: string, low: number, high: number): number[] | null {
    const values = text.split(",").slice(0, MOST).map((part) => number(part, low, high));
    return values.every((value): value is number => value !== null) ? values : null;
}

/** Numbers of bodies: runs of them are written "3-7". */
function writeSet(set: readonly number[]): string {
    const sorted = [...set].sort((a, b) => a - b);
    const parts: string[] = [];
    for (let i = 0; i < sorted.length; ) {
        let last = i;
        while (last + 1 < sorted.length && sorted[last + 1] === (sorted[last] ?? 0) + 1) {
            ++last;
        }
        parts.push(last > i ? `${sorted[i]}-${sorted[last]}` : `${sorted[i]}`);
        i = last + 1;
    }
    return parts.join(".");
}

function readSet(text: string, count: number): number[] | null {
    const set = new Set<number>();
    for (const part of text.split(".").slice(0, MOST)) {
        const range = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
        if (range === null) {
            return null;
        }
        const last = Math.min(Number(range[2] ?? range[1]), count - 1);
        for (let i = Number(range[1]); i <= last; ++i) {
            set.add(i);
        }
    }
    return [...set];
}

function writeCamera(camera: Camera): string {
    const values = [...camera.position, ...camera.target, ...camera.up, camera.zoom].map((value) => digits(value));
    return `${camera.projection === "parallel" ? "o" : "p"}${values.join(",")}`;
}

function readCamera(text: string): Camera | null {
    const values = /^[op]/.test(text) ? numbers(text.slice(1), -1e12, 1e12) : null;
    if (values === null || values.length !== 10) {
        return null;
    }
    const [px, py, pz, tx, ty, tz, ux, uy, uz, zoom] = values as [
        number, number, number, number, number, number, number, number, number, number,
    ];
    // A camera in its own target, without "up" or turned inside out shows nothing.
    if (Math.hypot(px - tx, py - ty, pz - tz) === 0 || Math.hypot(ux, uy, uz) === 0 || !(zoom > 0)) {
        return null;
    }
    return {
        position: [px, py, pz], target: [tx, ty, tz], up: [ux, uy, uz], zoom,
        projection: text.startsWith("o") ? "parallel" : "perspective",
    };
}

function readClip(text: string): Clip | null {
    const parts = /^([xyz])(-?)(.+)$/.exec(text);
    const at = parts === null ? null : number(parts[3], 0, 1);
    return parts === null || at === null ? null : { axis: parts[1] as "x" | "y" | "z", at, flip: parts[2] === "-" };
}

function readPins(text: string, limits: Limits): Pin[] | null {
    const pins = text.split(",").slice(0, 100).map((part): Pin | null => {
        const match = /^(\d{1,3})\.(\d{1,10})$/.exec(part);
        const pane = Number(match?.[1]);
        const vertex = Number(match?.[2]);
        return match !== null && vertex < (limits.vertices[pane] ?? 0) ? { pane, vertex } : null;
    });
    return pins.every((pin): pin is Pin => pin !== null) ? pins : null;
}

function flag(text: string): boolean | null {
    return text === "1" ? true : text === "0" ? false : null;
}

function list<T>(text: string, separator: string, most: number, read: (part: string) => T | null): T[] {
    return text === "" ? [] : text.split(separator).slice(0, most).map(read).filter((item): item is T => item !== null);
}

function plain(text: string): string | null {
    try {
        return decodeURIComponent(text);
    } catch {
        return null;
    }
}

interface Code<K extends keyof View> {
    word: string;
    write(value: View[K]): string | null;
    read(text: string, limits: Limits): View[K] | null | undefined; // null and undefined: no value of this page
}

const onOff = (word: string): Code<"loop" | "contacts" | "wireframe" | "axes" | "overlay" | "follow" | "most"> => ({
    word, write: (value) => (value ? "1" : "0"), read: flag,
});

type Codes = { [K in Exclude<keyof View, "playing">]: Code<K> };

const CODES: Codes = {
    time: {
        word: "t", write: (value) => digits(value, 9),
        read: (text, limits) => number(text, limits.start, limits.live ? 1e12 : limits.end),
    },
    speed: { word: "s", write: (value) => digits(value), read: (text) => number(text, 1e-9, 1e9) },
    loop: onOff("loop") as Code<"loop">,
    colour: { word: "c", write: (value) => value, read: (text, limits) => (limits.colours.includes(text) ? text : null) },
    range: {
        word: "r", write: (value) => (value === null ? null : value.map((x) => digits(x)).join(",")),
        read: (text) => {
            const values = numbers(text, -1e300, 1e300);
            return values?.length === 2 && values[0]! < values[1]! ? [values[0]!, values[1]!] : null;
        },
    },
    follow: onOff("follow") as Code<"follow">,
    most: onOff("most") as Code<"most">,
    contacts: onOff("k") as Code<"contacts">,
    arrows: {
        word: "arrows", write: (value) => `${value.normal ? "n" : ""}${value.friction ? "f" : ""}`,
        read: (text) => (/^n?f?$/.test(text) ? { normal: text.includes("n"), friction: text.includes("f") } : null),
    },
    arrowScale: { word: "as", write: (value) => digits(value, 3), read: (text) => number(text, 0.001, 1000) },
    forcesOn: {
        word: "on", write: (value) => (value === null ? "0" : String(value + 1)),
        // "0": of each pair one
        read: (text, limits) => (text === "0" ? null : /^\d{1,9}$/.test(text) && Number(text) <= limits.bodies ? Number(text) - 1 : undefined),
    },
    wireframe: onOff("w") as Code<"wireframe">,
    axes: onOff("x") as Code<"axes">,
    clip: {
        word: "clip", write: (value) => (value.axis === null ? "0" : `${value.axis}${value.flip ? "-" : ""}${digits(value.at, 4)}`),
        read: (text) => (text === "0" ? { axis: null, at: 0.5, flip: false } : readClip(text)),
    },
    hidden: { word: "h", write: writeSet, read: (text, limits) => (text === "" ? [] : readSet(text, limits.bodies)) },
    ghost: { word: "g", write: writeSet, read: (text, limits) => (text === "" ? [] : readSet(text, limits.bodies)) },
    camera: { word: "cam", write: (value) => (value === null ? null : writeCamera(value)), read: readCamera },
    bookmarks: {
        word: "b", write: (value) => value.slice(0, 9).map(writeCamera).join(";"), read: (text) => list(text, ";", 9, readCamera),
    },
    theme: { word: "th", write: (value) => value, read: (text) => (text === "light" || text === "dark" ? text : null) },
    panel: {
        word: "tab", write: (value) => value ?? "0",
        // "0" is a value of its own: closed
        read: (text, limits) => (text === "0" ? null : limits.panels.includes(text) ? text : undefined),
    },
    plots: {
        word: "pl", write: (value) => value.slice(0, 40).map((name) => encodeURIComponent(name)).join(","),
        read: (text) => list(text, ",", 40, plain),
    },
    pins: {
        word: "pin", write: (value) => value.map((pin) => `${pin.pane}.${pin.vertex}`).join(","),
        read: (text, limits) => (text === "" ? [] : readPins(text, limits)),
    },
    overlay: onOff("o") as Code<"overlay">,
    mode: {
        word: "mode", write: (value) => String(value + 1),
        read: (text, limits) => (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= limits.modes ? Number(text) - 1 : null),
    },
    amplitude: { word: "amp", write: (value) => digits(value, 3), read: (text) => number(text, 0, LARGEST_AMPLITUDE) },
};

// The only keys whose null is a value.
const NULLABLE: ReadonlySet<string> = new Set(["panel", "forcesOn"]);
const KEYS = Object.keys(CODES) as (keyof Codes)[];

function code<K extends keyof Codes>(key: K): Code<K> {
    return CODES[key] as unknown as Code<K>;
}

function write<K extends keyof Codes>(key: K, value: View[K]): string | null {
    return code(key).write(value);
}

/** What differs from the start, as "#word=value&...", or "". A list's values keep their commas: they are allowed in a hash. */
export function writeHash(view: Readonly<View>, start: Readonly<View>): string {
    const words = KEYS.map((key) => {
        const text = write(key, view[key]);
        return text === null || text === write(key, start[key])
            ? null
            : `${code(key).word}=${encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3B/g, ";")}`;
    }).filter((word): word is string => word !== null);
    return words.length === 0 ? "" : `#${words.join("&")}`;
}

function readInto<K extends keyof Codes>(key: K, text: string, limits: Limits, view: Partial<View>): void {
    const value = code(key).read(text, limits);
    if (value !== undefined && (value !== null || NULLABLE.has(key))) {
        view[key] = value as View[K];
    }
}

/** What a hash says, as far as this page can show it. */
export function readHash(hash: string, limits: Limits): Partial<View> {
    const view: Partial<View> = {};
    for (const part of hash.replace(/^#/, "").slice(0, 100000).split("&")) {
        const at = part.indexOf("=");
        const word = part.slice(0, Math.max(at, 0));
        const text = plain(part.slice(at + 1));
        const key = KEYS.find((candidate) => CODES[candidate].word === word);
        if (key !== undefined && text !== null) {
            readInto(key, text, limits, view);
        }
    }
    return view;
}
