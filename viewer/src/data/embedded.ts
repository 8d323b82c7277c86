// A run inside the page's own file: one packet a line, packed by zlib, as base64. Lines are unpacked when they are asked for.
import type { Frame, Run, Source } from "../types";
import { measure } from "../play/metrics";
import { FrameCache } from "./cache";
import { frameOf } from "./frame";
import { ModeSource } from "./modes";
import { DataError, Packet } from "./packet";
import { runOf } from "./run";

interface Base64Reader {
    fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    const reader = Uint8Array as unknown as Base64Reader;
    if (reader.fromBase64) {
        return reader.fromBase64(base64);
    }
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
        bytes[i] = text.charCodeAt(i);
    }
    return bytes;
}

async function unpack(line: string): Promise<ArrayBuffer> {
    let bytes: Uint8Array<ArrayBuffer>;
    try {
        bytes = bytesOf(line);
    } catch {
        throw new DataError("this file is damaged: its data are not base64");
    }
    try {
        // zlib's format is called "deflate" here.
        return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
    } catch {
        throw new DataError("this file is damaged: its data cannot be unpacked");
    }
}

/** Start and end of every line that is not empty. */
function linesOf(text: string): [number, number][] {
    const lines: [number, number][] = [];
    for (let start = 0; start < text.length;) {
        const stop = text.indexOf("\n", start);
        const end = stop < 0 ? text.length : stop;
        if (end > start && text.slice(start, end).trim() !== "") {
            lines.push([start, end]);
        }
        start = end + 1;
    }
    return lines;
}

export class EmbeddedSource implements Source {
    readonly live = null;
    readonly remote = false;

    private constructor(readonly run: Run, private readonly text: string, private readonly lines: [number, number][],
                        private readonly cache: FrameCache) {}

    static async open(text: string, cache: FrameCache): Promise<Source> {
        const lines = linesOf(text);
        if (lines.length === 0) {
            throw new DataError("this file holds no data");
        }
        const run = runOf(new Packet(await unpack(text.slice(...lines[0]!).trim())));
        // A file that was cut off still shows what it has.
        if (run.modes.length > 0) {
            run.modes = run.modes.slice(0, lines.length - 1);
            return run.modes.length > 0 ? new ModeSource(run, async (mode) => new Packet(await unpack(text.slice(...lines[mode + 1]!).trim())))
                : Promise.reject(new DataError("this file has no mode in it: it ends too early"));
        }
        run.times = run.times.slice(0, lines.length - 1);
        return new EmbeddedSource(run, text, lines, cache);
    }

    frame(index: number): Promise<Frame> {
        return this.cache.load(index, async () => {
            const line = this.lines[index + 1];
            if (!line) {
                throw new DataError(`this file has no frame ${index}`);
            }
            const asked = performance.now();
            const buffer = await unpack(this.text.slice(...line).trim());
            const start = performance.now();
            const frame = frameOf(new Packet(buffer), this.run);
            measure("fetch", start - asked);
            measure("decode", performance.now() - start);
            frame.index = index;
            return frame;
        });
    }
}
