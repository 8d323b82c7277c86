// A frame from its packet: positions of all vertices, fields as plain numbers. Loops over typed arrays only: 50 000 vertices take
// a few milliseconds.
import type { Contacts, Frame, Run } from "../types";
import { DataError, type Packet } from "./packet";

const AT_REST = 0;
const AFFINE = 1;
const FREE = 2;

function affine(out: Float32Array, rest: Float32Array, first: number, count: number, m: Float32Array, at: number): void {
    const [a, b, c, x, d, e, f, y, g, h, i, z] = m.subarray(at, at + 12) as unknown as number[];
    for (let k = 3 * first; k < 3 * (first + count); k += 3) {
        const p = rest[k]!, q = rest[k + 1]!, r = rest[k + 2]!;
        out[k] = a! * p + b! * q + c! * r + x!;
        out[k + 1] = d! * p + e! * q + f! * r + y!;
        out[k + 2] = g! * p + h! * q + i! * r + z!;
    }
}

function positions(packet: Packet, run: Run): Float32Array {
    const bodies = run.bodies;
    const motion = packet.array<Uint8Array>("motion", "u8", bodies.length);
    let affines = 0, boxes = 0, free = 0;
    bodies.forEach((body, k) => {
        affines += motion[k] === AFFINE ? 1 : 0;
        boxes += motion[k] === FREE ? 1 : 0;
        free += motion[k] === FREE ? body.vertexCount : 0;
    });
    const matrix = packet.array<Float32Array>("affine", "f32", 12 * affines);
    const box = packet.array<Float32Array>("box", "f32", 6 * boxes);
    const q = packet.array<Uint16Array>("position", "u16", 3 * free);
    const out = new Float32Array(run.rest.length);
    let nextAffine = 0, nextBox = 0, nextFree = 0;
    bodies.forEach((body, k) => {
        const first = body.vertexFirst, count = body.vertexCount;
        if (motion[k] === AT_REST) {
            out.set(run.rest.subarray(3 * first, 3 * (first + count)), 3 * first);
        } else if (motion[k] === AFFINE) {
            affine(out, run.rest, first, count, matrix, nextAffine);
            nextAffine += 12;
        } else if (motion[k] === FREE) {
            for (let axis = 0; axis < 3; axis++) {
                const low = box[nextBox + axis]!, rate = box[nextBox + 3 + axis]! / 65535;
                let from = axis * free + nextFree;
                for (let at = 3 * first + axis; at < 3 * (first + count); at += 3) {
                    out[at] = low + rate * q[from++]!;
                }
            }
            nextBox += 6;
            nextFree += count;
        } else {
            throw new DataError(`body "${body.name}" moves in a way that this page does not know`);
        }
    });
    return out;
}

function field(packet: Packet, name: string, vertices: number, range: unknown): Float32Array {
    const q = packet.array<Uint16Array>(name, "u16", vertices);
    const [low, high] = (Array.isArray(range) ? range : [0, 0]) as [number, number];
    const rate = (high - low) / 65535;
    const out = new Float32Array(vertices);
    for (let i = 0; i < vertices; i++) {
        out[i] = low + rate * q[i]!;
    }
    return out;
}

const DECODED = 2; // fields of a frame that are looked at, as a rule
const COMPONENTS = ["xx", "yy", "zz", "yz", "xz", "xy"];

/** Principal value 1 (the largest), 2 or 3 of tensors [vertices] by their components: mean + 2 p cos(phi + 2 pi k/3). */
export function principal(parts: readonly (Float32Array | undefined)[], which: number, vertices: number): Float32Array {
    const out = new Float32Array(vertices);
    const [sxx, syy, szz, syz, sxz, sxy] = parts;
    for (let i = 0; i < vertices; i++) {
        const yz = syz?.[i] ?? 0, xz = sxz?.[i] ?? 0, xy = sxy?.[i] ?? 0;
        let a = sxx?.[i] ?? 0, b = syy?.[i] ?? 0, c = szz?.[i] ?? 0;
        const mean = (a + b + c) / 3;
        a -= mean, b -= mean, c -= mean;
        const p = Math.sqrt((a * a + b * b + c * c + 2 * (yz * yz + xz * xz + xy * xy)) / 6);
        const det = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
        const phi = Math.acos(Math.max(-1, Math.min(1, p > 0 ? det / (2 * p * p * p) : 1))) / 3;
        out[i] = mean + 2 * p * Math.cos(phi + [0, -2, 2][which - 1]! * Math.PI / 3);
    }
    return out;
}

/** The fields of a frame, decoded when they are first asked for. */
class Fields extends Map<string, Float32Array> {
    constructor(private readonly packet: Packet, private readonly vertices: number, names: readonly string[]) {
        super();
        names.filter((name) => packet.has(name)).forEach((name) => packet.check(name, "u16", vertices));
    }

    override has(name: string): boolean {
        return this.get(name) !== undefined;
    }

    override get(name: string): Float32Array | undefined {
        const known = super.get(name) ?? this.make(name);
        if (known !== undefined) {
            this.set(name, known);
        }
        return known;
    }

    private make(name: string): Float32Array | undefined {
        if (this.packet.has(name)) {
            return field(this.packet, name, this.vertices, frameRange(this.packet, name));
        }
        const derived = /^(stress|strain)_([123])$/.exec(name);
        if (derived === null || !this.packet.has(`${derived[1]}_xx`)) {
            return undefined;
        }
        return principal(COMPONENTS.map((part) => this.get(`${derived[1]}_${part}`)), Number(derived[2]), this.vertices);
    }
}

function contacts(packet: Packet): Contacts {
    const count = typeof packet.json["contacts"] === "number" ? packet.json["contacts"] : 0;
    return {
        count,
        total: typeof packet.json["contacts_total"] === "number" ? packet.json["contacts_total"] : count,
        data: packet.array<Float32Array>("contact", "f32", 9 * count),
        normal: packet.array<Int16Array>("contact_normal", "i16", 3 * count),
        body: packet.array<Uint16Array>("contact_body", "u16", 2 * count),
        stick: packet.array<Uint8Array>("contact_stick", "u8", count),
    };
}

/** Lowest and highest value of a field in a frame's packet. */
export function frameRange(packet: Packet, name: string): [number, number] | null {
    const ranges = (packet.json["ranges"] ?? {}) as Record<string, [number, number]>;
    return Object.hasOwn(ranges, name) ? ranges[name]! : null;
}

export function frameOf(packet: Packet, run: Run): Frame {
    const json = packet.json;
    if (json["kind"] !== "frame") {
        throw new DataError("a frame was expected and something else came");
    }
    return {
        index: Number(json["index"] ?? 0),
        time: Number(json["time"] ?? 0),
        step: Number(json["step"] ?? 0),
        position: positions(packet, run),
        fields: new Fields(packet, run.rest.length / 3, run.fields.map(({ name }) => name)),
        bytes: (4 + DECODED * 4 / 3) * run.rest.length + packet.bytes,
        contacts: contacts(packet),
    };
}
