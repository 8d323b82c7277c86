// The bar at the top: what is shown, and what can be taken away from it.

import { firstRun, hasModes, isCompare, type Context } from "./context";
import { button, el, follow, setIcon } from "./dom";
import { icon } from "./icons";
import type { Run } from "../types";

export interface TopbarActions {
    link(): void;
    screenshot(): void;
    record(): void;
    theme(): void;
    help(): void;
}

export function topbar(context: Context, actions: TopbarActions): HTMLElement {
    const run = firstRun(context);
    const compare = isCompare(context);
    const title = run.title === "" ? run.name : run.title;
    const chips = el("div", { class: "chips" });
    const chip = (text: string, hint: string, kind = ""): void => {
        chips.append(el("span", { class: `chip ${kind}`.trim(), title: hint }, text));
    };
    if (compare) {
        chip(`${context.runs.length} runs`, context.runs.map((other) => other.name).join(", "));
    } else {
        if (run.name !== title) {
            chip(run.name, "Folder of the run");
        }
        if (hasModes(context)) {
            chip(`${run.modes.length} modes`, "Modes of vibration about the shape at rest: without gravity, loads and contact");
        } else {
            chip(run.method, "Contact method");
        }
        if (run.dimension === 2) {
            chip("2D", "Plane strain");
        }
    }
    const kept = (other: Run): number => (hasModes(context) ? other.modes.length : other.times.length);
    const thinned = context.runs.find((other) => kept(other) < other.recorded);
    if (thinned !== undefined) {
        const reason = thinned.thinned ?? "the file ends too early: it was not copied or downloaded to its end";
        const count = `${kept(thinned)} of ${thinned.recorded} ${hasModes(context) ? "modes" : "frames"}`;
        chips.append(el("button", {
            type: "button", class: "chip warn", id: "thinned", title: reason, "aria-label": `${count}: ${reason}`,
            onclick: () => context.status.show(`${count}: ${reason}`),
        }, icon("warning"), el("span", {}, count)));
    }
    const theme = button({ id: "theme", label: "Light or dark", key: "T", icon: "sun", act: actions.theme });
    follow(context.store, ["theme"], (view) => setIcon(theme, view.theme === "dark" ? "sun" : "moon"));
    return el("header", { class: "topbar" },
        el("span", { class: "brand", "aria-hidden": "true" }, "brunt"),
        el("h1", { title: title }, title), chips, el("span", { class: "grow" }),
        el("div", { class: "actions", role: "toolbar", "aria-label": "Page" },
            button({ id: "copy-link", label: "Copy a link to this view", icon: "link", act: actions.link }),
            button({ id: "screenshot", label: "Save a picture", key: "P", icon: "camera", act: actions.screenshot }),
            button({ id: "record", label: hasModes(context) ? "Record a film of the mode" : "Record a film of the whole run", key: "R", icon: "record", act: actions.record }),
            theme,
            button({ id: "help", label: "Keys and help", key: "?", icon: "help", act: actions.help })));
}
