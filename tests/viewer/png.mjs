// Reads the PNG files that a browser writes: 8 bits a channel, RGB or RGBA, not interlaced.
import { inflateSync } from "node:zlib";

const SIGNATURE = "89504e470d0a1a0a";

/** {width, height, at(x, y) -> [r, g, b]} */
export function readPng(bytes) {
    if (bytes.subarray(0, 8).toString("hex") !== SIGNATURE) {
        throw new Error("not a PNG file");
    }
    let width = 0, height = 0, channels = 0;
    const parts = [];
    for (let at = 8; at + 8 <= bytes.length;) {
        const length = bytes.readUInt32BE(at);
        const kind = bytes.toString("latin1", at + 4, at + 8);
        const body = bytes.subarray(at + 8, at + 8 + length);
        if (kind === "IHDR") {
            width = body.readUInt32BE(0);
            height = body.readUInt32BE(4);
            channels = { 2: 3, 6: 4 }[body[9]];
            if (body[8] !== 8 || channels === undefined || body[12] !== 0) {
                throw new Error("a kind of PNG that browsers do not write");
            }
        } else if (kind === "IDAT") {
            parts.push(body);
        }
        at += 12 + length;
    }
    const pixels = unfilter(inflateSync(Buffer.concat(parts)), width, height, channels);
    return {
        width,
        height,
        at(x, y) {
            const first = (Math.round(y) * width + Math.round(x)) * channels;
            return [pixels[first], pixels[first + 1], pixels[first + 2]];
        },
    };
}

/** Each row starts with the number of its filter: how a byte is guessed from its left, upper and upper left neighbours. */
const GUESSES = [
    () => 0,
    (left) => left,
    (left, above) => above,
    (left, above) => (left + above) >> 1,
    paeth,
];

function unfilter(data, width, height, channels) {
    const row = width * channels;
    const out = Buffer.alloc(row * height);
    for (let y = 0; y < height; y++) {
        const guess = GUESSES[data[y * (row + 1)]];
        for (let x = 0, at = y * row; x < row; x++, at++) {
            const left = x >= channels ? out[at - channels] : 0;
            const above = y > 0 ? out[at - row] : 0;
            const corner = x >= channels && y > 0 ? out[at - row - channels] : 0;
            out[at] = data[y * (row + 1) + 1 + x] + guess(left, above, corner);
        }
    }
    return out;
}

function paeth(left, above, corner) {
    const p = left + above - corner;
    const [a, b, c] = [Math.abs(p - left), Math.abs(p - above), Math.abs(p - corner)];
    return a <= b && a <= c ? left : b <= c ? above : corner;
}

/** Largest difference of a channel. */
export function distance(a, b) {
    return Math.max(Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1]), Math.abs(a[2] - b[2]));
}

/** Share of the pixels of a box {x, y, width, height} (default: all) that differ by more than `beyond` between two pictures. */
export function changed(first, second, box = null, beyond = 12) {
    if (first.width !== second.width || first.height !== second.height) {
        return 1;
    }
    const { x, y, width, height } = box ?? { x: 0, y: 0, width: first.width, height: first.height };
    let count = 0, all = 0;
    for (let j = Math.ceil(y); j < y + height; j++) {
        for (let i = Math.ceil(x); i < x + width; i++) {
            count += distance(first.at(i, j), second.at(i, j)) > beyond ? 1 : 0;
            all++;
        }
    }
    return count / all;
}
