// The small cross of axes beside a picture, or in the corner of one that is saved, drawn with 2D lines so that its letters are sharp.
import type { Vec3 } from "./bounds";

const COLOURS = { light: ["#c8372d", "#2f8f3a", "#2a62c9"], dark: ["#ff7b72", "#6fd07a", "#7aa8ff"] };
const NAMES = ["x", "y", "z"];

export interface Rect {
    x: number;
    y: number;
    width: number;
    height: number;
}

/** The lower left corner of a pane: middle and size of a cross there. */
export function cornerOf(pane: Rect): [number, number, number] {
    const size = Math.min(34, 0.08 * Math.min(pane.width, pane.height) + 8);
    return [pane.x + size + 16, pane.y + pane.height - size - 16, size];
}

/** axes: where x, y and z point on the screen (right, up, towards the eye), unit vectors. */
export function drawAxes(context: CanvasRenderingContext2D, [x, y, size]: [number, number, number], axes: Vec3[], theme: "light" | "dark",
                         flat: boolean): void {
    const order = [0, 1, 2].filter((k) => !(flat && k === 2)).sort((a, b) => axes[a]![2] - axes[b]![2]);
    context.save();
    context.lineCap = "round";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = "600 12px system-ui, sans-serif";
    for (const k of order) {
        const [right, up, near] = axes[k]!;
        const end = { x: x + size * right, y: y - size * up };
        context.globalAlpha = near < -0.2 ? 0.55 : 1;
        context.strokeStyle = context.fillStyle = COLOURS[theme][k]!;
        context.lineWidth = 2.2;
        context.beginPath();
        context.moveTo(x, y);
        context.lineTo(end.x, end.y);
        context.stroke();
        head(context, end.x, end.y, right, up);
        // An axis that points at the eye has its letter beside the middle.
        const reach = Math.hypot(right, up) * size + 9;
        const length = Math.hypot(right, up) || 1;
        const direction = length > 0.15 ? { x: right / length, y: -up / length } : { x: 0.8, y: 0.6 };
        context.fillText(NAMES[k]!, x + direction.x * reach, y + direction.y * reach);
    }
    context.restore();
}

function head(context: CanvasRenderingContext2D, x: number, y: number, right: number, up: number): void {
    const length = Math.hypot(right, up);
    if (length < 0.15) {
        context.beginPath();
        context.arc(x, y, 3, 0, 2 * Math.PI);
        context.fill();
        return;
    }
    const dx = right / length, dy = -up / length, size = 6 * Math.min(1, length + 0.3);
    context.beginPath();
    context.moveTo(x + 3 * dx, y + 3 * dy);
    context.lineTo(x - size * dx - 0.55 * size * dy, y - size * dy + 0.55 * size * dx);
    context.lineTo(x - size * dx + 0.55 * size * dy, y - size * dy - 0.55 * size * dx);
    context.closePath();
    context.fill();
}
