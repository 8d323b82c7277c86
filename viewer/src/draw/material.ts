// Shaders of bodies. Light: a sky above, a darker ground below, and a key light that goes with the camera, so that every view is lit.
// Values become colours in the fragment shader, from a table: another range or table costs no upload of vertices.
import * as three from "three";

/** Uniforms that all materials of a stage share. */
export interface Shared {
    uUp: { value: three.Vector3 };
    uKey: { value: three.Vector3 }; // towards the key light
    uEye: { value: three.Vector3 }; // camera; of a parallel one the direction towards it
    uParallel: { value: number };
    uClip: { value: three.Vector4 }; // cut away: xyz . p > w
    uDark: { value: number };
    uLit: { value: number }; // 0: flat colours, as in 2D
    uPixel: { value: number }; // [drawn pixels] of one on the page
    uSize: { value: three.Vector2 }; // of the pane [drawn pixels]
    uSunDepth: { value: three.Texture | null }; // what a sun at uKey sees
    uSunMatrix: { value: three.Matrix4 }; // to it
    uSunSize: { value: number }; // [m] half the width of what it sees; 0: there is no sun, and no shadow
}

export function sharedUniforms(): Shared {
    return {
        uUp: { value: new three.Vector3(0, 0, 1) },
        uKey: { value: new three.Vector3(0, 0, 1) },
        uEye: { value: new three.Vector3(0, 0, 1) },
        uParallel: { value: 0 },
        uClip: { value: new three.Vector4(0, 0, 0, 1) },
        uDark: { value: 0 },
        uLit: { value: 1 },
        uPixel: { value: 1 },
        uSize: { value: new three.Vector2(1, 1) },
        uSunDepth: { value: null },
        uSunMatrix: { value: new three.Matrix4() },
        uSunSize: { value: 0 },
    };
}

/** Uniforms of a run's bodies. */
export interface Own {
    uBodies: { value: three.DataTexture }; // two texels a body: colour, 1 if values show + 2 if it is open; what is cut away of it
    uMap: { value: three.DataTexture };
    uRange: { value: three.Vector2 };
}

export const BODIES_A_ROW = 1024;

const COMMON = /* glsl */ `
    precision highp float;
    precision highp sampler2D;
    uniform vec3 uUp, uKey, uEye;
    uniform float uParallel, uDark, uLit, uPixel;
    uniform vec4 uClip;
    uniform vec2 uSize;
`;

const VERTEX = /* glsl */ `
    ${COMMON}
    uniform mat4 viewMatrix, projectionMatrix;
    uniform sampler2D uBodies;
    in vec3 position;
    in vec3 normal;
    in float value;
    in float body;
    out vec3 vNormal, vPlace;
    out float vValue;
    flat out vec4 vBody, vCut;
    void main() {
        int b = int(body + 0.5);
        ivec2 at = ivec2(2 * (b % ${BODIES_A_ROW}), b / ${BODIES_A_ROW});
        vBody = texelFetch(uBodies, at, 0);
        vCut = texelFetch(uBodies, at + ivec2(1, 0), 0);
        vNormal = normal;
        vPlace = position;
        vValue = value;
        gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
    }
`;

const SUN = /* glsl */ `
    uniform sampler2D uSunDepth;
    uniform mat4 uSunMatrix;
    uniform float uSunSize;
    // How much of the sun a place sees: 1 all of it, 0 nothing. Taps on a turned grid, so that no two are in line.
    float sunlight(vec3 place, vec3 n) {
        if (uSunSize <= 0.0) {
            return 1.0;
        }
        const float TEXEL = 1.0 / 2048.0, WIDEST = 0.01;
        const mat2 GRID = mat2(0.8944, 0.4472, -0.4472, 0.8944);
        // Away from the face by more than the map is coarse.
        vec3 p = (uSunMatrix * vec4(place + n * (5.0 * TEXEL * uSunSize), 1.0)).xyz;
        if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) {
            return 1.0;
        }
        float own = p.z - 4e-4;
        // What is in front, and how far on the average. Most places see the whole sun or nothing of it, and are done then.
        float blocked = 0.0, depth = 0.0;
        for (int k = 0; k < 16; ++k) {
            vec2 at = p.xy + GRID * (vec2(k & 3, k >> 2) - 1.5) * (WIDEST / 1.5);
            float d = textureLod(uSunDepth, at, 0.0).r;
            float before = step(d, own);
            blocked += before;
            depth += before * d;
        }
        if (blocked < 0.5 || blocked > 15.5) {
            return blocked < 0.5 ? 1.0 : 0.0;
        }
        // At an edge more taps, or its width would change in steps.
        for (int k = 0; k < 36; ++k) {
            vec2 at = p.xy + GRID * (vec2(k % 6, k / 6) - 2.5) * (WIDEST / 2.5);
            float d = textureLod(uSunDepth, at, 0.0).r;
            float before = step(d, own);
            blocked += before;
            depth += before * d;
        }
        float wide = clamp((own - depth / blocked) * 0.10, 1.5 * TEXEL, WIDEST);
        float lit = 0.0;
        for (int k = 0; k < 64; ++k) {
            vec2 at = p.xy + GRID * (vec2(k & 7, k >> 3) - 3.5) * (wide / 3.5);
            lit += step(own, textureLod(uSunDepth, at, 0.0).r);
        }
        return lit / 64.0;
    }
`;

const LIGHT = /* glsl */ `
    // A square stands for sRGB's curve: nearly the same, and cheap where the processor draws.
    vec3 toLinear(vec3 c) { return c * c; }
    vec3 toSrgb(vec3 c) { return sqrt(max(c, vec3(0.0))); }
    vec3 towardsEye(vec3 place) { return uParallel > 0.5 ? uEye : normalize(uEye - place); }

    // soft: colours that carry values change less with the light. sun: how much of the key light comes through.
    vec3 lit(vec3 base, vec3 n, vec3 eye, float soft, float sun) {
        float sky = 0.5 + 0.5 * dot(n, uUp);
        vec3 ambient = mix(vec3(0.40, 0.39, 0.40), vec3(0.66, 0.68, 0.71), sky);
        float key = max(dot(n, uKey), 0.0);
        float away = 1.0 - max(dot(n, eye), 0.0), away2 = away * away, grazing = away2 * away2;
        float g1 = max(dot(n, normalize(uKey + eye)), 0.0), g2 = g1 * g1, g4 = g2 * g2, g8 = g4 * g4, g16 = g8 * g8, gloss = g16 * g16;
        vec3 hard = base * (ambient * mix(0.72, 1.0, sun) + 0.52 * key * sun) + vec3(0.045 * gloss * sun + 0.05 * grazing);
        vec3 mild = base * ((0.74 + 0.12 * sky) * mix(0.8, 1.0, sun) + 0.22 * key * sun);
        return mix(hard, mild, soft);
    }
`;

const FRAGMENT = /* glsl */ `
    ${COMMON}
    uniform sampler2D uMap;
    uniform vec2 uRange;
    uniform float uGhost;
    in vec3 vNormal, vPlace;
    in float vValue;
    flat in vec4 vBody, vCut;
    out vec4 outColour;
    ${SUN}
    ${LIGHT}
    void main() {
        if (dot(uClip.xyz, vPlace) > uClip.w || dot(vCut.xyz, vPlace) > vCut.w) {
            discard;
        }
        vec3 base = vBody.rgb;
        float open = step(1.5, vBody.a), valued = vBody.a - 2.0 * open;
        if (valued > 0.5) {
            float t = uRange.y > uRange.x ? clamp((vValue - uRange.x) / (uRange.y - uRange.x), 0.0, 1.0) : 0.0;
            base = isnan(vValue) ? vec3(0.5) : texture(uMap, vec2((255.0 * t + 0.5) / 256.0, 0.5)).rgb;
        }
        base = toLinear(base);
        vec3 eye = towardsEye(vPlace);
        // Where triangles have no area the vertex has no normal.
        vec3 n = dot(vNormal, vNormal) > 0.0 ? normalize(vNormal) : normalize(cross(dFdx(vPlace), dFdy(vPlace)));
        // What is left out of one body for a picture shows its wall from inside: a funnel, a box.
        bool cut = uClip.xyz != vec3(0.0) || (vCut.xyz != vec3(0.0) && valued > 0.5);
        bool inside = !gl_FrontFacing && uLit > 0.5;
        n = gl_FrontFacing ? n : -n;
        // A face that looks away from the sun is in its own shade.
        float sun = uSunSize > 0.0 && uGhost < 0.5 ? smoothstep(0.0, 0.2, dot(n, uKey)) * sunlight(vPlace, n) : 1.0;
        vec3 colour = uLit > 0.5 ? lit(base, n, eye, valued, sun) : base;
        if (inside && cut && open < 0.5 && uGhost < 0.5) {
            // The inside of what was cut, in one tone with fine stripes: the solid reads as solid.
            float stripe = smoothstep(0.35, 0.65, abs(fract((gl_FragCoord.x + gl_FragCoord.y) / (7.0 * uPixel)) - 0.5) * 2.0);
            colour = mix(base, vec3(dot(base, vec3(0.3, 0.59, 0.11))), 0.25) * mix(0.50, 0.58, stripe);
        }
        float alpha = 1.0;
        if (uGhost > 0.5) {
            float rim = uLit > 0.5 ? 1.0 - abs(dot(n, eye)) : 0.0;
            rim *= rim;
            alpha = mix(0.13, 0.5, rim) * (gl_FrontFacing ? 1.0 : 0.6);
        }
        outColour = vec4(toSrgb(colour), alpha);
    }
`;

/** Nothing but the depth of what is not cut away. */
const SUN_FRAGMENT = /* glsl */ `
    ${COMMON}
    in vec3 vNormal, vPlace;
    in float vValue;
    flat in vec4 vBody, vCut;
    out vec4 outColour;
    void main() {
        if (dot(uClip.xyz, vPlace) > uClip.w || dot(vCut.xyz, vPlace) > vCut.w) {
            discard;
        }
        outColour = vec4(1.0);
    }
`;

const WIRE_FRAGMENT = /* glsl */ `
    ${COMMON}
    in vec3 vNormal, vPlace;
    in float vValue;
    flat in vec4 vBody, vCut;
    uniform float uAlpha, uEdge;
    uniform mat4 projectionMatrix;
    out vec4 outColour;
    void main() {
        if (dot(uClip.xyz, vPlace) > uClip.w || dot(vCut.xyz, vPlace) > vCut.w) {
            discard;
        }
        // Fainter where edges are only some pixels long: a fine mesh would be all lines.
        float depth = 1.0 / gl_FragCoord.w;
        float pixels = uEdge * uSize.y * projectionMatrix[1][1] / (2.0 * depth * uPixel);
        outColour = vec4(vec3(0.03, 0.05, 0.08), uAlpha * mix(0.2, 1.0, smoothstep(2.0, 14.0, pixels)));
    }
`;

// A line as wide as wished: four corners a segment, moved apart on the screen.
const LINE_VERTEX = /* glsl */ `
    ${COMMON}
    uniform mat4 viewMatrix, projectionMatrix;
    uniform sampler2D uBodies;
    uniform float uWidth;
    in vec3 position; // x: which end, y: which side
    in vec3 from;
    in vec3 to;
    in float owner;
    out vec3 vPlace;
    out float vSide;
    flat out vec4 vBody, vCut;
    void main() {
        int b = int(owner + 0.5);
        ivec2 at = ivec2(2 * (b % ${BODIES_A_ROW}), b / ${BODIES_A_ROW});
        vBody = texelFetch(uBodies, at, 0);
        vCut = texelFetch(uBodies, at + ivec2(1, 0), 0);
        vec4 a = projectionMatrix * viewMatrix * vec4(from, 1.0);
        vec4 c = projectionMatrix * viewMatrix * vec4(to, 1.0);
        // An end behind the camera has no place on the screen: the line stops just before it.
        float near = 1e-4;
        if (uParallel < 0.5) {
            if (a.w < near && c.w > near) a = mix(c, a, (c.w - near) / (c.w - a.w));
            if (c.w < near && a.w > near) c = mix(a, c, (a.w - near) / (a.w - c.w));
        }
        vec2 along = (c.xy / c.w - a.xy / a.w) * uSize;
        along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
        vec2 across = vec2(-along.y, along.x);
        float reach = 0.5 * uWidth * uPixel + 0.7;
        vec4 p = position.x < 0.5 ? a : c;
        vec2 shift = (across * position.y + along * (position.x - 0.5) * 0.8) * reach;
        p.xy += shift * 2.0 / uSize * p.w;
        // A little towards the eye, so that the faces beside it do not cover half of it.
        p.z -= 6e-5 * p.w;
        vPlace = position.x < 0.5 ? from : to;
        vSide = position.y * reach;
        gl_Position = p;
    }
`;

const LINE_FRAGMENT = /* glsl */ `
    ${COMMON}
    uniform float uAlpha, uWidth;
    in vec3 vPlace;
    in float vSide;
    flat in vec4 vBody, vCut;
    out vec4 outColour;
    ${LIGHT}
    void main() {
        if (dot(uClip.xyz, vPlace) > uClip.w || dot(vCut.xyz, vPlace) > vCut.w) {
            discard;
        }
        float cover = clamp(0.5 * uWidth * uPixel + 0.5 - abs(vSide), 0.0, 1.0);
        vec3 ink = toSrgb(toLinear(vBody.rgb) * 0.22);
        ink = mod(vBody.a, 2.0) > 0.5 ? vec3(0.10, 0.12, 0.16) : ink;
        // Outlines of 2D bodies stand out from a dark background as well.
        ink = mix(ink, mix(vBody.rgb, vec3(1.0), 0.35), uDark * (1.0 - uLit));
        outColour = vec4(ink, uAlpha * cover);
    }
`;

function material(shared: Shared, own: Own, options: Partial<three.ShaderMaterialParameters>,
                  more: Record<string, number> = {}): three.RawShaderMaterial {
    const uniforms: Record<string, three.IUniform> = { ...shared, ...own };
    Object.entries(more).forEach(([name, value]) => (uniforms[name] = { value }));
    return new three.RawShaderMaterial({ glslVersion: three.GLSL3, uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, ...options });
}

// Where bodies that move are drawn, the stencil has this.
const MOVES = 1;

/** moves: of bodies that ghosts of other runs are compared with, which must not tint them. */
export function solidMaterial(shared: Shared, own: Own, moves: boolean): three.RawShaderMaterial {
    const mark = moves ? { stencilWrite: true, stencilRef: MOVES, stencilZPass: three.ReplaceStencilOp } : {};
    return material(shared, own, { side: three.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, ...mark }, { uGhost: 0 });
}

/** A body of another run: only where none of this run's that move is seen. */
export function otherMaterial(shared: Shared, own: Own, side: three.Side): three.RawShaderMaterial {
    const beside = { stencilWrite: true, stencilRef: MOVES, stencilFunc: three.NotEqualStencilFunc };
    return material(shared, own, { side, transparent: true, depthWrite: false, ...beside }, { uGhost: 1 });
}

export function sunMaterial(shared: Shared, own: Own): three.RawShaderMaterial {
    return material(shared, own, { fragmentShader: SUN_FRAGMENT, side: three.DoubleSide });
}

export function ghostMaterial(shared: Shared, own: Own, side: three.Side): three.RawShaderMaterial {
    return material(shared, own, { side, transparent: true, depthWrite: false }, { uGhost: 1 });
}

/** edge: length of a usual edge. */
export function wireMaterial(shared: Shared, own: Own, edge: number): three.RawShaderMaterial {
    return material(shared, own, { fragmentShader: WIRE_FRAGMENT, transparent: true, depthWrite: false }, { uAlpha: 0.34, uEdge: edge });
}

export function lineMaterial(shared: Shared, own: Own, width: number, alpha: number): three.RawShaderMaterial {
    const shaders = { vertexShader: LINE_VERTEX, fragmentShader: LINE_FRAGMENT };
    return material(shared, own, { ...shaders, transparent: true, depthWrite: false, side: three.DoubleSide }, { uWidth: width, uAlpha: alpha });
}

export const GLSL = { COMMON, LIGHT, SUN };
