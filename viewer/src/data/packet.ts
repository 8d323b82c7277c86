// The container of docs/viewer.md: a JSON text and typed arrays in one buffer. Arrays are views of the buffer wherever possible.

export type Numbers = Uint8Array | Int16Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

interface Kind {
    bytes: number;
    view(buffer: ArrayBuffer, offset: number, count: number): Numbers;
}

const KINDS: Record<string, Kind> = {
    u8: { bytes: 1, view: (b, o, n) => new Uint8Array(b, o, n) },
    i16: { bytes: 2, view: (b, o, n) => new Int16Array(b, o, n) },
    u16: { bytes: 2, view: (b, o, n) => new Uint16Array(b, o, n) },
    u32: { bytes: 4, view: (b, o, n) => new Uint32Array(b, o, n) },
    f32: { bytes: 4, view: (b, o, n) => new Float32Array(b, o, n) },
    f64: { bytes: 8, view: (b, o, n) => new Float64Array(b, o, n) },
};

interface Entry {
    type: string;
    count: number;
    offset: number;
    code?: string;
}

/** What is wrong with data that came from outside, in words for a person. */
export class DataError extends Error {}

export class Packet {
    readonly json: Record<string, unknown>;
    readonly bytes: number;
    private readonly buffer: ArrayBuffer;
    private readonly first: number;
    private readonly entries: Record<string, Entry>;

    constructor(buffer: ArrayBuffer) {
        const head = new Uint8Array(buffer, 0, Math.min(8, buffer.byteLength));
        if (head.length < 8 || String.fromCharCode(...head.subarray(0, 4)) !== "BRN1") {
            throw new DataError("these are not data of brunt (a packet starts with BRN1)");
        }
        const length = new DataView(buffer).getUint32(4, true);
        if (8 + length > buffer.byteLength) {
            throw new DataError("the data are cut off");
        }
        try {
            this.json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
        } catch {
            throw new DataError("the data are damaged: a packet's JSON cannot be read");
        }
        this.buffer = buffer;
        this.bytes = buffer.byteLength;
        this.first = 8 + length;
        this.entries = (this.json["arrays"] ?? {}) as Record<string, Entry>;
    }

    has(name: string): boolean {
        return Object.hasOwn(this.entries, name);
    }

    /** Throws unless the array is there, with `count` entries of a type. */
    check(name: string, type: string, count?: number): Entry {
        const kind = KINDS[type]!;
        const entry = this.has(name) ? this.entries[name] : undefined;
        if (!entry) {
            throw new DataError(`the data are damaged: array "${name}" is missing`);
        }
        const start = this.first + entry.offset;
        const fits = Number.isInteger(entry.count) && entry.count >= 0 && Number.isInteger(entry.offset) && entry.offset >= 0
            && start + entry.count * kind.bytes <= this.bytes;
        if (entry.type !== type || !fits || (count !== undefined && entry.count !== count)) {
            throw new DataError(`the data are damaged: array "${name}" is not ${count ?? "some"} numbers of type ${type}`);
        }
        return entry;
    }

    /** An array of `count` entries of a type; absent and wanted with count 0 is empty. */
    array<T extends Numbers>(name: string, type: string, count?: number): T {
        const kind = KINDS[type]!;
        if (!this.has(name) && count === 0) {
            return kind.view(new ArrayBuffer(0), 0, 0) as T;
        }
        const entry = this.check(name, type, count);
        const start = this.first + entry.offset;
        if (entry.code === "delta" && type === "u16") {
            return undelta(new Uint8Array(this.buffer, start, 2 * entry.count)) as T;
        }
        if (entry.code) {
            throw new DataError(`array "${name}" is coded as "${entry.code}", which this page does not know: use a newer one`);
        }
        if (start % kind.bytes !== 0) {
            return kind.view(this.buffer.slice(start, start + entry.count * kind.bytes), 0, entry.count) as T;
        }
        return kind.view(this.buffer, start, entry.count) as T;
    }
}

/** Differences to the entry before, all low bytes first, then all high bytes. */
export function undelta(bytes: Uint8Array): Uint16Array {
    const count = bytes.length >> 1;
    const out = new Uint16Array(count);
    let value = 0;
    for (let i = 0; i < count; i++) {
        value = (value + bytes[i]! + (bytes[count + i]! << 8)) & 0xffff;
        out[i] = value;
    }
    return out;
}
