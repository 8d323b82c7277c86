// The bar at the bottom: which moment is shown, and how time passes.

import { frameAt } from "../play/timeline";
import { formatNumber } from "../draw/numbers";
import type { LiveLink } from "../types";
import type { View } from "../view";
import { firstRun, hasModes, type Context } from "./context";
import { button, el, follow, onceAFrame, press, setIcon, setText } from "./dom";
import { formatSpeed, formatTime, timeDigits } from "./format";
import { modeTitle, phaseText } from "./modes";
import { seekFrame } from "./seek";
import { StageBands } from "./stage_bands";

const FIT_SECONDS = 8; // what the whole run takes at the speed "fit"
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
export const FIRST_RATE = 0.5; // periods of a mode a second
const SAME = 1e-3; // relative: a speed that went through text is still the same choice
const TICK_SPACE = 4; // [px] closer ticks are not drawn

/** Speed at which a run of this length is seen in a few seconds. */
export function fitSpeed(duration: number): number {
    return duration > 0 ? duration / FIT_SECONDS : 1;
}

/** Real time, unless a run would be over in a moment or take minutes. */
export function firstSpeed(duration: number): number {
    return duration >= 2 && duration <= 30 ? 1 : Number(fitSpeed(duration).toPrecision(6));
}

export class Timeline {
    readonly element: HTMLElement;
    private readonly scrub: HTMLInputElement;
    private readonly ticks = el("canvas", { class: "ticks", "aria-hidden": "true" });
    private readonly fill = el("div", { class: "track-fill" });
    private readonly play: HTMLButtonElement;
    private readonly time = el("span", { id: "time", class: "time" });
    private readonly frame = el("span", { id: "frame", class: "muted" });
    private readonly speed: HTMLSelectElement;
    private readonly newest: HTMLButtonElement | null;
    private readonly link: LiveLink | null;
    private readonly bands: StageBands;
    private playing: boolean | null = null;
    private digits = 3;
    private count = -1;

    constructor(private readonly context: Context) {
        const { player, store } = context;
        const run = firstRun(context);
        this.bands = new StageBands(context);
        this.link = context.sources.find((source) => source.live !== null)?.live ?? null;
        this.scrub = el("input", {
            id: "scrub", type: "range", class: "scrub", "aria-label": hasModes(context) ? "Phase" : "Time", step: "any",
            oninput: () => this.seek(Number(this.scrub.value)), onkeydown: (event: KeyboardEvent) => this.key(event),
        });
        this.play = button({ id: "play", label: "Play", key: "Space", icon: "play", class: "play", act: () => this.toggle() });
        const pace = hasModes(context) ? "Swings a second on the screen" : "Speed";
        this.speed = el("select", { id: "speed", class: "select", title: `${pace} ([ and ])`, "aria-label": pace, onchange: () => this.choose() });
        const loop = button({
            id: "loop", label: "Repeat", key: "L", icon: "loop", pressed: true,
            act: () => store.set({ loop: !store.get().loop }),
        });
        this.newest = run.live
            ? button({ id: "newest", label: "Follow the newest frame", text: "Newest", class: "chip-button", act: () => player.follow() })
            : null;
        const track = el("div", { class: "track" }, el("div", { class: "track-line" }, this.fill), this.ticks, this.scrub);
        this.element = el("footer", { class: run.live ? "timeline live" : "timeline", "aria-label": "Timeline" },
            el("div", { class: "transport", role: "group", "aria-label": "Playback" },
                button({ id: "first", label: "First frame", key: "Home", icon: "first", act: () => player.step(-1e9) }),
                button({ id: "previous", label: "Previous frame", key: ",", icon: "previous", act: () => player.step(-1) }),
                this.play,
                button({ id: "next", label: "Next frame", key: ".", icon: "next", act: () => player.step(1) }),
                button({ id: "last", label: "Last frame", key: "End", icon: "last", act: () => player.step(1e9) })),
            el("div", { class: "track-column" }, this.bands.element, track),
            el("div", { class: "moment" }, this.time, this.frame),
            el("div", { class: "pace" }, this.newest, this.speed, loop));
        // The end of a live run is not where it starts again; modes do nothing else.
        loop.hidden = run.live || hasModes(context);
        follow(store, ["time", "mode"], (view) => this.showTime(view));
        follow(store, ["playing"], (view) => this.showPlaying(view.playing));
        this.link?.onChange(onceAFrame(() => this.showPlaying(store.get().playing)));
        follow(store, ["loop"], (view) => press(loop, view.loop));
        follow(store, ["speed"], () => this.showSpeeds());
        follow(store, ["theme"], () => this.drawTicks());
        player.onFrame(onceAFrame(() => this.grown()));
        context.sources.forEach((source) => source.live?.onChange(onceAFrame(() => this.grown())));
        new ResizeObserver(() => this.drawTicks()).observe(track);
    }

    /** Plays what is recorded. Of a running simulation at its newest moment: pauses the simulation itself, as with a film that is live. */
    toggle(): void {
        const { player } = this.context;
        if (this.link !== null && player.following) {
            this.link.send(this.link.state?.running === true ? "pause" : "resume");
        } else {
            player.toggle();
        }
    }

    /** One choice up or down the list of speeds. */
    changeSpeed(direction: 1 | -1): void {
        const { speed } = this.context.store.get();
        const next = direction > 0
            ? SPEEDS.find((choice) => choice > speed * (1 + SAME))
            : SPEEDS.findLast((choice) => choice < speed * (1 - SAME));
        if (next !== undefined) {
            this.context.store.set({ speed: next });
            this.context.status.say(`Speed ${this.speedText(next)}`);
        }
    }

    private get fit(): number {
        const { player } = this.context;
        return Number(fitSpeed(player.end - player.start).toPrecision(6));
    }

    private speedText(speed: number): string {
        return hasModes(this.context) ? `${formatNumber(speed, 2)} / s` : formatSpeed(speed);
    }

    /** A moment in words. */
    private momentText(time: number): string {
        return hasModes(this.context) ? phaseText(time) : formatTime(time, this.digits);
    }

    private choose(): void {
        const chosen = this.speed.value === "fit" ? this.fit : Number(this.speed.value);
        this.context.store.set({ speed: chosen });
    }

    private showSpeeds(): void {
        const { speed } = this.context.store.get();
        const same = (choice: number): boolean => Math.abs(choice - speed) <= SAME * choice;
        const fit = this.fit;
        const fits = !hasModes(this.context);
        const choices = SPEEDS.some(same) || (fits && same(fit)) ? SPEEDS : [...SPEEDS, speed].sort((a, b) => a - b);
        const options = choices.map((choice) => el("option", { value: choice }, this.speedText(choice)));
        if (fits) {
            options.push(el("option", { value: "fit" }, `fit ${formatSpeed(fit)}`));
        }
        this.speed.replaceChildren(...options);
        const chosen = choices.find(same);
        this.speed.value = chosen === undefined ? "fit" : String(chosen);
    }

    private seek(time: number): void {
        seekFrame(this.context.player, time);
        // The handle sits on the frame that is shown, also where the time did not change.
        this.showTime(this.context.store.get());
    }

    private key(event: KeyboardEvent): void {
        const steps: Record<string, number> = {
            ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -1e9, End: 1e9,
        };
        const step = steps[event.key];
        if (step !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            event.stopPropagation();
            this.context.player.step(step);
        }
    }

    private grown(): void {
        const { times } = this.context.player;
        if (times.length === this.count) {
            return;
        }
        this.count = times.length;
        this.digits = timeDigits(this.spacing(times));
        this.showTime(this.context.store.get());
        this.showSpeeds();
        this.drawTicks();
        this.bands.update();
    }

    private spacing(times: readonly number[]): number {
        // Frames of a live run come as they like; all are at steps.
        const regular = times.length > 1 && this.link === null;
        return regular ? (times[times.length - 1]! - times[0]!) / (times.length - 1) : firstRun(this.context).step;
    }

    private showTime(view: Readonly<View>): void {
        const { player } = this.context;
        const span = player.end - player.start;
        if (Number(this.scrub.max) !== player.end || Number(this.scrub.min) !== player.start) {
            this.scrub.min = String(player.start);
            this.scrub.max = String(player.end);
        }
        this.scrub.value = String(view.time);
        this.scrub.disabled = player.times.length < 2;
        const part = span > 0 ? Math.min(Math.max((view.time - player.start) / span, 0), 1) : 0;
        this.fill.style.transform = `scaleX(${part})`;
        const frame = frameAt(player.times, view.time) + 1;
        const modes = hasModes(this.context), now = this.momentText(view.time);
        setText(this.time, modes ? modeTitle(firstRun(this.context).modes, view.mode) : `${now} / ${this.momentText(player.end)}`);
        setText(this.frame, modes ? `phase ${now}` : `frame ${frame} / ${player.times.length}`);
        this.scrub.setAttribute("aria-valuetext", modes ? `phase ${now}` : `${now}, frame ${frame} of ${player.times.length}`);
        if (this.newest !== null) {
            press(this.newest, player.following);
            this.showPlaying(view.playing);
        }
    }

    private showPlaying(wish: boolean): void {
        const playing = this.link !== null && this.context.player.following ? this.link.state?.running === true : wish;
        if (playing === this.playing) {
            return;
        }
        this.playing = playing;
        setIcon(this.play, playing ? "pause" : "play");
        this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
        this.play.title = `${playing ? "Pause" : "Play"} (Space)`;
        this.context.status.say(playing ? "Playing" : `Paused at ${this.momentText(this.context.store.get().time)}`);
    }

    /** A tick a frame, as far as there is room. */
    private drawTicks(): void {
        const { times, start, end } = this.context.player;
        const { clientWidth: width, clientHeight: height } = this.ticks;
        const ratio = window.devicePixelRatio;
        this.ticks.width = Math.round(width * ratio);
        this.ticks.height = Math.round(height * ratio);
        const pen = this.ticks.getContext("2d");
        if (pen === null || times.length < 2 || width === 0) {
            return;
        }
        pen.scale(ratio, ratio);
        pen.fillStyle = getComputedStyle(this.element).getPropertyValue("--tick");
        const every = Math.max(1, Math.ceil((TICK_SPACE * times.length) / width));
        for (let i = 0; i < times.length; i += every) {
            const x = ((times[i]! - start) / (end - start)) * (width - 1);
            pen.fillRect(x, 0, 1, i % (every * 10) === 0 ? height : height / 2);
        }
    }
}
