// Lines wider than the one pixel that WebGL offers: sharp edges and outlines of bodies.
import * as three from "three";
import { lineMaterial, type Own, type Shared } from "./material";

export class Lines {
    readonly mesh: three.Mesh;
    private readonly geometry = new three.InstancedBufferGeometry();
    private shown: Uint32Array; // numbers of the lines that are drawn
    private readonly from: three.InstancedBufferAttribute;
    private readonly to: three.InstancedBufferAttribute;
    private readonly owner: three.InstancedBufferAttribute;

    /** ends: [lines][2] vertices; owners: body of each vertex. */
    constructor(private readonly ends: Uint32Array, private readonly owners: Uint16Array, shared: Shared, own: Own, width: number, alpha: number) {
        const count = ends.length / 2;
        this.shown = Uint32Array.from({ length: count }, (_, k) => k);
        const dynamic = () => new three.InstancedBufferAttribute(new Float32Array(3 * count), 3).setUsage(three.DynamicDrawUsage);
        this.from = dynamic();
        this.to = dynamic();
        this.owner = new three.InstancedBufferAttribute(new Uint16Array(count), 1);
        this.geometry.setAttribute("position", new three.BufferAttribute(new Float32Array([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0]), 3));
        this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
        this.geometry.setAttribute("from", this.from);
        this.geometry.setAttribute("to", this.to);
        this.geometry.setAttribute("owner", this.owner);
        this.mesh = new three.Mesh(this.geometry, lineMaterial(shared, own, width, alpha));
    }

    /** Which bodies' lines are drawn. */
    list(wanted: (body: number) => boolean): void {
        const shown: number[] = [];
        for (let k = 0; k < this.ends.length / 2; k++) {
            const body = this.owners[this.ends[2 * k]!]!;
            if (wanted(body)) {
                this.owner.array[shown.length] = body;
                shown.push(k);
            }
        }
        this.shown = Uint32Array.from(shown);
        this.owner.needsUpdate = true;
        this.geometry.instanceCount = shown.length;
        this.mesh.visible = shown.length > 0;
    }

    move(position: Float32Array): void {
        const { ends, shown } = this;
        const from = this.from.array, to = this.to.array;
        for (let at = 0; at < shown.length; at++) {
            const k = shown[at]!, a = 3 * ends[2 * k]!, b = 3 * ends[2 * k + 1]!;
            for (let axis = 0; axis < 3; axis++) {
                from[3 * at + axis] = position[a + axis]!;
                to[3 * at + axis] = position[b + axis]!;
            }
        }
        this.from.needsUpdate = this.to.needsUpdate = true;
    }
}
