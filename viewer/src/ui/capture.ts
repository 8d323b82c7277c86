// Pictures and films of the stage, as files.

import type { Context } from "./context";
import { firstRun } from "./context";
import { button, el, setText } from "./dom";
import { fileName, formatTime } from "./format";

const RATE = 30; // pictures a second
const BITS = 12e6; // a second
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
const LONGEST_WAIT = 5000; // [ms] for a frame; a film goes on without one that does not come

function download(blob: Blob, name: string): void {
    const address = URL.createObjectURL(blob);
    const link = el("a", { href: address, download: name });
    link.click();
    // The download reads the address later.
    setTimeout(() => URL.revokeObjectURL(address), 60000);
}

const nextPicture = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => done()));

export class Capture {
    /** Shown while a film is made. */
    readonly element: HTMLElement;
    private readonly text = el("span", { class: "grow" });
    private readonly bar = el("progress", { max: 1, value: 0, "aria-label": "Progress of the recording" });
    private recording = false;
    private stopWish = false;

    constructor(private readonly context: Context) {
        this.element = el("div", { class: "recording", role: "group", "aria-label": "Recording", hidden: true },
            el("span", { class: "record-dot" }), this.text, this.bar,
            button({ id: "record-stop", label: "Stop and save", text: "Stop", icon: "stop", class: "small", act: () => (this.stopWish = true) }));
    }

    get isRecording(): boolean {
        return this.recording;
    }

    async screenshot(): Promise<void> {
        const { stage, status, store } = this.context;
        try {
            const blob = await stage.picture({ width: stage.canvas.width, height: stage.canvas.height });
            download(blob, `${this.name()}-${store.get().time.toPrecision(4)}s.png`);
            status.show("The picture is saved");
        } catch (error) {
            status.show(`The picture could not be made: ${String(error)}`, "problem");
        }
    }

    /** Plays the whole run once and saves what is seen. */
    async record(): Promise<void> {
        const { stage, status, store, player } = this.context;
        if (this.recording) {
            this.stopWish = true;
            return;
        }
        const type = typeof MediaRecorder === "undefined" ? undefined : TYPES.find((one) => MediaRecorder.isTypeSupported(one));
        if (type === undefined || typeof stage.canvas.captureStream !== "function") {
            status.show("This browser cannot record films (WebM). Take a screenshot here, or make a film with: brunt export --format mp4", "problem");
            return;
        }
        if (player.times.length < 2) {
            status.show("There is only one frame: nothing to record", "problem");
            return;
        }
        const before = store.get();
        this.recording = true;
        this.stopWish = false;
        this.element.hidden = false;
        document.documentElement.classList.add("is-recording");
        try {
            const blob = await this.film(type, before.speed);
            download(blob, `${this.name()}.webm`);
            status.show("The film is saved");
        } catch (error) {
            status.show(`The film could not be made: ${String(error)}`, "problem");
        } finally {
            this.recording = false;
            this.element.hidden = true;
            document.documentElement.classList.remove("is-recording");
            store.set({ time: before.time, playing: false });
        }
    }

    private async film(type: string, speed: number): Promise<Blob> {
        const { stage, store, player } = this.context;
        const stream = stage.canvas.captureStream(RATE);
        const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: BITS });
        const parts: Blob[] = [];
        recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
        const ended = new Promise<void>((done, failed) => {
            recorder.addEventListener("stop", () => done());
            recorder.addEventListener("error", () => failed(new Error("the recorder gave up")));
        });
        const { start, end } = player;
        store.set({ playing: false, time: start });
        await this.settled();
        recorder.start(1000);
        const begin = performance.now();
        // The clock of the film is the wall's: a machine that draws slowly makes a film with fewer pictures, not a slower one.
        for (let time = start; time < end && !this.stopWish; ) {
            await nextPicture();
            time = Math.min(start + ((performance.now() - begin) / 1000) * speed, end);
            store.set({ time });
            await this.settled();
            this.bar.value = (time - start) / (end - start);
            setText(this.text, `Recording: ${formatTime(time, 3)} of ${formatTime(end, 3)}`);
        }
        // The last picture stays a moment.
        await new Promise((done) => setTimeout(done, 300));
        recorder.stop();
        await ended;
        stream.getTracks().forEach((track) => track.stop());
        return new Blob(parts, { type: "video/webm" });
    }

    private async settled(): Promise<void> {
        const limit = performance.now() + LONGEST_WAIT;
        do {
            await nextPicture();
        } while (!this.context.player.settled && performance.now() < limit);
    }

    private name(): string {
        const run = firstRun(this.context);
        return fileName(run.name === "" ? run.title : run.name);
    }
}
