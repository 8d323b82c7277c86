// A simulation that is going on. Frames come through a WebSocket, one under way at a time; what came is kept packed, so that one can look
// back. A lost connection is tried again until it is back.
import type { Frame, LiveLink, LiveState, Run, Source } from "../types";
import { measure } from "../play/metrics";
import { FrameCache } from "./cache";
import { frameOf, frameRange } from "./frame";
import { DataError, Packet } from "./packet";
import { runOf, type Table } from "./run";
import { stagesOf } from "./stages";

const HISTORY = 256e6; // [bytes] of packets
const RETRY_FIRST = 300; // [ms]
const RETRY_MOST = 3000;
const NEWEST = 32; // frames that thinning leaves alone

interface Kept {
    key: number; // in the cache
    packet: Packet;
}

export class LiveSource implements Source, LiveLink {
    readonly live = this;
    readonly remote = false;
    state: LiveState | null = null;
    connected = false;
    arrivals = 0;
    problem: string | null = null; // what a person should know about the connection

    private socket: WebSocket | null = null;
    private readonly kept: Kept[] = [];
    private bytes = 0;
    private nextKey = 0;
    private unanswered: number | null = null; // frame that waits for its ack
    private retry = RETRY_FIRST;
    private closed = false;
    private readonly listeners: (() => void)[] = [];

    constructor(readonly run: Run, private readonly address: string, private readonly cache: FrameCache,
                private readonly history = HISTORY) {
        // Times are those of the frames that are kept here.
        run.times = [];
        this.connect();
    }

    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }

    send(command: string): void {
        if (this.socket?.readyState === WebSocket.OPEN) {
            this.socket.send(command);
        }
    }

    /** The newest frame was drawn, or nobody looks at it: the next one may come. */
    drawn(): void {
        if (this.unanswered !== null) {
            this.send(`ack ${this.unanswered}`);
            this.unanswered = null;
        }
    }

    frame(index: number): Promise<Frame> {
        const kept = this.kept[index];
        if (!kept) {
            return Promise.reject(new DataError("this moment is not kept any more"));
        }
        return this.cache.load(kept.key, async () => {
            const start = performance.now();
            const frame = frameOf(kept.packet, this.run);
            measure("decode", performance.now() - start);
            return frame;
        });
    }

    close(): void {
        this.closed = true;
        this.socket?.close();
    }

    private connect(): void {
        const socket = new WebSocket(this.address);
        socket.binaryType = "arraybuffer";
        socket.onopen = () => {
            this.connected = true;
            this.retry = RETRY_FIRST;
            this.problem = null;
            this.tell();
        };
        socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
            try {
                this.take(event.data);
            } catch (error) {
                this.problem = error instanceof Error ? error.message : String(error);
            }
            this.tell();
        };
        socket.onclose = () => {
            if (socket !== this.socket) {
                return;
            }
            this.connected = false;
            this.unanswered = null;
            if (!this.closed) {
                this.problem = "the connection to brunt is lost; trying again";
                setTimeout(() => this.connect(), this.retry);
                this.retry = Math.min(2 * this.retry, RETRY_MOST);
            }
            this.tell();
        };
        this.socket = socket;
    }

    private take(data: ArrayBuffer | string): void {
        if (typeof data === "string") {
            const message = JSON.parse(data) as LiveState & { kind?: string };
            if (message.kind === "state") {
                this.state = message;
            }
            return;
        }
        const packet = new Packet(data);
        if (packet.json["kind"] === "frame") {
            this.unanswered = Number(packet.json["index"]);
            this.keep(packet);
        } else {
            this.compare(runOf(packet));
        }
    }

    /** After a reconnection there may be another scene behind the same address: everything starts anew then. */
    private compare(run: Run): void {
        const known = this.run;
        const same = run.tri.length === known.tri.length && run.rest.length === known.rest.length
            && run.bodies.length === known.bodies.length && run.scene === known.scene;
        if (!same) {
            location.reload();
        }
    }

    private keep(packet: Packet): void {
        const time = Number(packet.json["time"]);
        const { times, series, fields } = this.run;
        // A time that was there already: the simulation was reset, or shows the same step again.
        while (times.length > 0 && times[times.length - 1]! >= time) {
            times.pop();
            this.drop(this.kept.pop()!);
        }
        (series as Table).cut(time);
        times.push(time);
        this.kept.push({ key: this.nextKey++, packet });
        this.bytes += packet.bytes;
        if (Array.isArray(packet.json["row"])) {
            (series as Table).append(packet.json["row"]);
        }
        this.run.stages = stagesOf(packet.json["stages"], this.run.figures);
        for (const field of fields) {
            const range = frameRange(packet, field.name);
            if (range) {
                const fresh = field.range[0] === 0 && field.range[1] === 0;
                field.range = [fresh ? range[0] : Math.min(field.range[0], range[0]), Math.max(field.range[1], range[1])];
            }
        }
        if (this.bytes > this.history) {
            this.thin();
        }
        this.run.recorded = times.length;
        this.arrivals += 1;
    }

    /** Forgets every second frame but the newest: the whole past stays in reach, more coarsely. */
    private thin(): void {
        const old = Math.max(0, this.kept.length - NEWEST);
        const stays = (k: number) => k >= old || k % 2 === 0;
        this.kept.filter((_, k) => !stays(k)).forEach((kept) => this.drop(kept));
        const times = this.run.times.filter((_, k) => stays(k));
        const kept = this.kept.filter((_, k) => stays(k));
        this.run.times.length = this.kept.length = 0;
        times.forEach((time) => this.run.times.push(time));
        kept.forEach((one) => this.kept.push(one));
    }

    private drop(kept: Kept): void {
        this.bytes -= kept.packet.bytes;
        this.cache.forget(kept.key);
    }

    private tell(): void {
        this.listeners.forEach((listener) => listener());
    }
}
