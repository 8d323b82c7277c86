// Puts pictures that a codec has packed into a WebM file (Matroska, RFC 9559; only what players need: one video track and cues).

export interface Chunk {
    data: Uint8Array;
    time: number; // [ms]
    key: boolean; // can be shown without those before
}

export interface Track {
    codec: "V_VP8" | "V_VP9";
    width: number;
    height: number;
    duration: number; // [ms]
}

const ID = {
    header: 0x1a45dfa3, version: 0x4286, readVersion: 0x42f7, idLength: 0x42f2, sizeLength: 0x42f3, type: 0x4282, typeVersion: 0x4287,
    typeReadVersion: 0x4285,
    segment: 0x18538067, info: 0x1549a966, scale: 0x2ad7b1, duration: 0x4489, muxer: 0x4d80, writer: 0x5741,
    tracks: 0x1654ae6b, track: 0xae, number: 0xd7, uid: 0x73c5, kind: 0x83, lacing: 0x9c, codec: 0x86, video: 0xe0, width: 0xb0, height: 0xba,
    cues: 0x1c53bb6b, cue: 0xbb, cueTime: 0xb3, cuePlace: 0xb7, cueTrack: 0xf7, cueCluster: 0xf1,
    cluster: 0x1f43b675, clusterTime: 0xe7, block: 0xa3,
};

const LONGEST_CLUSTER = 30000; // [ms] times in it are 16 bits

type Part = Uint8Array<ArrayBuffer>;

const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + part.length, 0);

function bigEndian(value: number, bytes: number): number[] {
    return Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** (bytes - 1 - i)) % 256);
}

function idBytes(id: number): number[] {
    return bigEndian(id, id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1);
}

/** Lengths always take 8 bytes: places can be told before everything is written. */
function element(id: number, content: readonly Part[]): Part[] {
    return [new Uint8Array([...idBytes(id), 0x01, ...bigEndian(sizeOf(content), 7)]), ...content];
}

function number(id: number, value: number): Part[] {
    return element(id, [new Uint8Array(bigEndian(value, 8))]);
}

function real(id: number, value: number): Part[] {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value);
    return element(id, [bytes]);
}

function text(id: number, value: string): Part[] {
    return element(id, [new TextEncoder().encode(value)]);
}

function header(): Part[] {
    return element(ID.header, [
        ...number(ID.version, 1), ...number(ID.readVersion, 1), ...number(ID.idLength, 4), ...number(ID.sizeLength, 8), ...text(ID.type, "webm"),
        ...number(ID.typeVersion, 4), ...number(ID.typeReadVersion, 2),
    ]);
}

function description(track: Track): Part[] {
    const info = element(ID.info, [
        ...number(ID.scale, 1000000), ...real(ID.duration, track.duration), ...text(ID.muxer, "brunt"), ...text(ID.writer, "brunt"),
    ]);
    const video = element(ID.video, [...number(ID.width, track.width), ...number(ID.height, track.height)]);
    const entry = element(ID.track, [
        ...number(ID.number, 1), ...number(ID.uid, 1), ...number(ID.kind, 1), ...number(ID.lacing, 0), ...text(ID.codec, track.codec), ...video,
    ]);
    return [...info, ...element(ID.tracks, entry)];
}

function block(chunk: Chunk, start: number): Part[] {
    const head = new Uint8Array([0x81, ...bigEndian(chunk.time - start, 2), chunk.key ? 0x80 : 0]);
    return element(ID.block, [head, new Uint8Array(chunk.data)]);
}

/** Cut where a picture stands alone, so that players can jump there. */
function clusters(chunks: readonly Chunk[]): { time: number; parts: Part[] }[] {
    const groups: Chunk[][] = [];
    for (const chunk of chunks) {
        const last = groups[groups.length - 1];
        if (last === undefined || chunk.key || chunk.time - last[0]!.time > LONGEST_CLUSTER) {
            groups.push([chunk]);
        } else {
            last.push(chunk);
        }
    }
    return groups.map((group) => {
        const time = group[0]!.time;
        return { time, parts: element(ID.cluster, [...number(ID.clusterTime, time), ...group.flatMap((chunk) => block(chunk, time))]) };
    });
}

function cues(places: readonly { time: number; at: number }[]): Part[] {
    return element(ID.cues, places.flatMap(({ time, at }) =>
        element(ID.cue, [...number(ID.cueTime, time), ...element(ID.cuePlace, [...number(ID.cueTrack, 1), ...number(ID.cueCluster, at)])])));
}

/** The parts of a file, in order. */
export function webm(track: Track, chunks: readonly Chunk[]): Part[] {
    const start = description(track);
    const list = clusters(chunks.map((chunk) => ({ ...chunk, time: Math.round(chunk.time) })));
    // All numbers take 8 bytes, so the cues are as long with any places in them.
    let at = sizeOf(start) + sizeOf(cues(list.map(({ time }) => ({ time, at: 0 }))));
    const places = list.map(({ time, parts }) => {
        const place = { time, at };
        at += sizeOf(parts);
        return place;
    });
    return [...header(), ...element(ID.segment, [...start, ...cues(places), ...list.flatMap(({ parts }) => parts)])];
}
