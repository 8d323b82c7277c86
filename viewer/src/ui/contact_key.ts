// Beside the picture: what the marks and arrows at contacts mean, on which body the forces act, and how large they are.

import { actsOn } from "../draw/contacts";
import { formatValue } from "../draw/numbers";
import type { Context } from "./context";
import { el, follow, setText } from "./dom";

const NAMED = 4; // bodies

/** Bodies that the arrows of the frames shown act on. */
function bodiesActedOn({ runs, player, store }: Context): Set<string> {
    const names = new Set<string>();
    player.frames.forEach((frame, pane) => {
        const bodies = runs[pane]!.bodies, pairs = frame?.contacts.body ?? [];
        for (let k = 0; 2 * k < pairs.length; ++k) {
            const side = actsOn(bodies, pairs[2 * k]!, pairs[2 * k + 1]!, store.get().forcesOn);
            if (side !== null) {
                names.add(bodies[pairs[2 * k + side]!]?.name ?? "?");
            }
        }
    });
    return names;
}

export function contactKey(context: Context): HTMLElement | null {
    const { store, runs, player, stage } = context;
    if (!runs.some((run) => run.contacts)) {
        return null;
    }
    const on = el("span", { class: "key-on" });
    const longest = el("span", { class: "muted" });
    const arrow = (kind: string, text: string): HTMLElement => el("span", { class: `key-arrow ${kind}` }, text);
    const element = el("div", { id: "contact-key", class: "contact-key", role: "note" },
        el("span", { class: "legend" }, el("span", { class: "dot stick" }), "sticks", el("span", { class: "dot slip" }), "slips"),
        arrow("normal", "pushes"), arrow("friction", "rubs"), on, longest);
    const show = (): void => {
        const view = store.get();
        element.hidden = !view.contacts;
        if (!view.contacts) {
            return;
        }
        const names = bodiesActedOn(context);
        const listed = names.size <= NAMED ? [...names].join(", ") : "the first named of each pair";
        setText(on, names.size === 0 ? "no contact" : `forces on ${listed}`);
        on.title = "The tab Contacts names the pairs, and shows the forces on one body alone.";
        const force = stage.largestForce();
        setText(longest, force > 0 ? `longest arrow ${formatValue(force, "N", 3)}` : "");
    };
    follow(store, ["contacts", "forcesOn"], show);
    // After the stage has them.
    player.onFrame(() => queueMicrotask(show));
    return element;
}
