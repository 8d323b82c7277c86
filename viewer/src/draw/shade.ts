// Soft shadows under bodies: they are looked at from below the floor, near ones are darker; coarser copies of that picture blur it. Made
// anew only when bodies move.
import * as three from "three";
import type { Box } from "./bounds";
import { GLSL, type Shared } from "./material";

const SIZE = 256; // [pixels]

const VERTEX = /* glsl */ `
    ${GLSL.COMMON}
    uniform vec3 uOrigin, uAlong, uAcross, uNormal;
    uniform float uSpan, uDepth;
    in vec3 position;
    out float vHeight;
    out vec3 vPlace;
    void main() {
        vPlace = position;
        vec3 p = position - uOrigin;
        vHeight = dot(p, uNormal) / uDepth;
        gl_Position = vec4(dot(p, uAlong) / uSpan, dot(p, uAcross) / uSpan, 0.0, 1.0);
    }
`;

const FRAGMENT = /* glsl */ `
    ${GLSL.COMMON}
    in float vHeight;
    in vec3 vPlace;
    out vec4 outColour;
    void main() {
        if (dot(uClip.xyz, vPlace) > uClip.w) {
            discard;
        }
        // What is below the floor casts nothing.
        outColour = vec4(vHeight < -0.1 ? 0.0 : exp(-3.5 * max(vHeight, 0.0)));
    }
`;

/** Uniforms of a floor that its shadow needs as well. */
export interface Ground {
    uOrigin: { value: three.Vector3 };
    uAlong: { value: three.Vector3 };
    uAcross: { value: three.Vector3 };
    uNormal: { value: three.Vector3 };
}

export class Shade {
    readonly uniforms = { uShade: { value: null as three.Texture | null }, uSpan: { value: 1 }, uDepth: { value: 1 } };
    private readonly target = new three.WebGLRenderTarget(SIZE, SIZE, {
        depthBuffer: false, generateMipmaps: true, minFilter: three.LinearMipmapLinearFilter, magFilter: three.LinearFilter, format: three.RedFormat,
    });
    private readonly scene = new three.Scene();
    private readonly camera = new three.Camera();
    private readonly mesh: three.Mesh;

    constructor(ground: Ground, shared: Shared) {
        this.uniforms.uShade.value = this.target.texture;
        this.mesh = new three.Mesh(new three.BufferGeometry(), new three.RawShaderMaterial({
            glslVersion: three.GLSL3, uniforms: { ...shared, ...ground, uSpan: this.uniforms.uSpan, uDepth: this.uniforms.uDepth },
            vertexShader: VERTEX, fragmentShader: FRAGMENT, side: three.DoubleSide, depthTest: false, depthWrite: false, transparent: true,
            blending: three.CustomBlending, blendEquation: three.MaxEquation, blendSrc: three.OneFactor, blendDst: three.OneFactor,
        }));
        this.mesh.frustumCulled = false;
        this.scene.add(this.mesh);
    }

    /** geometry: triangles of the bodies that cast; box: around them. */
    draw(renderer: three.WebGLRenderer, geometry: three.BufferGeometry, box: Box, ground: Ground): void {
        const reach = box.corners().map((corner) => new three.Vector3(...corner).sub(ground.uOrigin.value));
        const far = reach.map((p) => Math.max(Math.abs(p.dot(ground.uAlong.value)), Math.abs(p.dot(ground.uAcross.value))));
        // Room around, so that the blur ends inside.
        this.uniforms.uSpan.value = 1.35 * Math.max(...far, 1e-9);
        this.uniforms.uDepth.value = box.radius;
        this.mesh.geometry = geometry;
        const before = renderer.getRenderTarget();
        renderer.setRenderTarget(this.target);
        renderer.setClearColor(0, 0);
        renderer.clear();
        renderer.render(this.scene, this.camera);
        renderer.setRenderTarget(before);
    }
}
