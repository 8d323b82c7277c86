// Where the page starts: opens the data, builds stage, player and shell, and keeps the address in step with the view.

import { openSources } from "./data/source";
import { Stage } from "./draw/stage";
import { writeHash, readHash, type Limits } from "./hash";
import { metrics } from "./play/metrics";
import { Player } from "./play/player";
import { pictureWish, shoot } from "./shoot";
import { storyOf } from "./story";
import type { Run, Source } from "./types";
import { missingFeature, showFailure } from "./ui/failure";
import { colourChoices } from "./ui/fields";
import { el } from "./ui/dom";
import type { RangeKeeper } from "./ui/range";
import { Shell, tabNames } from "./ui/shell";
import { Status } from "./ui/status";
import { PlotsTab } from "./ui/tab_plots";
import { firstSpeed } from "./ui/timeline";
import { Store, type View } from "./view";

const REMEDY = "If the file was copied or downloaded, it may be incomplete: fetch it again, or write it anew with brunt export --format html.";
const ADDRESS_EVERY = 300; // [ms] browsers refuse more than about a hundred changes in half a minute

declare global {
    interface Window {
        /** For who looks under the hood with the browser's console, and for the tests: not an interface that is kept stable. */
        brunt?: { store: Store; stage: Stage; player: Player; sources: Source[]; metrics: typeof metrics; range: RangeKeeper };
    }
}

function firstView(runs: readonly Run[]): View {
    const first = runs[0]!;
    const duration = Math.max(...runs.map((run) => (run.times.at(-1) ?? 0) - (run.times[0] ?? 0)), 0);
    const narrow = matchMedia("(max-width: 720px)").matches;
    return {
        ...storyOf(runs), playing: false, speed: first.live ? 1 : firstSpeed(duration), loop: true,
        range: null, follow: false, contacts: false, arrows: { normal: true, friction: true }, arrowScale: 1, forcesOn: null,
        wireframe: false, axes: true, clip: { axis: null, at: 0.5, flip: false }, hidden: [], ghost: [], camera: null, bookmarks: [],
        theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
        panel: narrow ? null : first.live ? "live" : runs.length > 1 ? "compare" : first.study !== null ? "study" : "colours",
        plots: PlotsTab.first(runs), pins: [], overlay: false,
    };
}

function limitsOf(runs: readonly Run[]): Limits {
    return {
        bodies: Math.max(...runs.map((run) => run.bodies.length)), vertices: runs.map((run) => run.rest.length / 3),
        colours: colourChoices(runs).filter((choice) => choice.missing === null).map((choice) => choice.name),
        panels: tabNames(runs),
        start: Math.min(...runs.map((run) => run.times[0] ?? 0)), end: Math.max(...runs.map((run) => run.times.at(-1) ?? 0)),
        live: runs.some((run) => run.live),
    };
}

/** The address says what is seen, a little later than it is seen. */
function keepAddress(store: Store, start: View, runs: readonly Run[]): void {
    let timer = 0;
    const live = runs.some((run) => run.live);
    store.listen((view) => {
        // A playing time would change it all the time, and nobody copies that.
        if (timer === 0 && !view.playing) {
            timer = window.setTimeout(() => {
                timer = 0;
                try {
                    // The moment of a live run is gone for whoever opens the address.
                    const shown = live ? { ...store.get(), time: start.time } : store.get();
                    history.replaceState(null, "", writeHash(shown, start) || location.pathname + location.search);
                } catch {
                    // Some browsers do not allow it for files: the page works without.
                }
            }, ADDRESS_EVERY);
        }
    });
    addEventListener("hashchange", () => store.set({ ...start, ...readHash(location.hash, limitsOf(runs)) }));
}

function build(sources: Source[]): void {
    const runs = sources.map((source) => source.run);
    const start = firstView(runs);
    const store = new Store({ ...start, ...readHash(location.hash, limitsOf(runs)) });
    document.documentElement.dataset["theme"] = store.get().theme;
    const host = el("div", {
        id: "stage", class: "stage", tabindex: "0", role: "application",
        "aria-label": "Picture of the bodies. Arrow keys turn it, H lists all keys.",
    });
    const app = el("div", { id: "app" });
    document.body.append(app);
    app.append(host);
    const stage = new Stage(host, store, runs);
    const player = new Player(sources, store);
    const status = new Status();
    const shell = new Shell({ store, sources, runs, stage, player, status }, app, host);
    // The camera frames everything when the first frames come: not before the stage has its size.
    const sized = new ResizeObserver(() => {
        sized.disconnect();
        player.onFrame((frames) => stage.setFrames(frames));
    });
    sized.observe(host);
    player.onError((message) => status.show(message, "problem"));
    keepAddress(store, start, runs);
    window.brunt = { store, stage, player, sources, metrics, range: shell.range };
}

/** Pictures for `brunt export`: a page without a shell. */
async function takePictures(wish: URLSearchParams): Promise<void> {
    const host = el("div", { class: "stage" });
    document.body.append(host);
    await shoot(host, () => {
        const missing = missingFeature();
        return missing === null ? openSources(document, location) : Promise.reject(new Error(missing));
    }, wish);
}

async function main(): Promise<void> {
    document.documentElement.dataset["theme"] = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const loading = el("div", { id: "loading", role: "status" }, "Reading the run …");
    document.body.append(loading);
    // The script stands before the data: a file that is cut off still says so.
    if (document.readyState === "loading") {
        await new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
    }
    const wish = pictureWish(location.hash);
    if (wish !== null) {
        loading.remove();
        await takePictures(wish);
        return;
    }
    const missing = missingFeature();
    if (missing !== null) {
        showFailure("This page cannot be drawn here", missing);
        return;
    }
    try {
        const sources = await openSources(document, location);
        loading.remove();
        build(sources);
    } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        showFailure("This run cannot be shown", text, /damaged|no data/.test(text) && location.protocol === "file:" ? REMEDY : undefined);
    }
}

void main();
