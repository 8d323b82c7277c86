// Half-spaces: in 3D a floor with a grid that fades away, in 2D a hatched half-plane.
import * as three from "three";
import type { Run } from "../types";
import { GLSL, type Shared } from "./material";
import { Shade } from "./shade";
import type { Box } from "./bounds";

const VERTEX = /* glsl */ `
    ${GLSL.COMMON}
    uniform mat4 viewMatrix, projectionMatrix;
    uniform vec3 uOrigin, uAlong, uAcross;
    uniform float uReach;
    in vec3 position;
    out vec2 vAt;
    out vec3 vPlace;
    void main() {
        vAt = position.xy * uReach;
        vPlace = uOrigin + vAt.x * uAlong + vAt.y * uAcross;
        gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
        // Behind everything that lies on it.
        gl_Position.z += 2e-5 * gl_Position.w;
    }
`;

const FLOOR = /* glsl */ `
    ${GLSL.COMMON}
    uniform vec3 uNormal;
    uniform vec2 uPhase;
    uniform float uStep, uReach, uSpan;
    uniform sampler2D uShade;
    in vec2 vAt;
    in vec3 vPlace;
    out vec4 outColour;
    ${GLSL.SUN}
    float shadow() {
        vec2 at = 0.5 + 0.5 * vAt / uSpan;
        if (at != clamp(at, 0.0, 1.0)) {
            return 0.0;
        }
        float near = textureLod(uShade, at, 1.5).r, wide = textureLod(uShade, at, 3.5).r, far = textureLod(uShade, at, 4.6).r;
        return 0.35 * near + 0.35 * wide + 0.3 * far;
    }
    float grid(vec2 p, float step) {
        vec2 q = p / step, w = max(fwidth(q), vec2(1e-6));
        vec2 d = abs(fract(q - 0.5) - 0.5) / w;
        // Lines closer than a few pixels become a tone.
        float calm = clamp(1.0 - 2.5 * max(w.x, w.y), 0.0, 1.0);
        return calm * (1.0 - clamp(min(d.x, d.y) / max(1.0, 0.75 * uPixel) , 0.0, 1.0));
    }
    void main() {
        float r = length(vAt) / uReach;
        float fade = 1.0 - smoothstep(0.25, 1.0, r);
        vec3 eye = uParallel > 0.5 ? uEye : normalize(uEye - vPlace);
        float facing = dot(uNormal, eye);
        float minor = grid(vAt + uPhase, uStep), major = grid(vAt + uPhase, 5.0 * uStep);
        vec3 paper = mix(vec3(0.905, 0.915, 0.930), vec3(0.165, 0.182, 0.205), uDark);
        vec3 ink = mix(vec3(0.62, 0.66, 0.72), vec3(0.36, 0.40, 0.46), uDark);
        vec3 colour = mix(paper, ink, max(0.45 * minor, 0.8 * major));
        float alpha = fade * fade * mix(0.12, 0.92, smoothstep(-0.02, 0.10, facing));
        colour *= 1.0 - mix(0.42, 0.5, uDark) * shadow();
        colour *= mix(mix(0.72, 0.6, uDark), 1.0, sunlight(vPlace, uNormal));
        outColour = vec4(colour, alpha);
    }
`;

const HATCH = /* glsl */ `
    ${GLSL.COMMON}
    uniform float uReach;
    in vec2 vAt;
    in vec3 vPlace;
    out vec4 outColour;
    void main() {
        if (vAt.y > 0.0) {
            discard;
        }
        float line = abs(fract((gl_FragCoord.x + gl_FragCoord.y) / (11.0 * uPixel)) - 0.5) * 11.0 * uPixel;
        float stripe = clamp(1.2 - line, 0.0, 1.0);
        vec3 paper = mix(vec3(0.925, 0.932, 0.942), vec3(0.150, 0.165, 0.185), uDark);
        vec3 ink = mix(vec3(0.78, 0.80, 0.83), vec3(0.25, 0.275, 0.31), uDark);
        vec3 edge = mix(vec3(0.30, 0.33, 0.37), vec3(0.62, 0.66, 0.71), uDark);
        float border = clamp(1.5 * uPixel + 0.5 + vAt.y / fwidth(vAt.y), 0.0, 1.0);
        outColour = vec4(mix(mix(paper, ink, stripe), edge, border), 1.0);
    }
`;

const REACH = 7; // [radii of the scene] to which a floor fades away
const LANDING = 4; // [radii of the scene]
const MOST_SHADES = 2; // more floors have no shadows on them: each costs a drawing

function gridStep(radius: number): number {
    const raw = radius / 4, power = 10 ** Math.floor(Math.log10(raw));
    return power * [1, 2, 5, 10].find((m) => m * power >= raw)!;
}

/** A frame along the half-space's face: where it is, two directions in it, its normal. */
interface Face {
    point: three.Vector3;
    along: three.Vector3;
    across: three.Vector3;
    normal: three.Vector3;
}

/** Null for what has no face. */
function faceOf(run: Run, number: number, position: Float32Array): Face | null {
    const body = run.bodies[number]!;
    const at = (vertex: number) => new three.Vector3().fromArray(position, 3 * vertex);
    if (run.dimension === 2) {
        if (body.edgeCount === 0) {
            return null;
        }
        const [a, b] = [at(run.edge[2 * body.edgeFirst]!), at(run.edge[2 * body.edgeFirst + 1]!)];
        // The solid is on the left of the edge.
        const along = b.clone().sub(a).normalize(), across = new three.Vector3(along.y, -along.x, 0);
        return { point: a, along, across, normal: across };
    }
    if (body.triCount === 0) {
        return null;
    }
    const [a, b, c] = [0, 1, 2].map((k) => at(run.tri[3 * body.triFirst + k]!)) as [three.Vector3, three.Vector3, three.Vector3];
    const normal = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
    // A level floor has its grid along x and y.
    const guide = Math.abs(normal.x) < 0.7 ? new three.Vector3(1, 0, 0) : new three.Vector3(0, 1, 0);
    const along = guide.addScaledVector(normal, -guide.dot(normal)).normalize();
    // Lines of a level floor go through the origin, and with the floor if that moves.
    const rest = new three.Vector3().fromArray(run.rest, 3 * run.tri[3 * body.triFirst]!);
    const point = Math.abs(normal.z) > 0.999 ? a.clone().sub(rest).setZ(a.z) : a;
    return { point, along, across: normal.clone().cross(along), normal };
}

/** Where points come down on half-spaces that are not far: a body that will fall lands there. [n][3] */
export function landings(run: Run, box: Box): Float32Array {
    const faces = run.bodies.flatMap((body, k) => (body.plane ? [faceOf(run, k, run.rest)] : [])).filter((face) => face !== null);
    const points = faces.flatMap((face) => box.corners().map((corner) => {
        const point = new three.Vector3(...corner), height = point.clone().sub(face.point).dot(face.normal);
        return height > 0 && height < LANDING * box.radius ? point.addScaledVector(face.normal, -height).toArray() : [];
    }));
    return Float32Array.from(points.flat());
}

class Plane {
    readonly mesh: three.Mesh;
    private readonly uniforms;
    private readonly least: number; // reach, however small the bodies' box gets
    private readonly shade: Shade | null;

    constructor(private readonly run: Run, readonly body: number, shared: Shared, box: Box) {
        const flat = run.dimension === 2;
        this.uniforms = {
            uOrigin: { value: new three.Vector3() }, uAlong: { value: new three.Vector3() }, uAcross: { value: new three.Vector3() },
            uNormal: { value: new three.Vector3() }, uPhase: { value: new three.Vector2() },
            uStep: { value: gridStep(box.radius) }, uReach: { value: 1 },
        };
        this.least = box.radius * (flat ? 60 : REACH);
        this.shade = flat ? null : new Shade(this.uniforms, shared);
        const geometry = new three.BufferGeometry();
        geometry.setAttribute("position", new three.BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
        geometry.setIndex([0, 1, 2, 0, 2, 3]);
        this.mesh = new three.Mesh(geometry, new three.RawShaderMaterial({
            glslVersion: three.GLSL3, uniforms: { ...shared, ...this.uniforms, ...this.shade?.uniforms }, vertexShader: VERTEX,
            fragmentShader: flat ? HATCH : FLOOR,
            side: three.DoubleSide, transparent: true, depthWrite: false, depthTest: !flat,
        }));
        this.mesh.frustumCulled = this.mesh.matrixAutoUpdate = false;
        this.mesh.renderOrder = flat ? -5 : 10;
    }

    move(position: Float32Array, box: Box): void {
        const face = faceOf(this.run, this.body, position);
        if (!face) {
            this.mesh.visible = false;
            return;
        }
        const { uOrigin, uAlong, uAcross, uNormal, uPhase, uStep, uReach } = this.uniforms;
        uReach.value = Math.max(this.least, REACH * box.radius);
        const middle = new three.Vector3(...box.centre);
        const height = middle.clone().sub(face.point).dot(face.normal);
        uOrigin.value.copy(middle).addScaledVector(face.normal, -height);
        uAlong.value.copy(face.along);
        uAcross.value.copy(face.across);
        uNormal.value.copy(face.normal);
        // Lines of the grid stay where they are when the patch's centre moves, and go with a half-space that moves.
        const shift = uOrigin.value.clone().sub(face.point), period = 5 * uStep.value;
        uPhase.value.set(shift.dot(face.along) % period, shift.dot(face.across) % period);
    }

    drawShade(renderer: three.WebGLRenderer, geometry: three.BufferGeometry, box: Box): void {
        this.shade?.draw(renderer, geometry, box, this.uniforms);
    }
}

export class Floor {
    readonly group = new three.Group();
    private readonly planes: Plane[];

    constructor(run: Run, shared: Shared, box: Box) {
        this.planes = run.bodies.flatMap((body, k) => (body.plane ? [new Plane(run, k, shared, box)] : []));
        this.planes.forEach((plane) => this.group.add(plane.mesh));
        this.move(run.rest, box);
    }

    /** box: around the bodies, with which the visible part of a floor goes. */
    move(position: Float32Array, box: Box): void {
        this.planes.forEach((plane) => plane.move(position, box));
    }

    /** Shadows of what the geometry holds, on all floors. */
    drawShades(renderer: three.WebGLRenderer, geometry: three.BufferGeometry, box: Box): void {
        this.planes.filter((plane) => plane.mesh.visible).slice(0, MOST_SHADES).forEach((plane) => plane.drawShade(renderer, geometry, box));
    }

    hide(hidden: readonly number[]): void {
        this.planes.forEach((plane) => (plane.mesh.visible = !hidden.includes(plane.body)));
    }
}
