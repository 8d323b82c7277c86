// Modes of vibration in words.

import { formatNumber, formatValue, scaleFor } from "../draw/numbers";
import type { Mode } from "../types";
import { NOTHING } from "./format";

/** Phase of a period, from its parts. */
export function phaseText(part: number): string {
    return `${Math.round(360 * part)}°`;
}

/** One unit for all frequencies of a list: thousands of hertz where one has so many, else hertz. */
export function frequencyScale(modes: readonly Mode[]): { factor: number; unit: string } {
    const most = Math.max(...modes.map((mode) => mode.frequency), 1);
    return scaleFor(most, "Hz");
}

export function frequencyText(mode: Mode): string {
    return mode.rigid ? "rigid" : formatFrequency(mode.frequency);
}

/** Of a column: as many digits each. */
export function columnNumber(value: number): string {
    return value >= 0.001 && value < 9999.5 ? value.toPrecision(4) : formatNumber(value);
}

/** Below one hertz no milli: 0.25 Hz. */
export function formatFrequency(frequency: number): string {
    return frequency < 1 ? `${formatNumber(frequency)} Hz` : formatValue(frequency, "Hz");
}

export function dampedText(mode: Mode): string {
    return mode.rigid ? NOTHING : mode.ratio >= 1 ? "overdamped" : formatFrequency(mode.damped);
}

export function ratioText(mode: Mode): string {
    return mode.rigid ? NOTHING : `${formatNumber(100 * mode.ratio, 3)} %`;
}

/** "Mode 3: 84.21 Hz" */
export function modeTitle(modes: readonly Mode[], index: number): string {
    const mode = modes[index];
    return mode === undefined ? "" : `Mode ${index + 1}: ${frequencyText(mode)}`;
}
