// Moments of several runs on one line.

/** Number of the last frame at or before a time (0 before the first), -1 without frames. Times grow. */
export function frameAt(times: readonly number[], time: number): number {
    if (times.length === 0) {
        return -1;
    }
    // A time that went through text (the page's address) may have lost its last digits.
    const wanted = time + 1e-9 * Math.max(Math.abs(time), Math.abs(times[times.length - 1]!));
    let low = 0, high = times.length;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (times[middle]! <= wanted) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/** All times of all runs in order, equal ones once. */
export function mergeTimes(runs: readonly (readonly number[])[]): number[] {
    const all = runs.flat().sort((a, b) => a - b);
    const close = 1e-9 * Math.max(...all.map(Math.abs).slice(-1), 1e-300);
    return all.filter((time, k) => k === 0 || time - all[k - 1]! > close);
}

/** Numbers of some frames from the first to the last, evenly. */
export function spread(count: number, most: number): number[] {
    const chosen = Math.min(count, most);
    return Array.from({ length: chosen }, (_, k) => (chosen > 1 ? Math.round((k * (count - 1)) / (chosen - 1)) : count - 1));
}
