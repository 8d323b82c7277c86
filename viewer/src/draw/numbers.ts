// Numbers as people read them: few digits, SI prefixes, round ticks.

const PREFIXES: [number, string][] = [
    [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"],
];
const PREFIXABLE = /^(Pa|N|J|W|m|s|m\/s|N\/m|Hz|g)$/;

/** Prefix and factor that suit numbers up to `most` of a unit: 35000 Pa reads as 35 kPa. */
export function scaleFor(most: number, unit: string): { factor: number; unit: string } {
    const size = Math.abs(most);
    if (!PREFIXABLE.test(unit) || !(size > 0) || !Number.isFinite(size)) {
        return { factor: 1, unit: unit === "1" ? "" : unit };
    }
    // Lengths and times above one are read as they are: 1500 m, 3600 s.
    const large = unit === "s" || unit.startsWith("m") ? 1 : Infinity;
    const [factor, prefix] = PREFIXES.find(([f]) => f <= large && size >= 0.9995 * f) ?? PREFIXES[PREFIXES.length - 1]!;
    return { factor, unit: prefix + unit };
}

/** At most `digits` significant digits, no trailing zeros, powers of ten only where they help. */
export function formatNumber(value: number, digits = 4): string {
    if (!Number.isFinite(value)) {
        return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
    }
    const size = Math.abs(value);
    if (size === 0) {
        return "0";
    }
    if (size >= 1e6 || size < 1e-4) {
        const [mantissa, power] = value.toExponential(digits - 1).split("e") as [string, string];
        return `${Number(mantissa)}e${Number(power)}`.replace("-", "−").replace("e-", "e−");
    }
    return String(Number(value.toPrecision(digits))).replace("-", "−");
}

/** 0.0123 m reads "12.3 mm". */
export function formatValue(value: number, unit: string, digits = 4): string {
    const scale = scaleFor(value, unit);
    return `${formatNumber(value / scale.factor, digits)} ${scale.unit}`.trim();
}

/** Round numbers between two others, about `count` of them: steps of 1, 2 or 5 times a power of ten. */
export function niceTicks(low: number, high: number, count = 5): number[] {
    if (!(high > low) || !Number.isFinite(high - low)) {
        return Number.isFinite(low) ? [low] : [];
    }
    const raw = (high - low) / Math.max(count, 1);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= raw * (1 - 1e-9))!;
    const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
    // Multiplied, not added up: 0.1 + 0.2 would not be 0.3.
    return Array.from({ length: Math.min(last - first + 1, 1000) }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

/** The least of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is not below a number. */
export function niceAbove(value: number): number {
    if (!(value > 0) || !Number.isFinite(value)) {
        return 1;
    }
    const power = 10 ** Math.floor(Math.log10(value));
    return Number(([1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((m) => m * power >= value * (1 - 1e-9))! * power).toPrecision(3));
}
