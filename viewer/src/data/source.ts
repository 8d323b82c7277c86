// Finds out where the page's data are: in its own file, behind a server, or a simulation that is going on.
import type { Source } from "../types";
import { spread } from "../play/timeline";
import { FrameCache } from "./cache";
import { EmbeddedSource } from "./embedded";
import { LiveSource } from "./live";
import { ModeSource } from "./modes";
import { DataError, Packet } from "./packet";
import { runOf } from "./run";
import { fetchBytes, ServerSource } from "./server";

const PATIENCE = 400; // [ms] for a look at some moments before the first picture
export const MOMENTS = 4; // frames that are looked at, also where each must be fetched
const BUDGET = 192e6; // [bytes] of decoded frames, of all runs together

export async function openSources(document: Document, location: Location): Promise<Source[]> {
    const sources = await findSources(document, location);
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    await Promise.race([patience, Promise.all(sources.map(survey))]);
    return sources;
}

/** Some frames from the first to the last. What goes wrong shows up again when they are wanted. */
async function survey(source: Source): Promise<void> {
    if (source instanceof ModeSource) {
        return source.survey();
    }
    await Promise.all(spread(source.run.times.length, MOMENTS).map(async (number) => {
        const frame = await source.frame(number).catch(() => null);
        if (frame) {
            source.run.moments.push(frame.position);
        }
    }));
}

async function findSources(document: Document, location: Location): Promise<Source[]> {
    const elements = [...document.querySelectorAll<HTMLScriptElement>('script[type="application/x-brunt"]')];
    if (elements.length > 0) {
        return Promise.all(elements.map((element) => EmbeddedSource.open(element.textContent ?? "", new FrameCache(BUDGET / elements.length))));
    }
    if (location.protocol === "file:") {
        throw new DataError("this page has no data in it: open a report.html that a run wrote, or use `brunt view`");
    }
    const run = runOf(new Packet(await fetchBytes("run")));
    const cache = new FrameCache(BUDGET);
    if (!run.live) {
        return [new ServerSource(run, cache)];
    }
    const address = new URL("live", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    return [new LiveSource(run, address.href, cache)];
}
