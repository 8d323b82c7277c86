// One run in the stage: its bodies, half-spaces, contacts, and ghosts of other runs.
import * as three from "three";
import type { Frame, Run } from "../types";
import { Bodies, type Look } from "./bodies";
import { Box, bodyBoxes, sceneBox } from "./bounds";
import { ContactMarks, largestForce, type Arrows } from "./contacts";
import { Floor } from "./floor";
import type { Shared } from "./material";

export class Pane {
    readonly scene = new three.Scene();
    readonly bodies: Bodies;
    readonly home: Box; // around the bodies at rest
    frame: Frame | null = null;
    values: Float32Array | null = null;

    private readonly floor: Floor;
    private readonly contacts: ContactMarks;
    private shaded = false; // shadows are those of what is drawn
    private overlay: three.Group | null = null;

    constructor(readonly run: Run, shared: Shared) {
        this.home = sceneBox(run, bodyBoxes(run, run.rest));
        this.bodies = new Bodies(run, shared);
        this.floor = new Floor(run, shared, this.home);
        this.contacts = new ContactMarks(shared, this.home.radius);
        this.scene.matrixAutoUpdate = false;
        this.scene.add(this.bodies.group, this.floor.group, this.contacts.group);
        this.scene.updateMatrixWorld(true);
        this.scene.matrixWorldAutoUpdate = false; // nothing has a place of its own
    }

    setFrame(frame: Frame | null, values: Float32Array | null, exaggeration: number): void {
        this.frame = frame;
        this.values = values;
        if (frame) {
            this.bodies.setFrame(frame, values, exaggeration);
            this.floor.move(this.bodies.position, this.box([]));
            this.shaded = false;
        }
    }

    /** Before the pane itself is drawn. */
    drawShades(renderer: three.WebGLRenderer): void {
        if (!this.shaded) {
            this.shaded = true;
            this.floor.drawShades(renderer, this.bodies.cast, this.bodies.castBox());
        }
    }

    /** What is cut away casts no shadow. */
    clipped(): void {
        this.shaded = false;
    }

    setValues(values: Float32Array | null): void {
        this.values = values;
        this.bodies.setValues(values);
    }

    setLook(look: Look, contacts: boolean): void {
        if (this.bodies.setLook(look)) {
            this.shaded = false;
        }
        this.floor.hide(look.hidden);
        this.contacts.group.visible = contacts && this.frame !== null;
    }

    /** largest: the force of the longest arrow [N], the same in all panes. */
    setArrows(arrows: Arrows, largest: number): void {
        if (this.frame) {
            this.contacts.set(this.frame.contacts, this.run.bodies, arrows, largest);
        }
    }

    largestForce(wanted: number | null): number {
        return this.frame ? largestForce(this.frame.contacts, this.run.bodies, wanted) : 0;
    }

    /** Ghosts of other runs; none: empty list. */
    setOverlay(others: readonly Pane[]): void {
        if (this.overlay) {
            this.scene.remove(this.overlay);
            this.overlay = null;
        }
        if (others.length > 0) {
            this.overlay = new three.Group();
            this.overlay.add(...others.map((other) => other.bodies.shadow()));
            this.scene.add(this.overlay);
        }
    }

    /** Around what is seen now. */
    box(hidden: readonly number[]): Box {
        return sceneBox(this.run, this.bodies.boxes, hidden);
    }
}
