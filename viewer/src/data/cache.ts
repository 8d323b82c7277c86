// Decoded frames (or shapes of modes), the least recently used ones forgotten beyond a number of bytes. What is under way is shared: asking twice for the
// same frame fetches and decodes it once.
import type { Frame } from "../types";

const BUDGET = 192e6; // [bytes] of all sources of a page, shared evenly

export class FrameCache<T extends { bytes: number } = Frame> {
    private readonly ready = new Map<number, T>(); // in order of use
    private readonly pending = new Map<number, Promise<T>>();
    private bytes = 0;

    constructor(private readonly budget = BUDGET) {}

    get(key: number): T | null {
        const frame = this.ready.get(key);
        if (frame) {
            this.ready.delete(key);
            this.ready.set(key, frame);
        }
        return frame ?? null;
    }

    load(key: number, fetch: () => Promise<T>): Promise<T> {
        const known = this.get(key);
        if (known) {
            return Promise.resolve(known);
        }
        let promise = this.pending.get(key);
        if (!promise) {
            promise = fetch().then((frame) => {
                this.keep(key, frame);
                return frame;
            }).finally(() => this.pending.delete(key));
            this.pending.set(key, promise);
        }
        return promise;
    }

    forget(key: number): void {
        const frame = this.ready.get(key);
        if (frame) {
            this.bytes -= frame.bytes;
            this.ready.delete(key);
        }
    }

    private keep(key: number, frame: T): void {
        this.forget(key);
        this.ready.set(key, frame);
        this.bytes += frame.bytes;
        for (const old of this.ready.keys()) {
            if (this.bytes <= this.budget || old === key) {
                break;
            }
            this.forget(old);
        }
    }
}
