// The bodies of a run: one set of vertex buffers for all of them, one draw for what is solid, two for what is transparent. Hiding a body
// only changes which triangles are listed.
import * as three from "three";
import type { Body, Frame, Run } from "../types";
import { bodyColours, colourTable, mapOf, type MapName, type Rgb } from "./colours";
import { bodyBoxes, sceneBox, type Box, type Vec3 } from "./bounds";
import { Lines } from "./lines";
import { BODIES_A_ROW, ghostMaterial, otherMaterial, solidMaterial, wireMaterial, type Own, type Shared } from "./material";
import { isValued } from "./span";
import { bodyOfVertex, surfaceOf, vertexNormals, type Surface } from "./surface";

export interface Look {
    colour: string;
    range: [number, number];
    dark: boolean;
    hidden: readonly number[];
    ghost: readonly number[];
    wireframe: boolean;
    clipped: boolean; // a plane cuts everything
    cuts: ReadonlyMap<number, [number, number, number, number]>; // body: xyz . p > w is left out
    paint: ReadonlyMap<number, Rgb>; // instead of the palette's colours
}

function colourTexture(name: MapName): three.DataTexture {
    const texture = new three.DataTexture(colourTable(name) as Uint8Array<ArrayBuffer>, 256, 1, three.RGBAFormat);
    texture.minFilter = texture.magFilter = three.LinearFilter;
    texture.needsUpdate = true;
    return texture;
}

function bodyTexture(count: number): three.DataTexture {
    const width = 2 * Math.min(Math.max(count, 1), BODIES_A_ROW), height = Math.ceil(Math.max(count, 1) / BODIES_A_ROW);
    const texture = new three.DataTexture(new Float32Array(4 * width * height), width, height, three.RGBAFormat, three.FloatType);
    texture.needsUpdate = true;
    return texture;
}

export class Bodies {
    readonly group = new three.Group();
    boxes: Box[]; // of the frame that is shown
    position: Float32Array; // [vertices][3] as drawn

    private readonly surface: Surface;
    private readonly owner: Uint16Array; // body of each vertex
    readonly own: Own;
    private readonly maps = new Map<MapName, three.DataTexture>();
    private readonly attribute: Record<"position" | "normal" | "value" | "body", three.BufferAttribute>;
    private readonly solid: three.Mesh;
    private readonly ghosts: three.Mesh[];
    private readonly wire: three.LineSegments;
    private readonly lines: Lines;
    private readonly size: number;
    private shadowGeometry: three.BufferGeometry | null = null;
    private shadowLines: Lines | null = null;
    private shadowMaterials: three.RawShaderMaterial[] = [];
    private look: Look | null = null;
    private ghostOrder = "";

    constructor(readonly run: Run, private readonly shared: Shared) {
        this.surface = surfaceOf(run);
        const drawn = this.surface.source.length;
        const owner = this.owner = bodyOfVertex(run);
        this.boxes = bodyBoxes(run, run.rest);
        this.size = sceneBox(run, this.boxes).radius / Math.sqrt(Math.max(run.tri.length / 3, 1));
        this.position = run.rest;
        const dynamic = (array: Float32Array, size: number) => new three.BufferAttribute(array, size).setUsage(three.DynamicDrawUsage);
        this.attribute = {
            position: dynamic(new Float32Array(3 * drawn), 3),
            normal: dynamic(new Float32Array(3 * drawn), 3),
            value: dynamic(new Float32Array(drawn), 1),
            body: new three.BufferAttribute(Uint16Array.from(this.surface.source, (v) => owner[v]!), 1),
        };
        this.own = {
            uBodies: { value: bodyTexture(run.bodies.length) }, uMap: { value: this.map("values") }, uRange: { value: new three.Vector2() },
        };
        this.solid = new three.Mesh(this.geometry(), [solidMaterial(shared, this.own, false), solidMaterial(shared, this.own, true)]);
        const ghost = this.geometry();
        this.ghosts = [three.BackSide, three.FrontSide].map((side, k) => {
            const mesh = new three.Mesh(ghost, ghostMaterial(shared, this.own, side));
            mesh.renderOrder = 20 + k;
            return mesh;
        });
        this.wire = new three.LineSegments(this.geometry(), wireMaterial(shared, this.own, this.edgeLength()));
        this.wire.renderOrder = 5;
        this.lines = this.makeLines(() => true);
        this.lines.mesh.renderOrder = 6;
        for (const object of [this.solid, ...this.ghosts, this.wire, this.lines.mesh]) {
            object.frustumCulled = false;
            object.matrixAutoUpdate = false;
            this.group.add(object);
        }
        this.move(run.rest);
    }

    /** Bodies of this run as ghosts, to be shown over another one's. Obstacles are the same in all. */
    shadow(): three.Group {
        if (!this.shadowGeometry) {
            this.shadowGeometry = this.geometry();
            this.shadowMaterials = [three.BackSide, three.FrontSide].map((side) => otherMaterial(this.shared, this.own, side));
            this.shadowLines = this.makeLines((body) => body.type !== "static");
            this.fillShadow();
        }
        const group = new three.Group();
        this.shadowMaterials.forEach((material, k) => {
            const mesh = new three.Mesh(this.shadowGeometry!, material);
            mesh.frustumCulled = mesh.matrixAutoUpdate = false;
            mesh.renderOrder = 30 + k;
            group.add(mesh);
        });
        // Its edges are seen over bodies as well: there they are all that tells where it is.
        const { geometry, material } = this.shadowLines!.mesh;
        const lines = new three.Mesh(geometry, material);
        lines.frustumCulled = lines.matrixAutoUpdate = false;
        lines.renderOrder = 32;
        group.add(lines);
        return group;
    }

    setFrame(frame: Frame, values: Float32Array | null, exaggeration: number): void {
        let position = frame.position;
        if (exaggeration !== 1) {
            const rest = this.run.rest;
            position = position.map((x, i) => rest[i]! + exaggeration * (x - rest[i]!));
        }
        this.move(position);
        this.setValues(values);
    }

    /** A value a vertex; null: none are shown. */
    setValues(values: Float32Array | null): void {
        if (values) {
            const { source } = this.surface;
            const out = this.attribute.value.array as Float32Array;
            out.set(values);
            for (let i = values.length; i < source.length; i++) {
                out[i] = values[source[i]!]!;
            }
            this.attribute.value.needsUpdate = true;
        }
    }

    /** Triangles that are drawn solid. */
    get cast(): three.BufferGeometry {
        return this.solid.geometry;
    }

    castBox(): Box {
        const hidden = this.look ? [...this.look.hidden, ...this.look.ghost] : [];
        return sceneBox(this.run, this.boxes, hidden);
    }

    /** True if other triangles are drawn than before. */
    setLook(look: Look): boolean {
        const old = this.look;
        this.look = look;
        this.own.uMap.value = this.map(mapOf(look.colour));
        this.own.uRange.value.set(...look.range);
        const painted: (keyof Look)[] = ["colour", "dark", "cuts", "paint"];
        // Closed bodies show their inside only where they are cut.
        const rims = this.run.bodies.some((body, k) => !body.plane && this.surface.open[k] === 1);
        const open = rims || this.run.dimension === 2 || look.clipped || look.cuts.size > 0;
        (this.solid.material as three.Material[]).forEach((material) => (material.side = open ? three.DoubleSide : three.FrontSide));
        if (!old || painted.some((key) => old[key] !== look[key])) {
            this.paint(look);
        }
        if (!old || old.hidden !== look.hidden || old.ghost !== look.ghost || old.wireframe !== look.wireframe) {
            this.list(look);
            return true;
        }
        return false;
    }

    /** Transparent bodies from far to near. */
    sortGhosts(eye: Vec3): void {
        const ghost = this.look?.ghost ?? [];
        if (ghost.length < 2) {
            return;
        }
        const far = (body: number) => Math.hypot(...this.boxes[body]!.centre.map((x, k) => x - eye[k]!));
        const order = ghost.filter((body) => this.shows(body)).sort((a, b) => far(b) - far(a));
        if (order.join() !== this.ghostOrder) {
            this.ghostOrder = order.join();
            this.fillGhosts(order);
        }
    }

    private move(position: Float32Array): void {
        const { source, tri } = this.surface;
        this.position = position;
        const out = this.attribute.position.array as Float32Array;
        out.set(position);
        for (let i = position.length / 3; i < source.length; i++) {
            const from = 3 * source[i]!;
            out[3 * i] = position[from]!;
            out[3 * i + 1] = position[from + 1]!;
            out[3 * i + 2] = position[from + 2]!;
        }
        this.attribute.position.needsUpdate = true;
        if (this.run.dimension === 3) {
            vertexNormals(out, tri, this.size, this.attribute.normal.array as Float32Array);
            this.attribute.normal.needsUpdate = true;
        }
        this.boxes = bodyBoxes(this.run, position);
        this.lines.move(position);
        this.shadowLines?.move(position);
    }

    /** Sharp edges in 3D, outlines in 2D; not of half-spaces. */
    private makeLines(wanted: (body: Body) => boolean): Lines {
        const flat = this.run.dimension === 2;
        return new Lines(this.lineEnds(wanted), this.owner, this.shared, this.own, flat ? 1.5 : 1.1, flat ? 0.9 : 0.5);
    }

    private lineEnds(wanted: (body: Body) => boolean): Uint32Array {
        const { run, surface } = this;
        const parts = run.bodies.map((body, k) => {
            if (body.plane || !wanted(body)) {
                return [];
            }
            return run.dimension === 2 && body.edgeCount > 0
                ? [...run.edge.subarray(2 * body.edgeFirst, 2 * (body.edgeFirst + body.edgeCount))]
                : [...surface.creases.subarray(2 * surface.creaseFirst[k]!, 2 * surface.creaseFirst[k + 1]!)];
        });
        return Uint32Array.from(parts.flat());
    }

    private map(name: MapName): three.DataTexture {
        let map = this.maps.get(name);
        if (!map) {
            map = colourTexture(name);
            this.maps.set(name, map);
        }
        return map;
    }

    private geometry(): three.BufferGeometry {
        const geometry = new three.BufferGeometry();
        Object.entries(this.attribute).forEach(([name, attribute]) => geometry.setAttribute(name, attribute));
        return geometry;
    }

    private shows(body: number): boolean {
        return !this.run.bodies[body]!.plane && !this.look?.hidden.includes(body);
    }

    /** Which triangles and lines are drawn, and how. */
    private list(look: Look): void {
        const solid = this.bodies((body) => this.shows(body) && !look.ghost.includes(body));
        // Obstacles first: what moves is drawn by the second material.
        const [fixed, moving] = [true, false].map((still) => solid.filter((body) => (this.run.bodies[body]!.type === "static") === still)
            .map((body) => this.trianglesOf(body)));
        fill(this.solid.geometry, this.surface.tri.length, [...fixed!, ...moving!]);
        const split = fixed!.reduce((sum, part) => sum + part.length, 0);
        this.solid.geometry.clearGroups();
        this.solid.geometry.addGroup(0, split, 0);
        this.solid.geometry.addGroup(split, Infinity, 1);
        this.ghostOrder = "";
        this.fillGhosts(this.bodies((body) => this.shows(body) && look.ghost.includes(body)));
        this.wire.visible = look.wireframe;
        if (look.wireframe) {
            fill(this.wire.geometry, this.surface.edges.length, solid.map((body) => this.edgesOf(body)));
        }
        this.lines.list((body) => this.shows(body));
        this.lines.move(this.position);
        this.fillShadow();
    }

    private fillShadow(): void {
        if (this.shadowGeometry) {
            const moving = this.bodies((body) => this.shows(body) && this.run.bodies[body]!.type !== "static");
            fill(this.shadowGeometry, this.surface.tri.length, moving.map((body) => this.trianglesOf(body)));
            this.shadowLines!.list((body) => this.shows(body));
            this.shadowLines!.move(this.position);
        }
    }

    private fillGhosts(bodies: number[]): void {
        this.ghosts.forEach((mesh) => (mesh.visible = bodies.length > 0));
        if (bodies.length > 0) {
            fill(this.ghosts[0]!.geometry, this.surface.tri.length, bodies.map((body) => this.trianglesOf(body)));
        }
    }

    private paint(look: Look): void {
        const colours = bodyColours(this.run.bodies, look.dark);
        const data = this.own.uBodies.value.image.data as Float32Array;
        this.run.bodies.forEach((body, k) => {
            const kind = (isValued(body, look.colour) ? 1 : 0) + (this.surface.open[k] ? 2 : 0);
            data.set([...(look.paint.get(k) ?? colours[k]!), kind, ...(look.cuts.get(k) ?? [0, 0, 0, 1])], 8 * k);
        });
        this.own.uBodies.value.needsUpdate = true;
    }

    private trianglesOf(body: number): Uint32Array {
        const { triFirst, triCount } = this.run.bodies[body]!;
        return this.surface.tri.subarray(3 * triFirst, 3 * (triFirst + triCount));
    }

    private edgesOf(body: number): Uint32Array {
        const { edges, edgeFirst } = this.surface;
        return edges.subarray(2 * edgeFirst[body]!, 2 * edgeFirst[body + 1]!);
    }

    /** Mean over a sample of edges, at rest. */
    private edgeLength(): number {
        const { edges } = this.surface, { rest } = this.run, stride = 2 * Math.max(1, Math.floor(edges.length / 2000));
        let sum = 0, count = 0;
        for (let k = 0; k < edges.length; k += stride) {
            const a = 3 * edges[k]!, b = 3 * edges[k + 1]!;
            sum += Math.hypot(rest[b]! - rest[a]!, rest[b + 1]! - rest[a + 1]!, rest[b + 2]! - rest[a + 2]!);
            count += 1;
        }
        return sum / Math.max(count, 1);
    }

    private bodies(wanted: (body: number) => boolean): number[] {
        return this.run.bodies.map((_, k) => k).filter(wanted);
    }
}

/** Writes lists one after the other into a geometry's index, which has room for all of them. */
function fill(geometry: three.BufferGeometry, room: number, parts: Uint32Array[]): void {
    if (!geometry.index) {
        geometry.setIndex(new three.BufferAttribute(new Uint32Array(room), 1).setUsage(three.DynamicDrawUsage));
    }
    const index = geometry.index!;
    const count = parts.reduce((at, part) => ((index.array as Uint32Array).set(part, at), at + part.length), 0);
    index.needsUpdate = true;
    geometry.setDrawRange(0, count);
}
