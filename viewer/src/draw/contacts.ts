// Contact points: a mark that tells sticking from slipping by colour and by shape, and arrows of the forces on one of the two bodies. All
// are turned to the camera in the shader; what a body hides shows through faintly, since contacts lie between bodies.
import * as three from "three";
import type { Body, Contacts } from "../types";
import { GLSL, type Shared } from "./material";

const HIDDEN = 0.3;
const MOST = 20000; // contacts that are drawn

// One instance an arrow: seven corners in the plane of the arrow and the eye.
const ARROW_VERTEX = /* glsl */ `
    ${GLSL.COMMON}
    uniform mat4 viewMatrix, projectionMatrix;
    uniform float uGrow;
    in vec3 position; // x: across in widths, y: 0 tail, 1 neck, 2 tip
    in vec3 place;
    in vec3 force; // as long as the arrow
    in float kind;
    out float vSide;
    flat out float vKind;
    void main() {
        float size = length(force);
        vec3 along = size > 0.0 ? force / size : vec3(0.0, 0.0, 1.0);
        vec3 eye = uParallel > 0.5 ? uEye : normalize(uEye - place);
        vec3 across = cross(along, eye);
        across = length(across) > 1e-4 ? normalize(across) : normalize(cross(along, vec3(0.3, 0.5, 0.8)));
        // Widths of the shaft in pixels, thinner for short arrows.
        vec4 clip = projectionMatrix * viewMatrix * vec4(place, 1.0);
        float pixel = 2.0 * clip.w / (uSize.y * projectionMatrix[1][1]) * uPixel;
        float width = min(1.1 * pixel, 0.10 * size) + uGrow * pixel;
        float head = min(9.0 * pixel, 0.45 * size);
        float y = position.y < 0.5 ? -uGrow * pixel : position.y < 1.5 ? size - head - uGrow * pixel : size + 1.8 * uGrow * pixel;
        float wing = position.y < 1.5 && abs(position.x) > 1.5 ? min(3.6 * pixel, 0.24 * size) + 1.5 * uGrow * pixel : width;
        float x = position.y > 1.5 ? 0.0 : sign(position.x) * wing;
        vKind = kind;
        vSide = position.x;
        gl_Position = projectionMatrix * viewMatrix * vec4(place + y * along + x * across, 1.0);
    }
`;

const ARROW_FRAGMENT = /* glsl */ `
    ${GLSL.COMMON}
    uniform float uAlpha, uGrow;
    flat in float vKind;
    out vec4 outColour;
    void main() {
        vec3 pushing = mix(vec3(0.10, 0.32, 0.80), vec3(0.47, 0.70, 1.0), uDark);
        vec3 rubbing = mix(vec3(0.80, 0.10, 0.42), vec3(1.0, 0.50, 0.74), uDark);
        vec3 halo = mix(vec3(1.0), vec3(0.06, 0.07, 0.09), uDark);
        outColour = vec4(uGrow > 0.0 ? halo : vKind < 0.5 ? pushing : rubbing, uAlpha);
    }
`;

const POINT_VERTEX = /* glsl */ `
    ${GLSL.COMMON}
    uniform mat4 viewMatrix, projectionMatrix;
    in vec3 position;
    in float stick;
    flat out float vStick;
    void main() {
        vStick = stick;
        gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
        gl_Position.z -= 1e-4 * gl_Position.w;
        gl_PointSize = 11.0 * uPixel;
    }
`;

const POINT_FRAGMENT = /* glsl */ `
    ${GLSL.COMMON}
    uniform float uAlpha;
    flat in float vStick;
    out vec4 outColour;
    void main() {
        vec2 p = (gl_PointCoord - 0.5) * 11.0;
        // A disc sticks, a diamond with a hole slips.
        float edge = vStick > 0.5 ? length(p) : (abs(p.x) + abs(p.y)) * 0.82;
        float soft = 0.7 / uPixel;
        float cover = 1.0 - smoothstep(4.6 - soft, 4.6 + soft, edge);
        float core = 1.0 - smoothstep(3.3 - soft, 3.3 + soft, edge);
        float hole = vStick > 0.5 ? 0.0 : 1.0 - smoothstep(1.3 - soft, 1.3 + soft, edge);
        vec3 stick = mix(vec3(0.02, 0.50, 0.38), vec3(0.30, 0.86, 0.66), uDark);
        vec3 slip = mix(vec3(0.88, 0.42, 0.02), vec3(1.0, 0.66, 0.25), uDark);
        vec3 halo = mix(vec3(1.0), vec3(0.06, 0.07, 0.09), uDark);
        vec3 colour = mix(halo, vStick > 0.5 ? stick : slip, core - hole);
        if (cover < 0.02) {
            discard;
        }
        outColour = vec4(colour, cover * uAlpha);
    }
`;

/** Colours of the legend, the same as in the shaders. */
export const CONTACT_COLOURS = {
    light: { stick: "rgb(5, 128, 97)", slip: "rgb(224, 107, 5)", normal: "rgb(26, 82, 204)", friction: "rgb(204, 26, 107)" },
    dark: { stick: "rgb(77, 219, 168)", slip: "rgb(255, 168, 64)", normal: "rgb(120, 179, 255)", friction: "rgb(255, 128, 189)" },
};

/** Which arrows, and how long: a scale below 0 means logarithmic lengths. */
export interface Arrows {
    scale: number;
    normal: boolean;
    friction: boolean;
    on: number | null; // body whose contacts are drawn; null: all
}

/** Which body of a contact the arrow acts on, 0 or 1: the wanted one; of two bodies the one that is no obstacle, or else the later of the
 * scene, which usually lies on the other. null: the contact is not of the wanted body. */
export function actsOn(bodies: readonly Body[], first: number, second: number, wanted: number | null): 0 | 1 | null {
    if (wanted !== null) {
        return first === wanted ? 0 : second === wanted ? 1 : null;
    }
    const fixed = (k: number): boolean => bodies[k]?.type === "static";
    return fixed(first) !== fixed(second) ? (fixed(first) ? 1 : 0) : first >= second ? 0 : 1;
}

/** [N] the largest force of the contacts that are drawn. */
export function largestForce({ count, data, body }: Contacts, bodies: readonly Body[], wanted: number | null): number {
    let largest = 0;
    for (let k = 0; k < count; k++) {
        if (actsOn(bodies, body[2 * k]!, body[2 * k + 1]!, wanted) !== null) {
            const at = 9 * k;
            largest = Math.max(largest, Math.abs(data[at + 6]!), Math.hypot(data[at + 3]!, data[at + 4]!, data[at + 5]!));
        }
    }
    return largest;
}

const DECADES = 4; // that logarithmic arrows span

/** Length of an arrow for a force, the largest force having length 1; shape < 0: logarithmic. */
export function arrowLength(force: number, largest: number, shape: number): number {
    if (!(force > 0) || !(largest > 0)) {
        return 0;
    }
    const share = Math.min(force / largest, 1);
    return Math.abs(shape) * (shape < 0 ? Math.max(0, 1 + Math.log10(share) / DECADES) : share);
}

export class ContactMarks {
    readonly group = new three.Group();
    private readonly arrows = new three.InstancedBufferGeometry();
    private readonly points = new three.BufferGeometry();
    private readonly hidden: { value: number }; // opacity of what bodies hide
    private room = 0;

    constructor(private readonly shared: Shared, private readonly size: number) {
        this.arrows.setAttribute("position", new three.BufferAttribute(new Float32Array([
            -1, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0, -2, 1, 0, 2, 1, 0, 0, 2, 0]), 3));
        this.arrows.setIndex([0, 1, 2, 0, 2, 3, 4, 5, 6]);
        // Hidden parts first, faintly; then a halo; then what is in sight.
        this.hidden = this.pass(HIDDEN, three.GreaterDepth, 40, [0]);
        this.pass(0.95, three.LessEqualDepth, 42, [0.9, 0]);
        this.reserve(64);
    }

    /** Also those of hidden bodies: one hides a body to see what it touches. largest: the force [N] of the longest arrow. */
    set(contacts: Contacts, bodies: readonly Body[], arrows: Arrows, largest: number): void {
        const most = Math.min(contacts.count, MOST);
        if (most > this.room) {
            this.reserve(Math.max(most, 2 * this.room));
        }
        const { data, normal, body } = contacts;
        const place = this.arrows.getAttribute("place"), force = this.arrows.getAttribute("force"), kind = this.arrows.getAttribute("kind");
        const position = this.points.getAttribute("position"), stick = this.points.getAttribute("stick");
        const unit = 0.35 * this.size;
        let count = 0;
        for (let k = 0; k < most; k++) {
            const side = actsOn(bodies, body[2 * k]!, body[2 * k + 1]!, arrows.on);
            if (side === null) {
                continue;
            }
            // Forces are those on the first body; the second has the opposite ones.
            const sign = side === 0 ? unit : -unit;
            const p = 9 * k, push = data[p + 6]!, rub = Math.hypot(data[p + 3]!, data[p + 4]!, data[p + 5]!);
            const pushed = arrows.normal ? (sign * Math.sign(push) * arrowLength(Math.abs(push), largest, arrows.scale)) / 32767 : 0;
            const rubbed = arrows.friction && rub > 0 ? (sign * arrowLength(rub, largest, arrows.scale)) / rub : 0;
            for (let axis = 0; axis < 3; axis++) {
                const at = data[p + axis]!;
                position.array[3 * count + axis] = place.array[6 * count + axis] = place.array[6 * count + 3 + axis] = at;
                force.array[6 * count + axis] = pushed * normal[3 * k + axis]!;
                force.array[6 * count + 3 + axis] = rubbed * data[p + 3 + axis]!;
            }
            kind.array[2 * count] = 0;
            kind.array[2 * count + 1] = 1;
            stick.array[count] = contacts.stick[k]!;
            count += 1;
        }
        [place, force, kind, position, stick].forEach((attribute) => ((attribute as three.BufferAttribute).needsUpdate = true));
        // Many of them, one behind the other, would cover the body in front.
        this.hidden.value = HIDDEN * Math.min(1, Math.sqrt(150 / Math.max(count, 1)));
        this.arrows.instanceCount = 2 * count;
        this.points.setDrawRange(0, count);
    }

    private pass(alpha: number, depth: three.DepthModes, order: number, halos: number[]): { value: number } {
        const opacity = { value: alpha };
        const make = (vertexShader: string, fragmentShader: string, grow: number) => new three.RawShaderMaterial({
            glslVersion: three.GLSL3, vertexShader, fragmentShader, transparent: true, depthWrite: false, depthFunc: depth, side: three.DoubleSide,
            uniforms: { ...this.shared, uAlpha: opacity, uGrow: { value: grow } },
        });
        const objects: three.Object3D[] = halos.map((grow) => new three.Mesh(this.arrows, make(ARROW_VERTEX, ARROW_FRAGMENT, grow)));
        objects.push(new three.Points(this.points, make(POINT_VERTEX, POINT_FRAGMENT, 0)));
        objects.forEach((object, k) => {
            object.frustumCulled = object.matrixAutoUpdate = false;
            object.renderOrder = order + 0.1 * k;
            this.group.add(object);
        });
        return opacity;
    }

    private reserve(room: number): void {
        this.room = room;
        this.arrows.dispose();
        this.points.dispose();
        const each = (count: number, size: number) =>
            new three.InstancedBufferAttribute(new Float32Array(count * size), size).setUsage(three.DynamicDrawUsage);
        this.arrows.setAttribute("place", each(2 * room, 3));
        this.arrows.setAttribute("force", each(2 * room, 3));
        this.arrows.setAttribute("kind", each(2 * room, 1));
        const point = (size: number) => new three.BufferAttribute(new Float32Array(room * size), size).setUsage(three.DynamicDrawUsage);
        this.points.setAttribute("position", point(3));
        this.points.setAttribute("stick", point(1));
    }
}
