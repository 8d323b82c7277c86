// Colours of bodies, of values, and numbers as people read them. Colour maps are paths through Oklab (B. Ottosson, 2020), in which
// equal steps look equally large: lightness changes evenly along each, so that they read in grey and to the colour-blind as well.

export type Rgb = [number, number, number]; // sRGB, 0 to 1

/** Linear light of a colour in Oklab, given by lightness, chroma and hue [degrees]; may be outside of what a screen shows. */
function linear(lightness: number, chroma: number, hue: number): Rgb {
    const a = chroma * Math.cos((hue * Math.PI) / 180), b = chroma * Math.sin((hue * Math.PI) / 180);
    const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
    return [
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
    ];
}

export const toSrgb = (x: number): number => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);
export const toLinear = (x: number): number => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);

/** Oklab's lightness of a colour. */
export function lightnessOf([red, green, blue]: Rgb): number {
    const r = toLinear(red), g = toLinear(green), b = toLinear(blue);
    return 0.2104542553 * Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
        + 0.793617785 * Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
        - 0.0040720468 * Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
}

/** As colourful as wished, or as far as a screen goes at that lightness and hue. */
export function oklch(lightness: number, chroma: number, hue: number): Rgb {
    const shows = (c: number) => linear(lightness, c, hue).every((x) => x >= -1e-4 && x <= 1 + 1e-4);
    let low = 0, high = chroma;
    for (let k = 0; k < 24 && !shows(high); k++) {
        const middle = (low + high) / 2;
        if (shows(middle)) {
            low = middle;
        } else {
            high = middle;
        }
        if (high - low < 1e-5) {
            high = low;
        }
    }
    return linear(lightness, high, hue).map((x) => toSrgb(Math.min(Math.max(x, 0), 1))) as Rgb;
}

/** Stops [lightness, chroma, hue] that a map goes through at equal distances, straight lines in between. */
type Stop = [number, number, number];

const MAPS: Record<string, Stop[]> = {
    // Blue, teal, green, yellow.
    values: [[0.43, 0.145, 266], [0.53, 0.135, 248], [0.63, 0.115, 216], [0.73, 0.13, 168], [0.83, 0.155, 132], [0.93, 0.165, 106]],
    // Hardly any, orange, dark red: what differs stands out.
    difference: [[0.93, 0.012, 90], [0.83, 0.08, 75], [0.72, 0.15, 55], [0.59, 0.18, 36], [0.44, 0.15, 24], [0.3, 0.1, 18]],
    // Two sides of a middle.
    diverging: [[0.42, 0.14, 258], [0.6, 0.12, 245], [0.78, 0.07, 230], [0.95, 0.01, 90], [0.78, 0.09, 65], [0.6, 0.15, 45], [0.42, 0.14, 30]],
};

export type MapName = "values" | "difference" | "diverging";

const tables = new Map<string, Uint8Array>();

/** Hues that are far apart are joined straight through grey, not by way of the hues between. */
function between(low: Stop, high: Stop, share: number): Stop {
    const mix = (from: number, to: number): number => from + share * (to - from);
    if (Math.abs(high[2] - low[2]) < 90) {
        return [mix(low[0], high[0]), mix(low[1], high[1]), mix(low[2], high[2])];
    }
    const angle = [low, high].map((stop) => (stop[2] * Math.PI) / 180);
    const a = mix(low[1] * Math.cos(angle[0]!), high[1] * Math.cos(angle[1]!));
    const b = mix(low[1] * Math.sin(angle[0]!), high[1] * Math.sin(angle[1]!));
    return [mix(low[0], high[0]), Math.hypot(a, b), (Math.atan2(b, a) * 180) / Math.PI];
}

/** 256 colours RGBA of a map. */
export function colourTable(name: MapName): Uint8Array {
    let table = tables.get(name);
    if (!table) {
        const stops = MAPS[name]!;
        table = new Uint8Array(4 * 256);
        for (let k = 0; k < 256; k++) {
            const at = (k / 255) * (stops.length - 1), from = Math.min(Math.floor(at), stops.length - 2), share = at - from;
            const [low, high] = [stops[from]!, stops[from + 1]!];
            const colour = oklch(...between(low, high, share));
            table.set([...colour.map((x) => Math.round(255 * x)), 255], 4 * k);
        }
        tables.set(name, table);
    }
    return table;
}

/** Components of vectors, components and principal values of tensors: tension is not compression, and 0 is the middle of their colours. */
export function isSigned(colour: string): boolean {
    return /^(stress|strain|displacement)_/.test(colour);
}

/** Of pressures and differences most are 0: those stay pale. */
export function mapOf(colour: string): MapName {
    return isSigned(colour) ? "diverging" : colour === "difference" || colour === "pressure" ? "difference" : "values";
}

/** CSS colour of a value between 0 and 1. */
export function colourAt(name: MapName, value: number): string {
    const table = colourTable(name), k = 4 * Math.round(255 * Math.min(Math.max(value, 0), 1));
    return `rgb(${table[k]}, ${table[k + 1]}, ${table[k + 2]})`;
}

/** A strip to show beside a picture: its stops for linear-gradient(). */
export function gradientStops(name: MapName, count = 16): string {
    return Array.from({ length: count + 1 }, (_, k) => `${colourAt(name, k / count)} ${((100 * k) / count).toFixed(1)}%`).join(", ");
}

// Hues that also the colour-blind tell apart, neighbours in the list far from each other.
const PALETTE: Stop[] = [
    [0.7, 0.115, 240], [0.76, 0.135, 68], [0.66, 0.11, 165], [0.67, 0.145, 38], [0.72, 0.1, 345],
    [0.82, 0.13, 98], [0.75, 0.09, 205], [0.6, 0.12, 285],
];
export const OBSTACLE: Rgb = oklch(0.79, 0.012, 250);
export const OBSTACLE_DARK: Rgb = oklch(0.58, 0.014, 250);

/** Colour of each body: the palette in turn, obstacles grey. More bodies than colours: lightness varies from turn to turn. */
export function bodyColours(bodies: readonly { type: string }[], dark: boolean): Rgb[] {
    let turn = 0;
    return bodies.map((body) => {
        if (body.type === "static") {
            return dark ? OBSTACLE_DARK : OBSTACLE;
        }
        const [lightness, chroma, hue] = PALETTE[turn % PALETTE.length]!;
        const round = Math.floor(turn / PALETTE.length) % 3;
        turn += 1;
        return oklch(lightness + [0, 0.09, -0.09][round]! - (dark ? 0.03 : 0), chroma, hue + 12 * round);
    });
}

export const css = ([r, g, b]: Rgb, alpha = 1): string =>
    `rgba(${Math.round(255 * r)}, ${Math.round(255 * g)}, ${Math.round(255 * b)}, ${alpha})`;

/** A colour written as #rrggbb. */
export const toRgb = (hex: string): Rgb => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255) as Rgb;
