// How a run's triangles hang together: vertices split where the surface has a crease, so that smooth parts are shaded smoothly and
// edges stay sharp; edges, each once; edges of creases and rims.
import type { Run } from "../types";

const CREASE = Math.cos((40 * Math.PI) / 180);

export interface Surface {
    source: Uint32Array; // vertex of the run that a drawn vertex stands for; the first ones are the run's own, in order
    tri: Uint32Array; // [triangles][3] of drawn vertices
    creases: Uint32Array; // [edges][2] of the run's vertices: sharp edges and rims
    creaseFirst: Uint32Array; // [bodies + 1]: where a body's creases start
    edges: Uint32Array; // [edges][2]: all edges of triangles, once
    edgeFirst: Uint32Array; // [bodies + 1]
    open: Uint8Array; // [bodies]: 1 if the surface has a rim, so that its inside can be seen
}

/** Unit normals of triangles; zero where a triangle is none. */
function faceNormals(position: Float32Array, tri: Uint32Array): Float32Array {
    const out = new Float32Array(tri.length);
    for (let t = 0; t < tri.length; t += 3) {
        const a = 3 * tri[t]!, b = 3 * tri[t + 1]!, c = 3 * tri[t + 2]!;
        const ux = position[b]! - position[a]!, uy = position[b + 1]! - position[a + 1]!, uz = position[b + 2]! - position[a + 2]!;
        const vx = position[c]! - position[a]!, vy = position[c + 1]! - position[a + 1]!, vz = position[c + 2]! - position[a + 2]!;
        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        const length = Math.sqrt(x * x + y * y + z * z) || 1;
        out[t] = x / length;
        out[t + 1] = y / length;
        out[t + 2] = z / length;
    }
    return out;
}

/** Half-edges (number 3 t + k goes from corner k of triangle t to the next one), grouped by their lower vertex. */
function halfEdges(tri: Uint32Array, vertices: number): { first: Uint32Array; half: Uint32Array; far: Uint32Array } {
    const first = new Uint32Array(vertices + 1);
    const next = (h: number) => (h % 3 === 2 ? h - 2 : h + 1);
    for (let h = 0; h < tri.length; h++) {
        first[Math.min(tri[h]!, tri[next(h)]!) + 1]! += 1;
    }
    for (let v = 0; v < vertices; v++) {
        first[v + 1]! += first[v]!;
    }
    const place = first.slice(0, vertices);
    const half = new Uint32Array(tri.length), far = new Uint32Array(tri.length);
    for (let h = 0; h < tri.length; h++) {
        const a = tri[h]!, b = tri[next(h)]!;
        const at = place[Math.min(a, b)]!++;
        half[at] = h;
        far[at] = Math.max(a, b);
    }
    return { first, half, far };
}

class Union {
    readonly parent: Uint32Array;

    constructor(count: number) {
        this.parent = Uint32Array.from({ length: count }, (_, i) => i);
    }

    root(i: number): number {
        const parent = this.parent;
        while (parent[i] !== i) {
            parent[i] = parent[parent[i]!]!;
            i = parent[i]!;
        }
        return i;
    }

    join(a: number, b: number): void {
        const p = this.root(a), q = this.root(b);
        this.parent[Math.max(p, q)] = Math.min(p, q);
    }
}

function perBody(pairs: number[], bodyOf: (vertex: number) => number, bodies: number): { list: Uint32Array; first: Uint32Array } {
    const first = new Uint32Array(bodies + 1);
    for (let k = 0; k < pairs.length; k += 2) {
        first[bodyOf(pairs[k]!) + 1]! += 1;
    }
    for (let b = 0; b < bodies; b++) {
        first[b + 1]! += first[b]!;
    }
    const place = first.slice(0, bodies);
    const list = new Uint32Array(pairs.length);
    for (let k = 0; k < pairs.length; k += 2) {
        const at = place[bodyOf(pairs[k]!)]!++;
        list[2 * at] = pairs[k]!;
        list[2 * at + 1] = pairs[k + 1]!;
    }
    return { list, first };
}

export function bodyOfVertex(run: Run): Uint16Array {
    const out = new Uint16Array(run.rest.length / 3);
    run.bodies.forEach((body, k) => out.fill(k, body.vertexFirst, body.vertexFirst + body.vertexCount));
    return out;
}

export function surfaceOf(run: Run): Surface {
    const { tri, rest } = run;
    const vertices = rest.length / 3;
    const normal = faceNormals(rest, tri);
    const { first, half, far } = halfEdges(tri, vertices);
    const next = (h: number) => (h % 3 === 2 ? h - 2 : h + 1);
    const corners = new Union(tri.length);
    const edges: number[] = [], creases: number[] = [], owner = bodyOfVertex(run), open = new Uint8Array(run.bodies.length);
    for (let v = 0; v < vertices; v++) {
        for (let i = first[v]!; i < first[v + 1]!; i++) {
            const h = half[i]!;
            let twin = -1, seen = false;
            for (let j = first[v]!; j < first[v + 1]!; j++) {
                if (j !== i && far[j] === far[i]) {
                    seen ||= j < i;
                    twin = half[j]!;
                }
            }
            if (seen) {
                continue;
            }
            edges.push(v, far[i]!);
            if (twin < 0) {
                open[owner[v]!] = 1;
            }
            const s = 3 * Math.floor(h / 3), t = 3 * Math.floor(twin / 3);
            const smooth = twin >= 0 && normal[s]! * normal[t]! + normal[s + 1]! * normal[t + 1]! + normal[s + 2]! * normal[t + 2]! > CREASE;
            if (!smooth) {
                creases.push(v, far[i]!);
                continue;
            }
            // The two triangles share the corners at both ends of the edge; they may run along it in the same direction.
            const same = tri[h] === tri[twin];
            corners.join(h, same ? twin : next(twin));
            corners.join(next(h), same ? next(twin) : twin);
        }
    }
    return { ...split(tri, corners, vertices), ...listed(run, owner, edges, creases), open };
}

/** One drawn vertex for every smooth group of corners: the first group of a vertex is the vertex itself. */
function split(tri: Uint32Array, corners: Union, vertices: number): { source: Uint32Array; tri: Uint32Array } {
    const owner = new Int32Array(vertices).fill(-1); // group that has the vertex's own number
    const drawn = new Int32Array(tri.length).fill(-1); // of a group, by its root
    const extra: number[] = [];
    const out = new Uint32Array(tri.length);
    for (let h = 0; h < tri.length; h++) {
        const root = corners.root(h), vertex = tri[h]!;
        if (drawn[root] === -1) {
            if (owner[vertex] === -1) {
                owner[vertex] = root;
                drawn[root] = vertex;
            } else {
                drawn[root] = vertices + extra.length;
                extra.push(vertex);
            }
        }
        out[h] = drawn[root]!;
    }
    const source = new Uint32Array(vertices + extra.length);
    for (let v = 0; v < vertices; v++) {
        source[v] = v;
    }
    source.set(extra, vertices);
    return { source, tri: out };
}

function listed(run: Run, owner: Uint16Array, edges: number[], creases: number[]): Pick<Surface, "edges" | "edgeFirst" | "creases" | "creaseFirst"> {
    const all = perBody(edges, (v) => owner[v]!, run.bodies.length);
    const sharp = perBody(creases, (v) => owner[v]!, run.bodies.length);
    return { edges: all.list, edgeFirst: all.first, creases: sharp.list, creaseFirst: sharp.first };
}

/** Area-weighted normals of the drawn vertices; shaders make them unit. size: of the scene, so that tiny scenes do not underflow. */
export function vertexNormals(position: Float32Array, tri: Uint32Array, size: number, out: Float32Array): void {
    const rate = 1 / size;
    out.fill(0);
    for (let t = 0; t < tri.length; t += 3) {
        const a = 3 * tri[t]!, b = 3 * tri[t + 1]!, c = 3 * tri[t + 2]!;
        const px = position[a]!, py = position[a + 1]!, pz = position[a + 2]!;
        const ux = rate * (position[b]! - px), uy = rate * (position[b + 1]! - py), uz = rate * (position[b + 2]! - pz);
        const vx = rate * (position[c]! - px), vy = rate * (position[c + 1]! - py), vz = rate * (position[c + 2]! - pz);
        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        out[a]! += x;
        out[a + 1]! += y;
        out[a + 2]! += z;
        out[b]! += x;
        out[b + 1]! += y;
        out[b + 2]! += z;
        out[c]! += x;
        out[c + 1]! += y;
        out[c + 2]! += z;
    }
}
