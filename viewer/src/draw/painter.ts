// The canvases of the stage and the renderer behind them: draws panes through a camera, at any size.
import * as three from "three";
import type { Camera, Theme } from "../view";
import { cornerOf, drawAxes, type Rect } from "./axes";
import type { Box, Vec3 } from "./bounds";
import { add, ANGLE, basisOf, distanceOf, halfHeight, unit } from "./camera";
import { sharedUniforms, type Shared } from "./material";
import type { Pane } from "./pane";
import { Sun } from "./sun";

export const BACKGROUND: Record<Theme, [string, string]> = { light: ["#ffffff", "#e9edf2"], dark: ["#262b32", "#15181c"] };
const FONT = "system-ui, 'DejaVu Sans', sans-serif";

/** One tone, for pictures that are put among text. */
export const PLAIN: Record<Theme, string> = { light: "#ffffff", dark: "#1c2026" };

/** The background that the page has behind the canvas. */
export function paper(context: CanvasRenderingContext2D, theme: Theme): void {
    const { width, height } = context.canvas;
    const gradient = context.createLinearGradient(0, 0, 0, height);
    BACKGROUND[theme].forEach((colour, k) => gradient.addColorStop(k, colour));
    context.fillStyle = gradient;
    context.fillRect(0, 0, width, height);
}

const CROSS = 48; // [pixels]

/** Where x, y and z point on the screen: right, up, towards the eye. */
function turnedBy(camera: Camera): Vec3[] {
    const { right, up, back } = basisOf(camera);
    return [0, 1, 2].map((k) => [right[k]!, up[k]!, back[k]!] as Vec3);
}

export interface Shot {
    panes: readonly Pane[];
    rects: readonly Rect[];
    camera: Camera;
    box: Box; // around everything that is seen
}

export class Painter {
    readonly canvas: HTMLCanvasElement;
    readonly cross = document.createElement("canvas"); // of axes, to be put beside the picture
    readonly shared: Shared = sharedUniforms();

    private readonly renderer: three.WebGLRenderer;
    private readonly perspective = new three.PerspectiveCamera();
    private readonly parallel = new three.OrthographicCamera();
    private readonly size = { width: 0, height: 0, ratio: 0 };
    private sun: Sun | null = null;

    constructor(host: HTMLElement) {
        try {
            this.renderer = new three.WebGLRenderer({ antialias: true, alpha: true, stencil: true, powerPreference: "high-performance" });
        } catch {
            throw new Error("this browser cannot draw bodies: it has no WebGL 2, or it is switched off");
        }
        three.ColorManagement.enabled = false;
        this.renderer.outputColorSpace = three.LinearSRGBColorSpace; // shaders write what the screen shows
        this.renderer.autoClear = false;
        this.renderer.debug.checkShaderErrors = false; // asking for errors waits for the compiler: a slower first picture
        this.renderer.info.autoReset = false;
        this.canvas = this.renderer.domElement;
        Object.assign(this.canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%", display: "block" });
        Object.assign(this.cross.style, { width: `${CROSS}px`, height: `${CROSS}px`, flex: "none" });
        host.append(this.canvas);
    }

    /** Largest width and height of an image [pixels]. */
    get most(): number {
        return Math.min(this.renderer.capabilities.maxTextureSize, 8192);
    }

    /** Bodies in the light of a sun from now on, with shadows on each other: slower, for pictures. */
    shine(): void {
        this.sun ??= new Sun(this.shared);
    }

    resize(width: number, height: number, ratio: number): void {
        const { size } = this;
        if (width !== size.width || height !== size.height || ratio !== size.ratio) {
            Object.assign(size, { width, height, ratio });
            this.renderer.setPixelRatio(ratio);
            this.renderer.setSize(width, height, false);
        }
    }

    draw({ panes, rects, camera, box }: Shot): void {
        const { renderer } = this, { ratio, height } = this.size;
        renderer.info.reset();
        renderer.setScissorTest(false);
        panes.forEach((pane) => pane.drawShades(renderer));
        renderer.setScissorTest(true);
        renderer.setClearColor(0, 0);
        this.light(camera, ratio);
        const radius = Math.max(box.radius, ...panes.map((pane) => pane.home.radius));
        const reach = 9 * radius + Math.hypot(...add(camera.target, box.centre, -1));
        panes.forEach((pane, k) => {
            const rect = rects[k]!, bottom = height - rect.y - rect.height;
            this.sun?.draw(renderer, pane.bodies.cast, pane.bodies.own, pane.bodies.castBox());
            renderer.setScissorTest(true);
            renderer.setViewport(rect.x, bottom, rect.width, rect.height);
            renderer.setScissor(rect.x, bottom, rect.width, rect.height);
            renderer.clear();
            this.shared.uSize.value.set(rect.width * ratio, rect.height * ratio);
            pane.bodies.sortGhosts(camera.position);
            renderer.render(pane.scene, this.lens(camera, rect.width / rect.height, reach));
        });
    }

    /** Waits until everything is really drawn: for measurements. */
    finish(): void {
        const gl = this.renderer.getContext();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }

    /** The cross of axes beside the picture. */
    drawCross(camera: Camera, theme: Theme, flat: boolean, shown: boolean): void {
        const { ratio } = this.size, size = Math.round(CROSS * ratio);
        this.cross.style.display = shown ? "block" : "none";
        this.cross.width = this.cross.height = size;
        const context = this.cross.getContext("2d")!;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        drawAxes(context, [0.5 * CROSS, 0.58 * CROSS, 0.22 * CROSS], turnedBy(camera), theme, flat);
    }

    /** Axes, and names if there are any, over panes of a picture that is saved. */
    annotate(context: CanvasRenderingContext2D, shot: Shot, theme: Theme, flat: boolean, axes: boolean, names: readonly string[]): void {
        const turned = turnedBy(shot.camera);
        shot.rects.forEach((rect, k) => {
            if (axes) {
                drawAxes(context, cornerOf(rect), turned, theme, flat);
            }
            if (names[k]) {
                context.font = `600 13px ${FONT}`;
                context.textAlign = "left";
                context.textBaseline = "top";
                context.fillStyle = theme === "dark" ? "#e6e9ed" : "#2b3138";
                context.fillText(names[k]!, rect.x + 14, rect.y + 12, rect.width - 28);
            }
        });
    }

    private lens(camera: Camera, aspect: number, reach: number): three.Camera {
        const distance = distanceOf(camera);
        let lens: three.PerspectiveCamera | three.OrthographicCamera;
        if (camera.projection === "perspective") {
            lens = this.perspective;
            lens.fov = (2 * Math.atan(Math.tan(ANGLE / 2) / camera.zoom) * 180) / Math.PI;
            lens.aspect = aspect;
            lens.near = 0.02 * distance;
            lens.far = distance + reach;
        } else {
            lens = this.parallel;
            const half = halfHeight(camera);
            Object.assign(lens, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
            Object.assign(lens, { near: distance - reach, far: distance + reach });
        }
        lens.position.set(...camera.position);
        lens.up.set(...camera.up);
        lens.lookAt(...camera.target);
        lens.updateProjectionMatrix();
        lens.updateMatrixWorld();
        return lens;
    }

    private light(camera: Camera, ratio: number): void {
        const { right, up, back } = basisOf(camera), { shared } = this;
        // The sun is higher than a lamp at the camera, so that its shadows are seen.
        const [side, above, front] = this.sun ? [-0.65, 1.0, 0.5] as const : [-0.45, 0.65, 0.8] as const;
        const rise = this.sun ? unit(camera.up) : up;
        shared.uKey.value.set(...unit(add(add(right.map((x) => side * x) as Vec3, rise, above), back, front)));
        shared.uUp.value.set(...unit(camera.up));
        shared.uParallel.value = camera.projection === "parallel" ? 1 : 0;
        shared.uEye.value.set(...(camera.projection === "parallel" ? back : camera.position));
        shared.uPixel.value = ratio;
    }
}
