// Pictures and films of the stage, as files.

import { composePicture, panelSize, type Sheet } from "../draw/compose";
import { blobOf } from "../draw/stage";
import { frameAt } from "../play/timeline";
import type { Context } from "./context";
import { firstRun, hasModes } from "./context";
import { button, el, setText } from "./dom";
import { openFilm } from "./film";
import { fileName, formatTime, timeDigits } from "./format";
import { modeTitle } from "./modes";
import type { RangeKeeper } from "./range";

const RATE = 30; // pictures a second
const MOST = 3600; // pictures of a film: two minutes
const LARGEST = 1920; // [px] of a picture's longer side
const LONGEST_WAIT = 5000; // [ms] for a frame; a film goes on without one that does not come

function download(blob: Blob, name: string): void {
    const address = URL.createObjectURL(blob);
    const link = el("a", { href: address, download: name });
    link.click();
    // The download reads the address later.
    setTimeout(() => URL.revokeObjectURL(address), 60000);
}

export class Capture {
    /** Shown while a film is made. */
    readonly element: HTMLElement;
    private readonly text = el("span", { class: "grow" });
    private readonly bar = el("progress", { max: 1, value: 0, "aria-label": "Progress of the recording" });
    private recording = false;
    private stopWish = false;

    constructor(private readonly context: Context, private readonly range: RangeKeeper) {
        this.element = el("div", { class: "recording", role: "group", "aria-label": "Recording", hidden: true },
            el("span", { class: "record-dot" }), this.text, this.bar,
            button({ id: "record-stop", label: "Stop and save", text: "Stop", icon: "stop", class: "small", act: () => (this.stopWish = true) }));
    }

    get isRecording(): boolean {
        return this.recording;
    }

    async screenshot(): Promise<void> {
        const { status, store } = this.context;
        try {
            const blob = await blobOf(this.compose(true));
            const { mode, time } = store.get();
            download(blob, `${this.name()}-${hasModes(this.context) ? `mode-${mode + 1}` : `${time.toPrecision(4)}s`}.png`);
            status.show("The picture is saved");
        } catch (error) {
            status.show(`The picture could not be made: ${String(error)}`, "problem");
        }
    }

    /** Goes through the whole run (of a mode: a period) once and saves what is seen; the same again stops it. */
    async record(): Promise<void> {
        const { stage, status, store, player } = this.context;
        if (this.recording) {
            this.stopWish = true;
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
        // The film's pictures are drawn in the same place: the page need not draw them a second time.
        stage.still = true;
        try {
            const film = await this.film(before.speed);
            if (film === null) {
                status.show("This browser cannot make films (WebM). Take a picture here, or make a film with: brunt export --format mp4", "problem");
            } else {
                download(film, `${this.name()}${hasModes(this.context) ? `-mode-${before.mode + 1}` : ""}.webm`);
                status.show("The film is saved");
            }
        } catch (error) {
            status.show(`The film could not be made: ${error instanceof Error ? error.message : String(error)}`, "problem");
        } finally {
            this.recording = false;
            this.element.hidden = true;
            stage.still = false;
            stage.invalidate();
            store.set({ time: before.time, playing: false });
        }
    }

    private async film(speed: number): Promise<Blob | null> {
        const { store, player } = this.context;
        const { start, end, times } = player;
        store.set({ playing: false, time: start });
        await this.settled();
        let picture = this.compose(false);
        const { width, height } = picture;
        const writer = await openFilm(width, height, RATE);
        if (writer === null) {
            return null;
        }
        const count = Math.min(Math.max(Math.round(((end - start) / speed) * RATE), 2), MOST);
        let drawn = frameAt(times, start);
        for (let k = 0; k < count && !this.stopWish; ++k) {
            const time = start + ((end - start) * k) / (count - 1);
            const frame = frameAt(times, time);
            // There are as many pictures as frames, however slowly the film goes.
            if (frame !== drawn) {
                drawn = frame;
                store.set({ time });
                await this.settled();
                picture = this.compose(false, width, height);
            }
            await writer.add(picture);
            this.bar.value = (k + 1) / count;
            setText(this.text, `Recording: ${Math.round((100 * (k + 1)) / count)} %`);
        }
        return writer.finish();
    }

    /** What is seen now, with what one needs to understand it: title, time, colour bar. */
    private compose(fine: boolean, width?: number, height?: number): HTMLCanvasElement {
        const { stage, store, player } = this.context;
        const { clientWidth, clientHeight } = stage.canvas;
        // As sharp as the screen, and even: films have no half pixels.
        const scale = Math.min(window.devicePixelRatio || 1, LARGEST / Math.max(clientWidth, clientHeight));
        const even = (size: number): number => Math.max(16, 2 * Math.round((size * scale) / 2));
        const { theme, time, mode } = store.get();
        const times = player.times;
        const spacing = times.length > 1 ? (player.end - player.start) / (times.length - 1) : 0;
        const label = hasModes(this.context) ? modeTitle(firstRun(this.context).modes, mode) : formatTime(time, timeDigits(spacing));
        const sheet: Sheet = {
            width: width ?? even(clientWidth), height: height ?? even(clientHeight), labels: [label], columns: 1,
            title: firstRun(this.context).title, scale: stage.scale(), theme, transparent: false,
        };
        return composePicture(sheet, [stage.snapshot({ ...panelSize(sheet), transparent: true, fine })]);
    }

    private async settled(): Promise<void> {
        const limit = performance.now() + LONGEST_WAIT;
        // Not the screen's next picture: a film is drawn apart, and a busy screen would only hold it up.
        do {
            await new Promise((done) => setTimeout(done, 0));
        } while (!(this.context.player.settled && this.range.settled) && performance.now() < limit);
    }

    private name(): string {
        const run = firstRun(this.context);
        return fileName(run.name === "" ? run.title : run.name);
    }
}
