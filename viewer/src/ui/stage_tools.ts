// Knobs above the picture: where the camera looks from.

import type { Axis } from "../draw/stage";
import type { Camera } from "../view";
import type { Context } from "./context";
import { button, el, follow, press, setIcon } from "./dom";
import type { IconName } from "./icons";

const VIEWS: [Axis, string][] = [["+x", "+x"], ["+y", "+y"], ["+z", "+z"], ["-x", "−x"], ["-y", "−y"], ["-z", "−z"], ["iso", "Iso"]];
const BOOKMARKS = 9;

/** A button with a sheet beside it that closes by itself. */
class Popover {
    readonly element: HTMLElement;
    readonly knob: HTMLButtonElement;
    readonly sheet: HTMLElement;

    constructor(knob: HTMLButtonElement, sheet: HTMLElement, private readonly opened: () => void) {
        this.knob = knob;
        this.sheet = sheet;
        this.element = el("div", { class: "popover" }, knob, sheet);
        knob.setAttribute("aria-haspopup", "true");
        knob.addEventListener("click", () => this.open(sheet.hidden !== false));
        this.open(false);
        document.addEventListener("pointerdown", (event) => {
            if (!this.element.contains(event.target as Node)) {
                this.open(false);
            }
        });
        this.element.addEventListener("keydown", (event) => {
            if (event.key === "Escape" && !sheet.hidden) {
                event.stopPropagation();
                this.open(false);
                knob.focus();
            }
        });
        this.element.addEventListener("focusout", (event) => {
            if (event.relatedTarget !== null && !this.element.contains(event.relatedTarget as Node)) {
                this.open(false);
            }
        });
    }

    open(on: boolean): void {
        this.sheet.hidden = !on;
        this.knob.setAttribute("aria-expanded", String(on));
        if (on) {
            this.opened();
        }
    }

    show(): void {
        this.open(true);
        this.sheet.querySelector("button")?.focus();
    }
}

export class StageTools {
    readonly element: HTMLElement;
    readonly views: Popover;
    private readonly marks: Popover;
    private readonly list = el("div", { class: "bookmark-list" });

    constructor(private readonly context: Context) {
        const { stage, store } = context;
        const axes = el("div", { class: "sheet views-sheet", role: "group", "aria-label": "Look along an axis" },
            ...VIEWS.map(([axis, text]) => button({
                label: axis === "iso" ? "Look from a corner" : `Look from ${text}`, text, class: "view-button", act: () => stage.look(axis),
            })));
        const knob = (id: string, label: string, icon: IconName, key?: string): HTMLButtonElement =>
            button({ id, label, icon, act: () => undefined, ...(key === undefined ? {} : { key }) });
        this.views = new Popover(knob("views", "Views along the axes", "views", "V"), axes, () => undefined);
        const sheet = el("div", { class: "sheet bookmarks-sheet", role: "group", "aria-label": "Bookmarks of the camera" }, this.list,
            button({
                id: "bookmark-save", label: "Keep this view as a bookmark", text: "Keep this view", icon: "plus", class: "small", act: () => this.save(),
            }));
        this.marks = new Popover(knob("bookmarks", "Bookmarks of the camera", "bookmark"), sheet, () => this.fill());
        const projection = button({
            id: "projection", label: "Parallel projection", key: "M", icon: "perspective", pressed: false,
            act: () => this.flipProjection(),
        });
        this.element = el("div", { class: "stage-tools", role: "toolbar", "aria-label": "Camera", "aria-orientation": "vertical" },
            button({ id: "frame-all", label: "Frame everything", key: "F", icon: "frame", act: () => stage.frameAll() }),
            this.views.element, this.marks.element, projection,
            button({ id: "zoom-in", label: "Zoom in", key: "+", icon: "plus", act: () => stage.zoom(1.25) }),
            button({ id: "zoom-out", label: "Zoom out", key: "−", icon: "minus", act: () => stage.zoom(0.8) }));
        follow(store, ["bookmarks"], () => this.fill());
        follow(store, ["camera"], () => {
            const parallel = stage.camera().projection === "parallel";
            press(projection, parallel);
            setIcon(projection, parallel ? "parallel" : "perspective");
        });
    }

    flipProjection(): void {
        const { stage } = this.context;
        stage.setProjection(stage.camera().projection === "parallel" ? "perspective" : "parallel");
    }

    /** slot: 0 to 8, or the next free one. */
    save(slot?: number): void {
        const { stage, store, status } = this.context;
        const bookmarks = [...store.get().bookmarks];
        const place = Math.min(slot ?? bookmarks.length, bookmarks.length, BOOKMARKS - 1);
        bookmarks[place] = stage.camera();
        store.set({ bookmarks });
        status.show(`View kept as bookmark ${place + 1}: key ${place + 1} brings it back`);
    }

    recall(slot: number): void {
        const { store, status } = this.context;
        const camera: Camera | undefined = store.get().bookmarks[slot];
        if (camera === undefined) {
            status.show(`There is no bookmark ${slot + 1} yet: Shift + ${slot + 1} keeps this view`);
        } else {
            store.set({ camera });
        }
    }

    private fill(): void {
        const { store } = this.context;
        const { bookmarks } = store.get();
        this.list.replaceChildren(...bookmarks.map((mark, i) => el("div", { class: "row" },
            button({ label: `Go to bookmark ${i + 1}`, text: `View ${i + 1}`, class: "small grow", act: () => store.set({ camera: mark }) }),
            button({
                label: `Remove bookmark ${i + 1}`, icon: "close", class: "quiet",
                act: () => store.set({ bookmarks: bookmarks.filter((_, k) => k !== i) }),
            }))));
        if (bookmarks.length === 0) {
            this.list.append(el("p", { class: "hint" }, "Keys 1 to 9 go to a kept view, Shift + digit keeps one."));
        }
    }
}
