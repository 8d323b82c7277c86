import assert from "node:assert/strict";
import test from "node:test";
import { Packet, undelta } from "../src/data/packet";
import { delta, packet } from "./packet.mjs";

const buffer = (bytes: Buffer): ArrayBuffer => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;

test("arrays of all types come back as they were written", () => {
    const read = new Packet(buffer(packet({ kind: "x", name: "Größe µ" }, {
        a: ["u8", [1, 2, 255]], b: ["i16", [-32768, 5]], c: ["u16", [65535]], d: ["u32", [4294967295, 7]], e: ["f32", [0.5, -2]], f: ["f64", [1 / 3]],
    })));
    assert.equal(read.json["name"], "Größe µ");
    assert.deepEqual([...read.array("a", "u8", 3)], [1, 2, 255]);
    assert.deepEqual([...read.array("b", "i16")], [-32768, 5]);
    assert.deepEqual([...read.array("c", "u16")], [65535]);
    assert.deepEqual([...read.array("d", "u32")], [4294967295, 7]);
    assert.deepEqual([...read.array("e", "f32")], [0.5, -2]);
    assert.deepEqual([...read.array("f", "f64")], [1 / 3]);
});

test("differences: low bytes first, then high bytes, modulo 65536", () => {
    // Written out by hand: 5, 5 - 10, 300.
    const bytes = Uint8Array.from([5, 246, 49, 0, 255, 1]);
    assert.deepEqual([...undelta(bytes)], [5, 65531, 300]);
    const values = Array.from({ length: 1000 }, (_, i) => (i * i * 7919) % 65536);
    assert.deepEqual([...undelta(delta(values))], values);
    assert.deepEqual([...new Packet(buffer(packet({}, { q: ["u16", values, "delta"] }))).array("q", "u16", 1000)], values);
});

test("what is damaged is refused with words", () => {
    const good = packet({ kind: "x" }, { a: ["u16", [1, 2, 3]] });
    const bad = (change: (bytes: Buffer) => Buffer): (() => Packet) => () => new Packet(buffer(change(Buffer.from(good))));
    assert.throws(bad((b) => b.subarray(0, 5)), /not data of brunt/);
    assert.throws(bad((b) => (b.write("GLTF", 0), b)), /not data of brunt/);
    assert.throws(bad((b) => (b.writeUInt32LE(1e6, 4), b)), /cut off/);
    assert.throws(bad((b) => (b.write("??", 9), b)), /JSON/);
    const read = new Packet(buffer(good));
    assert.throws(() => read.array("b", "u16"), /"b" is missing/);
    assert.throws(() => read.array("a", "u16", 4), /"a"/);
    assert.throws(() => read.array("a", "f32"), /"a"/);
    assert.throws(() => read.array("constructor", "u16"), /missing/);
    assert.equal(read.array("none", "u16", 0).length, 0);
    // An array that ends after the file.
    const short = new Packet(buffer(good.subarray(0, good.length - 8)));
    assert.throws(() => short.array("a", "u16", 3), /"a"/);
    const coded = new Packet(buffer(packet({}, { a: ["u16", [1], "wavelet"] })));
    assert.throws(() => coded.array("a", "u16"), /wavelet/);
});
