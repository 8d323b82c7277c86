// Reads a PNG and checks its size and where colours are. Usage: picture_check.mjs FILE.png WxH WISH...
// WISH: RRGGBB:LOW-HIGH[@X,Y]: the share of pixels near that colour, and where their middle is (0,0 to 1,1 from the upper left;
// of the half of the picture that the point is in, if X is 0.25 or 0.75).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";

const NEAR = 60; // [of 255] light changes colours, and films blur them
const PLACE = 0.1; // bodies are placed by the camera's fit

function readPng(path) {
    const bytes = readFileSync(path), parts = [];
    assert.equal(bytes.toString("latin1", 0, 8), "\x89PNG\r\n\x1a\n");
    let palette = null;
    for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
        const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)), type = bytes.toString("latin1", at + 4, at + 8);
        if (type === "IDAT") parts.push(data);
        if (type === "PLTE") palette = data;
    }
    const width = bytes.readUInt32BE(16), height = bytes.readUInt32BE(20), kind = bytes[25];
    const channels = { 2: 3, 3: 1, 6: 4 }[kind], stride = width * channels;
    assert.ok(channels && bytes[24] === 8 && bytes[28] === 0);
    const rows = inflateSync(Buffer.concat(parts)), pixels = Buffer.alloc(height * stride);
    assert.equal(rows.length, height * (stride + 1));
    for (let y = 0; y < height; y++) {
        const filter = rows[y * (stride + 1)];
        for (let x = 0; x < stride; x++) {
            const a = x >= channels ? pixels[y * stride + x - channels] : 0, b = y > 0 ? pixels[(y - 1) * stride + x] : 0;
            const c = x >= channels && y > 0 ? pixels[(y - 1) * stride + x - channels] : 0;
            const p = a + b - c, [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
            const guess = [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter];
            pixels[y * stride + x] = rows[y * (stride + 1) + 1 + x] + guess;
        }
    }
    const colour = (x, y) => {
        const at = y * stride + x * channels;
        return kind === 3 ? palette.subarray(3 * pixels[at], 3 * pixels[at] + 3) : pixels.subarray(at, at + 3);
    };
    return { width, height, colour };
}

const [path, size, ...wishes] = process.argv.slice(2);
const image = readPng(path);
assert.equal(`${image.width}x${image.height}`, size);
for (const wish of wishes) {
    const [, hex, low, high, , x, y] = /^([0-9a-f]{6}):([\d.]+)-([\d.]+)(@([\d.]+),([\d.]+))?$/.exec(wish);
    const wanted = [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16));
    const left = x === "0.75" ? image.width / 2 : 0, right = x === "0.25" ? image.width / 2 : image.width;
    let count = 0, sumX = 0, sumY = 0;
    for (let py = 0; py < image.height; py++) {
        for (let px = Math.ceil(left); px < right; px++) {
            const got = image.colour(px, py);
            if (Math.max(...wanted.map((value, k) => Math.abs(value - got[k]))) <= NEAR) {
                count++;
                sumX += px;
                sumY += py;
            }
        }
    }
    const share = count / (image.height * (right - left));
    assert.ok(share >= Number(low) && share <= Number(high), `${path}: ${wish}: ${share.toFixed(3)} of the pixels have it`);
    if (x !== undefined) {
        const at = [sumX / count / image.width, sumY / count / image.height];
        assert.ok(Math.hypot(at[0] - x, at[1] - y) < PLACE, `${path}: ${wish}: its middle is at ${at.map((v) => v.toFixed(2))}`);
    }
}
