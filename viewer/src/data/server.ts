// A run behind `brunt view DIR`: frames are fetched when they are asked for.
import type { Frame, Run, Source } from "../types";
import { measure } from "../play/metrics";
import { FrameCache } from "./cache";
import { frameOf } from "./frame";
import { DataError, Packet } from "./packet";

export async function fetchBytes(address: string): Promise<ArrayBuffer> {
    let answer: Response;
    try {
        answer = await fetch(address, { cache: "no-store" });
    } catch {
        throw new DataError("brunt does not answer: is `brunt view` still running?");
    }
    if (!answer.ok) {
        throw new DataError(`brunt refused "${address}" (${answer.status}): ${(await answer.text()).slice(0, 200) || answer.statusText}`);
    }
    return answer.arrayBuffer();
}

export class ServerSource implements Source {
    readonly live = null;
    readonly remote = true;

    constructor(readonly run: Run, private readonly cache: FrameCache) {}

    frame(index: number): Promise<Frame> {
        return this.cache.load(index, async () => {
            const asked = performance.now();
            const buffer = await fetchBytes(`frame/${index}`);
            const start = performance.now();
            const frame = frameOf(new Packet(buffer), this.run);
            measure("fetch", start - asked);
            measure("decode", performance.now() - start);
            frame.index = index;
            return frame;
        });
    }
}
