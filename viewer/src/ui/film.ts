// Writers of films. Where the browser offers its codecs, every picture gets its exact time however long it took to draw; elsewhere the
// browser's recorder films the canvas, whose clock is stopped while a picture is being drawn.

import { webm, type Chunk, type Track } from "./webm";

export interface FilmWriter {
    add(picture: HTMLCanvasElement): Promise<void>;
    finish(): Promise<Blob>;
}

const BITS = 12e6; // a second
const KEY_EVERY = 60; // pictures between those that stand alone
const WAITING = 4; // pictures in the codec's queue
const CODECS: [string, Track["codec"]][] = [["vp09.00.40.08", "V_VP9"], ["vp8", "V_VP8"]];
const RECORDED = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

const later = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

class CodecWriter implements FilmWriter {
    private readonly chunks: Chunk[] = [];
    private readonly encoder: VideoEncoder;
    private count = 0;
    private failure: Error | null = null;

    constructor(private readonly config: VideoEncoderConfig, private readonly codec: Track["codec"], private readonly rate: number) {
        this.encoder = new VideoEncoder({
            output: (chunk) => {
                const data = new Uint8Array(chunk.byteLength);
                chunk.copyTo(data);
                this.chunks.push({ data, time: chunk.timestamp / 1000, key: chunk.type === "key" });
            },
            error: (error) => (this.failure = error),
        });
        this.encoder.configure(config);
    }

    async add(picture: HTMLCanvasElement): Promise<void> {
        while (this.encoder.encodeQueueSize > WAITING && this.failure === null) {
            await later(2);
        }
        if (this.failure !== null) {
            throw this.failure;
        }
        const length = 1e6 / this.rate;
        const frame = new VideoFrame(picture, { timestamp: Math.round(this.count * length), duration: Math.round(length), alpha: "discard" });
        this.encoder.encode(frame, { keyFrame: this.count % KEY_EVERY === 0 });
        frame.close();
        this.count += 1;
    }

    async finish(): Promise<Blob> {
        await this.encoder.flush();
        this.encoder.close();
        const track = { codec: this.codec, width: this.config.width, height: this.config.height, duration: (1000 * this.count) / this.rate };
        return new Blob(webm(track, this.chunks), { type: "video/webm" });
    }
}

class RecorderWriter implements FilmWriter {
    private readonly canvas = document.createElement("canvas");
    private readonly pen: CanvasRenderingContext2D;
    private readonly stream: MediaStream;
    private readonly recorder: MediaRecorder;
    private readonly parts: Blob[] = [];
    private readonly ended: Promise<void>;

    constructor(type: string, width: number, height: number, private readonly rate: number) {
        this.canvas.width = width;
        this.canvas.height = height;
        this.pen = this.canvas.getContext("2d", { alpha: false })!;
        this.stream = this.canvas.captureStream(0);
        this.recorder = new MediaRecorder(this.stream, { mimeType: type, videoBitsPerSecond: BITS });
        this.recorder.addEventListener("dataavailable", (event) => this.parts.push(event.data));
        this.ended = new Promise((done, failed) => {
            this.recorder.addEventListener("stop", () => done());
            this.recorder.addEventListener("error", () => failed(new Error("the recorder gave up")));
        });
        this.recorder.start();
        this.recorder.pause();
    }

    async add(picture: HTMLCanvasElement): Promise<void> {
        this.pen.drawImage(picture, 0, 0);
        this.recorder.resume();
        // Firefox has it on the stream, others on its track.
        const track = this.stream.getVideoTracks()[0] as (MediaStreamTrack & { requestFrame?: () => void }) | undefined;
        (track?.requestFrame === undefined ? (this.stream as MediaStream & { requestFrame?: () => void }) : track).requestFrame?.();
        await later(1000 / this.rate);
        this.recorder.pause();
    }

    async finish(): Promise<Blob> {
        this.recorder.stop();
        await this.ended;
        this.stream.getTracks().forEach((track) => track.stop());
        return new Blob(this.parts, { type: "video/webm" });
    }
}

/** null: this browser makes no films. */
export async function openFilm(width: number, height: number, rate: number): Promise<FilmWriter | null> {
    for (const [name, codec] of typeof VideoEncoder === "undefined" ? [] : CODECS) {
        const config: VideoEncoderConfig = { codec: name, width, height, bitrate: BITS, framerate: rate, latencyMode: "quality" };
        const known = await VideoEncoder.isConfigSupported(config).catch(() => null);
        if (known?.supported === true) {
            return new CodecWriter(config, codec, rate);
        }
    }
    const type = typeof MediaRecorder === "undefined" ? undefined : RECORDED.find((one) => MediaRecorder.isTypeSupported(one));
    const films = typeof HTMLCanvasElement.prototype.captureStream === "function";
    return type === undefined || !films ? null : new RecorderWriter(type, width, height, rate);
}
