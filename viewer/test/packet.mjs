// Writes packets as docs/viewer.md says, for tests: independent of the code that reads them.
import { deflateSync } from "node:zlib";

const TYPES = { u8: Uint8Array, i16: Int16Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

function bytesOf(array) {
    return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

/** Differences to the entry before, low bytes first, then high bytes. */
export function delta(values) {
    const out = new Uint8Array(2 * values.length);
    let before = 0;
    values.forEach((value, i) => {
        const step = (value - before + 65536) % 65536;
        out[i] = step % 256;
        out[values.length + i] = Math.floor(step / 256);
        before = value;
    });
    return out;
}

/** arrays: {name: [type, numbers, code]}. */
export function packet(json, arrays) {
    const parts = [], table = {};
    let offset = 0;
    for (const [name, [type, numbers, code]] of Object.entries(arrays)) {
        const typed = TYPES[type].from(numbers);
        const bytes = code === "delta" ? Buffer.from(delta([...typed])) : bytesOf(typed);
        table[name] = { type, count: typed.length, offset, ...(code ? { code } : {}) };
        const padding = (8 - (bytes.length % 8)) % 8;
        parts.push(bytes, Buffer.alloc(padding));
        offset += bytes.length + padding;
    }
    let text = Buffer.from(JSON.stringify({ ...json, arrays: table }));
    text = Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8, " ")]);
    const head = Buffer.alloc(8);
    head.write("BRN1", 0, "latin1");
    head.writeUInt32LE(text.length, 4);
    return Buffer.concat([head, text, ...parts]);
}

/** The element that holds a run in a page. */
export function element(packets) {
    return `<script type="application/x-brunt">\n${packets.map((p) => deflateSync(p, { level: 1 }).toString("base64")).join("\n")}\n</script>`;
}
