// The film's container, read back element by element.
import assert from "node:assert/strict";
import { test } from "node:test";
import { webm } from "../src/ui/webm";

const MASTERS = new Set([0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0x1c53bb6b, 0xbb, 0xb7, 0x1f43b675]);

function idAt(bytes, at) {
    const length = Math.clz32(bytes[at]) - 23;
    return { id: Buffer.from(bytes.slice(at, at + length)).readUIntBE(0, length), length };
}

/** Elements with their contents; fails where lengths do not fit. */
function read(bytes, at, end) {
    const list = [];
    while (at < end) {
        const { id, length } = idAt(bytes, at);
        assert.equal(bytes[at + length], 0x01, "a length of eight bytes");
        const size = Number(Buffer.from(bytes).readBigUInt64BE(at + length) & 0x00ffffffffffffffn);
        const from = at + length + 8;
        assert.ok(from + size <= end, `element ${id.toString(16)} reaches beyond its parent`);
        list.push({ id, at, from, bytes: bytes.slice(from, from + size), children: MASTERS.has(id) ? read(bytes, from, from + size) : [] });
        at = from + size;
    }
    assert.equal(at, end);
    return list;
}

const find = (list, id) => list.filter((one) => one.id === id);
const value = (one) => Number(Buffer.from(one.bytes).readBigUInt64BE());

test("a film of three clusters comes back", () => {
    const chunks = Array.from({ length: 7 }, (_, k) => ({ data: Uint8Array.from([k, 100 + k]), time: (1000 * k) / 3, key: k === 0 || k === 3 || k === 6 }));
    const parts = webm({ codec: "V_VP9", width: 640, height: 480, duration: 2333 }, chunks);
    const bytes = new Uint8Array(Buffer.concat(parts));
    const top = read(bytes, 0, bytes.length);
    assert.deepEqual(top.map((one) => one.id), [0x1a45dfa3, 0x18538067]);
    const segment = top[1];
    const track = find(find(segment.children, 0x1654ae6b)[0].children, 0xae)[0];
    assert.equal(Buffer.from(find(track.children, 0x86)[0].bytes).toString(), "V_VP9");
    assert.equal(Buffer.from(find(find(segment.children, 0x1549a966)[0].children, 0x4489)[0].bytes).readDoubleBE(), 2333);
    const clusters = find(segment.children, 0x1f43b675);
    assert.equal(clusters.length, 3);
    const blocks = clusters.flatMap((cluster) => {
        const start = value(find(cluster.children, 0xe7)[0]);
        return find(cluster.children, 0xa3).map((one) => {
            const block = Buffer.from(one.bytes);
            assert.equal(block[0], 0x81);
            return { time: start + block.readInt16BE(1), key: block[3] === 0x80, data: [...block.subarray(4)] };
        });
    });
    assert.deepEqual(blocks, chunks.map((chunk) => ({ time: Math.round(chunk.time), key: chunk.key, data: [...chunk.data] })));
    // Cues: places count from the start of the segment's content.
    const cues = find(find(segment.children, 0x1c53bb6b)[0].children, 0xbb);
    const places = cues.map((cue) => segment.from + value(find(find(cue.children, 0xb7)[0].children, 0xf1)[0]));
    assert.deepEqual(places, clusters.map((cluster) => cluster.at));
});

test("a cluster is never longer than its times can tell", () => {
    const chunks = Array.from({ length: 100 }, (_, k) => ({ data: Uint8Array.from([k]), time: 1000 * k, key: k === 0 }));
    const bytes = new Uint8Array(Buffer.concat(webm({ codec: "V_VP8", width: 16, height: 16, duration: 1e5 }, chunks)));
    const clusters = find(read(bytes, 0, bytes.length)[1].children, 0x1f43b675);
    assert.ok(clusters.length >= 3);
    clusters.flatMap((cluster) => find(cluster.children, 0xa3)).forEach((one) => assert.ok(Buffer.from(one.bytes).readInt16BE(1) >= 0));
});
