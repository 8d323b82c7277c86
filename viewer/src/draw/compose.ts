// A picture to keep: panels, what is below and above them, and what the colours mean.
import { colourAt } from "./colours";
import { formatNumber, niceTicks, scaleFor } from "./numbers";
import { PLAIN } from "./painter";
import type { Scale } from "./stage";

const FOOT = 30; // [pixels] height of a row of text
const GAP = 14; // between panels
const SOFT = 0.06; // share of a panel; bodies keep more away from its edge
const BAR = { width: 180, height: 9 };
const INK = { light: "#464c54", dark: "#d5dae0" };
const FONT = "system-ui, 'DejaVu Sans', sans-serif";

export interface Sheet {
    width: number;
    height: number;
    labels: string[]; // one a panel
    columns: number;
    title: string;
    scale: Scale | null; // null: no colour bar
    theme: "light" | "dark";
    transparent: boolean;
}

interface Frame {
    panel: { width: number; height: number };
    columns: number;
    top: number; // height of the title
    labels: number; // height of a row of labels; one panel has its label in the foot
    foot: number;
}

function frameOf(sheet: Sheet): Frame {
    const count = sheet.labels.length, columns = Math.min(Math.max(sheet.columns, 1), count), rows = Math.ceil(count / columns);
    const labelled = sheet.labels.some((label) => label !== "");
    const labels = labelled && count > 1 ? FOOT : 0;
    const foot = sheet.scale || (labelled && count === 1) ? FOOT : 0, top = sheet.title === "" ? 0 : FOOT + 6;
    return {
        columns, top, labels, foot,
        panel: {
            width: Math.max(1, Math.floor((sheet.width + GAP) / columns) - GAP),
            height: Math.max(1, Math.floor((sheet.height - foot - top) / rows) - labels),
        },
    };
}

/** How large the panels of a sheet are [pixels]. */
export function panelSize(sheet: Sheet): { width: number; height: number } {
    return frameOf(sheet).panel;
}

/** images: of the panels, each as large as panelSize() says. */
export function composePicture(sheet: Sheet, images: readonly HTMLCanvasElement[]): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = sheet.width;
    canvas.height = sheet.height;
    const context = canvas.getContext("2d")!;
    if (!sheet.transparent) {
        context.fillStyle = PLAIN[sheet.theme];
        context.fillRect(0, 0, sheet.width, sheet.height);
    }
    const { panel, columns, top, labels, foot } = frameOf(sheet);
    context.fillStyle = INK[sheet.theme];
    context.textBaseline = "middle";
    if (top > 0) {
        context.font = `600 16px ${FONT}`;
        context.fillText(sheet.title, 16, top / 2 + 2, sheet.width - 32);
    }
    context.font = `14px ${FONT}`;
    images.forEach((image, k) => {
        const x = (k % columns) * (panel.width + GAP), y = top + Math.floor(k / columns) * (panel.height + labels);
        soften(image, images.length > 1, top > 0, foot + labels > 0);
        context.drawImage(image, x, y, panel.width, panel.height);
        const label = sheet.labels[k] ?? "";
        context.textAlign = labels > 0 ? "center" : "left";
        if (labels > 0) {
            context.fillText(label, x + panel.width / 2, y + panel.height + FOOT / 2, panel.width);
        } else if (label !== "") {
            context.fillText(label, 16, sheet.height - FOOT / 2, sheet.width / 2);
        }
    });
    if (sheet.scale && foot > 0) {
        drawBar(context, sheet, sheet.scale);
    }
    return canvas;
}

/** A floor ends softly where a panel does, not with a line. */
function soften(image: HTMLCanvasElement, sides: boolean, top: boolean, bottom: boolean): void {
    const context = image.getContext("2d")!, { width, height } = image;
    const fade = (x: number, y: number, toX: number, toY: number) => {
        const gradient = context.createLinearGradient(x, y, toX, toY);
        gradient.addColorStop(0, "rgba(0, 0, 0, 1)");
        gradient.addColorStop(1, "rgba(0, 0, 0, 0)");
        context.fillStyle = gradient;
        context.fillRect(0, 0, width, height);
    };
    const reach = SOFT * Math.min(width, height);
    context.save();
    context.globalCompositeOperation = "destination-out";
    if (sides) {
        fade(0, 0, reach, 0);
        fade(width, 0, width - reach, 0);
    }
    if (top) {
        fade(0, 0, 0, reach);
    }
    if (bottom) {
        fade(0, height, 0, height - reach);
    }
    context.restore();
}

/** On the lower right: name, strip, and what its ends and some places between mean. */
function drawBar(context: CanvasRenderingContext2D, sheet: Sheet, { label, unit, range, map }: Scale): void {
    const [low, high] = range;
    const shown = scaleFor(Math.max(Math.abs(low), Math.abs(high)), unit);
    const text = (value: number) => formatNumber(value / shown.factor, 3);
    context.font = `13px ${FONT}`;
    const last = `${text(high)} ${shown.unit}`.trim();
    const width = Math.min(BAR.width, sheet.width / 4);
    const x = sheet.width - 16 - context.measureText(last).width - 8 - width, y = sheet.height - FOOT / 2;
    for (let k = 0; k < width; k++) {
        context.fillStyle = colourAt(map, k / (width - 1));
        context.fillRect(x + k, y - BAR.height / 2, 1.5, BAR.height);
    }
    context.fillStyle = INK[sheet.theme];
    for (const tick of niceTicks(low, high, 4).filter((value) => value > low && value < high)) {
        context.fillRect(Math.round(x + (width * (tick - low)) / (high - low)), y + BAR.height / 2 + 1, 1, 3);
    }
    context.textAlign = "left";
    context.fillText(last, x + width + 8, y);
    context.textAlign = "right";
    context.fillText(`${label}  ${text(low)}`, x - 8, y, x - 24);
}
