// Modes of vibration: a shape each, which the page moves itself. A frame is made when it is asked for:
// position = rest + amplitude size cos(phase) shape, at phases that go once round.
import { Box } from "../draw/bounds";
import { measure } from "../play/metrics";
import type { Contacts, Field, Frame, Run, Source } from "../types";
import { FrameCache } from "./cache";
import { DataError, type Packet } from "./packet";

const STEPS = 120; // of a period: three degrees each
export const FIRST_AMPLITUDE = 0.1;
export const LARGEST_AMPLITUDE = 0.5;
const ZERO = 32768; // of the numbers that a shape is stored in
const LARGEST = 32767;
const BUDGET = 96e6; // [bytes] of decoded shapes

/** Parts of a period; the last is the first again. */
export const PHASES: number[] = Array.from({ length: STEPS + 1 }, (_, k) => k / STEPS);

/** What bodies can be coloured by: how far a vertex swings, as a part of the largest. */
export function modeFields(dimension: 2 | 3): Field[] {
    const along = ["x", "y", "z"].slice(0, dimension).map((axis): Field =>
        ({ name: `displacement_${axis}`, label: `displacement along ${axis}`, unit: "1", range: [-1, 1] }));
    return [{ name: "displacement", label: "relative displacement", unit: "1", range: [0, 1] }, ...along];
}

interface Shape {
    bytes: number;
    displacement: Float32Array; // [vertices][3], the largest of all nodes is 1
    fields: ReadonlyMap<string, Float32Array>;
}

const noContacts: Contacts = {
    count: 0, total: 0, data: new Float32Array(0), normal: new Int16Array(0), body: new Uint16Array(0), stick: new Uint8Array(0),
};

export function shapeOf(packet: Packet, run: Run): Shape {
    if (packet.json["kind"] !== "shape") {
        throw new DataError("a shape was expected and something else came");
    }
    const count = run.rest.length / 3, q = packet.array<Uint16Array>("shape", "u16", 3 * count);
    const displacement = new Float32Array(3 * count), size = new Float32Array(count);
    const along = [0, 1, 2].map((axis) => {
        const out = new Float32Array(count);
        for (let i = 0; i < count; i++) {
            const value = (q[axis * count + i]! - ZERO) / LARGEST;
            out[i] = value;
            displacement[3 * i + axis] = value;
        }
        return out;
    }) as [Float32Array, Float32Array, Float32Array];
    for (let i = 0; i < count; i++) {
        size[i] = Math.hypot(along[0][i]!, along[1][i]!, along[2][i]!);
    }
    const fields = new Map([["displacement", size], ["displacement_x", along[0]], ["displacement_y", along[1]], ["displacement_z", along[2]]]);
    return { bytes: 28 * count, displacement, fields };
}

/** The longest edge of the box about the bodies that can move. */
export function sizeOf(run: Run): number {
    const box = new Box();
    const loose = run.bodies.filter((body) => body.type !== "static" && !body.plane);
    (loose.length > 0 ? loose : run.bodies).forEach((body) => box.addPoints(run.rest, body.vertexFirst, body.vertexCount));
    return box.empty ? 1 : Math.max(...[0, 1, 2].map((axis) => box.high[axis]! - box.low[axis]!)) || 1;
}

export class ModeSource implements Source {
    readonly live = null;
    readonly remote = false;
    private readonly shapes = new FrameCache<Shape>(BUDGET);
    private readonly size: number;
    private mode = 0;
    private amplitude = FIRST_AMPLITUDE;

    /** load: the packet of a mode's shape. */
    constructor(readonly run: Run, private readonly load: (mode: number) => Promise<Packet>) {
        this.size = sizeOf(run);
    }

    oscillate(mode: number, amplitude: number): void {
        this.mode = mode;
        this.amplitude = amplitude;
    }

    async frame(index: number): Promise<Frame> {
        const { mode, amplitude, run } = this, { displacement, fields } = await this.shape(mode);
        const start = performance.now();
        const reach = amplitude * this.size * Math.cos(2 * Math.PI * PHASES[index]!), position = new Float32Array(run.rest.length);
        for (let i = 0; i < position.length; i++) {
            position[i] = run.rest[i]! + reach * displacement[i]!;
        }
        measure("decode", performance.now() - start);
        return { index, time: PHASES[index]!, step: index, position, fields, bytes: 4 * position.length, contacts: noContacts };
    }

    /** How far vertices come in any mode: low and high corners. */
    async survey(): Promise<void> {
        const { run } = this, most = new Float32Array(run.rest.length);
        for (let mode = 0; mode < run.modes.length; mode++) {
            // One that cannot be had says so when it is to be shown.
            const shape = await this.shape(mode).catch(() => null);
            shape?.displacement.forEach((u, i) => (most[i] = Math.max(most[i]!, Math.abs(u))));
        }
        const reach = FIRST_AMPLITUDE * this.size;
        run.moments.push(...[-1, 1].map((side) => most.map((u, i) => run.rest[i]! + side * reach * u)));
    }

    private shape(mode: number): Promise<Shape> {
        return this.shapes.load(mode, async () => {
            const asked = performance.now();
            const packet = await this.load(mode);
            measure("fetch", performance.now() - asked);
            return shapeOf(packet, this.run);
        });
    }
}
