// Numbers as the page writes them; values with units are draw/numbers.ts.

import { formatNumber } from "../draw/numbers";

export const NOTHING = "–";

/** Whole numbers in groups of three. */
export function formatCount(value: number): string {
    return Number.isFinite(value) ? String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, " ") : NOTHING;
}

/** Words as the beginning of a line. */
export function capital(words: string): string {
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Decimals that tell times apart which lie `spacing` from each other. */
export function timeDigits(spacing: number): number {
    if (!(spacing > 0)) {
        return 3;
    }
    return Math.min(9, Math.max(0, Math.ceil(-Math.log10(spacing) - 1e-9) + (isRound(spacing) ? 0 : 1)));
}

function isRound(x: number): boolean {
    const scaled = x * 10 ** Math.ceil(-Math.log10(x) - 1e-9);
    return Math.abs(scaled - Math.round(scaled)) < 1e-6;
}

export function formatTime(time: number, digits: number): string {
    return `${time.toFixed(digits)} s`;
}

export function formatSpeed(speed: number): string {
    return `${formatNumber(speed, speed >= 100 ? 3 : 2)}×`;
}

export function formatPoint(point: readonly number[]): string {
    return `(${point.map((x) => formatNumber(x, 4)).join(", ")})`;
}

/** A name as part of a file's name, wherever the file is saved. */
export function fileName(name: string): string {
    const plain = name.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, 80);
    return plain === "" ? "brunt" : plain;
}
