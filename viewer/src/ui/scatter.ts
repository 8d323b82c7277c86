// Points over two axes, drawn as SVG: few enough for a document, and text and pointer come free.

import { formatNumber, niceTicks, scaleFor } from "../draw/numbers";
import { el } from "./dom";

const NAMESPACE = "http://www.w3.org/2000/svg";
const LEFT = 52, RIGHT = 10, TOP = 8, BOTTOM = 22; // [px] room for the axes

export interface Axis {
    label: string;
    unit: string;
    values: readonly number[];
    log?: boolean;
    bounds?: [number, number]; // shown whole
}

export interface Dot {
    colour: string;
    filled: boolean;
    mark?: "best" | "start";
}

export interface Scatter {
    x: Axis;
    y: Axis;
    dots: readonly Dot[];
    steps?: readonly number[]; // y of a line that goes from dot to dot in steps, as the best so far
}

function node(tag: string, props: Record<string, string | number>, text?: string): SVGElement {
    const element = document.createElementNS(NAMESPACE, tag);
    Object.entries(props).forEach(([name, value]) => element.setAttribute(name, String(value)));
    if (text !== undefined) {
        element.textContent = text;
    }
    return element;
}

/** Where a value is drawn, and the ticks of its axis. */
class Scale {
    private readonly low: number;
    private readonly high: number;

    constructor(private readonly axis: Axis, private readonly from: number, private readonly to: number) {
        const known = [...axis.values, ...(axis.bounds ?? [])].filter(Number.isFinite).map((value) => this.warp(value));
        const [low, high] = [Math.min(...known), Math.max(...known)];
        const room = 0.05 * (high - low) || 0.1 * Math.abs(high) || 1;
        [this.low, this.high] = known.length > 0 ? [low - room, high + room] : [0, 1];
    }

    at(value: number): number {
        return this.from + ((this.warp(value) - this.low) / (this.high - this.low)) * (this.to - this.from);
    }

    ticks(): number[] {
        if (this.axis.log !== true) {
            return niceTicks(this.low, this.high, 4);
        }
        const decades = niceTicks(this.low, this.high, 4).filter(Number.isInteger);
        return decades.length > 1 ? decades.map((power) => 10 ** power) : niceTicks(this.low, this.high, 4).map((power) => 10 ** power);
    }

    private warp(value: number): number {
        return this.axis.log === true ? Math.log10(value) : value;
    }
}

function axisTitle(axis: Axis, unit: string): string {
    return unit === "" ? axis.label : `${axis.label} [${unit}]`;
}

function shape({ colour, filled, mark }: Dot, x: number, y: number): SVGElement[] {
    const paint = { fill: filled ? colour : "none", stroke: colour, "stroke-width": 1.5 };
    if (mark === "start") {
        return [node("rect", { x: x - 5, y: y - 5, width: 10, height: 10, ...paint, stroke: "var(--text)" })];
    }
    const dot = node("circle", { cx: x, cy: y, r: 3.5, ...paint });
    return mark === "best" ? [dot, node("circle", { cx: x, cy: y, r: 7, fill: "none", stroke: "var(--text)", "stroke-width": 1.5 })] : [dot];
}

/** point: a dot was pointed at, null: none any more. */
export function scatter(plot: Scatter, width: number, name: string, point: (index: number | null) => void): HTMLElement {
    const height = Math.round(Math.min(0.62 * width, 260));
    const x = new Scale(plot.x, LEFT, width - RIGHT), y = new Scale(plot.y, height - BOTTOM, TOP);
    const unit = [plot.x, plot.y].map((axis) => scaleFor(Math.max(0, ...axis.values.filter(Number.isFinite).map(Math.abs)), axis.unit));
    const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "scatter", role: "img", "aria-label": name });
    for (const tick of x.ticks()) {
        svg.append(node("line", { x1: x.at(tick), x2: x.at(tick), y1: TOP, y2: height - BOTTOM, class: "grid" }),
            node("text", { x: x.at(tick), y: height - 6, "text-anchor": "middle" }, formatNumber(tick / unit[0]!.factor)));
    }
    for (const tick of y.ticks()) {
        svg.append(node("line", { x1: LEFT, x2: width - RIGHT, y1: y.at(tick), y2: y.at(tick), class: "grid" }),
            node("text", { x: LEFT - 6, y: y.at(tick) + 4, "text-anchor": "end" }, formatNumber(tick / unit[1]!.factor, 3)));
    }
    const corners = (plot.steps ?? []).flatMap((value, i) => (Number.isFinite(value) ? [[x.at(plot.x.values[i]!), y.at(value)] as const] : []));
    if (corners.length > 0) {
        const path = corners.map(([u, v], i) => (i === 0 ? `M${u.toFixed(1)} ${v.toFixed(1)}` : `H${u.toFixed(1)}V${v.toFixed(1)}`)).join("");
        svg.append(node("path", { d: path, class: "steps" }));
    }
    const places = plot.dots.map((_, i) => [x.at(plot.x.values[i]!), y.at(plot.y.values[i]!)] as const);
    // Those with a mark come last, so that nothing hides them.
    const order = [...places.keys()].sort((a, b) => Number(plot.dots[a]!.mark !== undefined) - Number(plot.dots[b]!.mark !== undefined));
    order.filter((i) => places[i]!.every(Number.isFinite)).forEach((i) => svg.append(...shape(plot.dots[i]!, ...places[i]!)));
    svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect();
        const far = places.map(([u, v]) => Math.hypot(u - event.clientX + box.left, v - event.clientY + box.top));
        const nearest = far.reduce((best, value, i) => (value < (far[best] ?? Infinity) ? i : best), -1);
        point(nearest >= 0 && far[nearest]! < 14 ? nearest : null);
    });
    svg.addEventListener("pointerleave", () => point(null));
    return el("div", { class: "scatter-frame" }, el("p", { class: "scatter-y" }, axisTitle(plot.y, unit[1]!.unit)), svg as unknown as HTMLElement,
        el("p", { class: "plot-x" }, axisTitle(plot.x, unit[0]!.unit)));
}
