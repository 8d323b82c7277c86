// Everything that the person chose: one object, restorable from the URL's hash. Parts listen to it and never to each other.

export type Colour = string; // "body", or the name of a field, or "difference" on a compare page
export type Theme = "light" | "dark";
export type Projection = "perspective" | "parallel";

export interface Camera {
    position: [number, number, number];
    target: [number, number, number];
    up: [number, number, number];
    zoom: number;
    projection: Projection;
}

export interface Clip {
    axis: "x" | "y" | "z" | null;
    at: number; // 0 to 1 across the bodies' box
    flip: boolean;
}

/** A vertex whose value is shown all the time. */
export interface Pin {
    pane: number;
    vertex: number;
}

export interface View {
    time: number; // [s] the moment shown; of modes a part of the period
    playing: boolean;
    speed: number; // simulated seconds a second; 1 = real time; of modes: periods a second
    loop: boolean;
    colour: Colour;
    range: [number, number] | null; // locked range of the colour; null: over all frames
    follow: boolean; // the range is that of the frame shown: the page sets it anew with every frame
    most: boolean; // the range leaves out extremes: what 99 % of the vertices have; the page sets it
    contacts: boolean;
    arrows: { normal: boolean; friction: boolean }; // at contacts
    arrowScale: number;
    forcesOn: number | null; // body that the arrows act on; null: one of each pair
    wireframe: boolean;
    axes: boolean;
    clip: Clip;
    hidden: number[]; // bodies
    ghost: number[]; // bodies drawn transparent
    camera: Camera | null; // null: frame everything
    bookmarks: Camera[]; // at most 9, keys 1 to 9
    theme: Theme;
    panel: string | null; // open tab of the side panel
    plots: string[]; // series columns that are drawn
    pins: Pin[];
    overlay: boolean; // compare: the other runs as ghosts in each pane
    mode: number; // of a page with modes of vibration: the one shown
    amplitude: number; // its largest displacement, as a part of the bodies' size
}

export type Listener = (view: Readonly<View>, changed: ReadonlySet<keyof View>) => void;

/** A View that tells who listens what changed, once a microtask. */
export class Store {
    private listeners: Listener[] = [];
    private changed = new Set<keyof View>();

    constructor(private view: View) {}

    get(): Readonly<View> {
        return this.view;
    }

    set(change: Partial<View>): void {
        const keys = (Object.keys(change) as (keyof View)[]).filter((key) => change[key] !== this.view[key]);
        if (keys.length === 0) {
            return;
        }
        this.view = { ...this.view, ...change };
        if (this.changed.size === 0) {
            queueMicrotask(() => this.tell());
        }
        keys.forEach((key) => this.changed.add(key));
    }

    listen(listener: Listener): void {
        this.listeners.push(listener);
    }

    private tell(): void {
        const changed = this.changed;
        this.changed = new Set();
        this.listeners.forEach((listener) => listener(this.view, changed));
    }
}
