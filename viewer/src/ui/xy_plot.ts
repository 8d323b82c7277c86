// One plot: a column over another one, a curve a run, with a dot at the moment shown.

import uPlot from "uplot";
import { formatNumber, scaleFor } from "../draw/numbers";
import type { Run } from "../types";
import { rowAt, type Chart } from "./charts";
import { isCompare } from "./context";
import { button, el, setText } from "./dom";
import { axisStyle, plotHeight, SERIES_COLOURS, type PlotHost } from "./plot";
import { seekFrame } from "./seek";

/** A run's curve. */
interface Curve {
    run: Run;
    x: Float32Array;
    y: Float32Array;
    time: Float32Array;
    dot: HTMLElement;
    value: HTMLElement;
}

/** A little more than the values reach. */
function withRoom(low: number, high: number): [number, number] {
    const room = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
    return low <= high ? [low - room, high + room] : [0, 1];
}

function largest(values: Float32Array): number {
    return values.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);
}

export class XyPlot {
    readonly element: HTMLElement;
    private readonly area = el("div", { class: "plot-area" });
    private readonly below = el("p", { class: "plot-x" });
    private readonly unit = el("span", { class: "unit" });
    private curves: Curve[];
    private plot: uPlot | null = null;
    private scale = { x: { factor: 1, unit: "" }, y: { factor: 1, unit: "" } };

    constructor(readonly chart: Chart, private readonly host: PlotHost) {
        const { runs } = host.context, compare = isCompare(host.context), none = new Float32Array(0);
        this.curves = runs.filter((run) => run.series.columns.includes(chart.x!.name) && run.series.columns.includes(chart.lines[0]!.column))
            .map((run) => ({ run, x: none, y: none, time: none, dot: el("div", { class: "plot-dot" }), value: el("span", { class: "value" }) }));
        this.area.setAttribute("role", "img");
        this.area.setAttribute("aria-label", `${chart.title}. Values at the moment shown are listed below.`);
        const legend = this.curves.map(({ run, dot, value }) => {
            const colour = `var(--series-${runs.indexOf(run) % SERIES_COLOURS})`;
            dot.style.setProperty("--key", colour);
            const key = el("div", { class: "plot-key wide", "data-series": chart.id }, el("span", { class: "key-colour" }),
                el("span", { class: "key-label" }, compare ? run.name : "at the moment shown"), value);
            key.style.setProperty("--key", colour);
            return el("li", {}, key);
        });
        if (chart.points !== undefined) {
            legend.push(el("li", {}, el("div", { class: "plot-key wide points" }, el("span", { class: "key-colour" }),
                el("span", { class: "key-label" }, chart.points.source))));
        }
        this.element = el("article", { class: "plot xy", "data-chart": chart.id },
            el("header", { class: "plot-head" }, el("h4", { title: chart.title }, chart.title), this.unit, el("span", { class: "grow" }),
                button({ label: `Remove the plot ${chart.title}`, icon: "close", class: "quiet", act: () => host.close(chart.id) })),
            this.area, this.below, el("ul", { class: "plot-legend one" }, ...legend));
        this.area.addEventListener("pointerdown", (event) => this.seek(event));
    }

    update(): void {
        if (this.area.clientWidth > 0) {
            this.collect();
            this.plot?.destroy();
            this.create(this.area.clientWidth);
            this.showTime();
        }
    }

    resize(): void {
        const width = this.area.clientWidth;
        if (this.plot === null) {
            this.update();
        } else if (width > 0 && (this.plot.width !== width || this.plot.height !== plotHeight(width))) {
            this.plot.setSize({ width, height: plotHeight(width) });
        }
    }

    recolour(): void {
        this.plot?.redraw(false, false);
    }

    /** Only what happens in the part of the time that all plots show. */
    applyWindow(): void {
        this.update();
    }

    showTime(): void {
        const { time } = this.host.context.store.get(), { x, y } = this.scale;
        for (const curve of this.curves) {
            const row = rowAt(curve.time, time), [u, v] = [curve.x[row] ?? NaN, curve.y[row] ?? NaN];
            setText(curve.value, `${formatNumber(u / x.factor)} ${x.unit}, ${formatNumber(v / y.factor)} ${y.unit}`);
            curve.dot.hidden = this.plot === null || !Number.isFinite(u + v);
            if (this.plot !== null && !curve.dot.hidden) {
                curve.dot.style.transform = `translate(${this.plot.valToPos(u, "x").toFixed(1)}px, ${this.plot.valToPos(v, "y").toFixed(1)}px)`;
            }
        }
    }

    destroy(): void {
        this.plot?.destroy();
        this.plot = null;
        this.element.remove();
    }

    private collect(): void {
        const part = this.host.window();
        for (const curve of this.curves) {
            const { series } = curve.run, time = series.whole("time") ?? new Float32Array(0);
            const from = part === null ? 0 : Math.max(rowAt(time, part[0]), 0), to = part === null ? time.length : rowAt(time, part[1]) + 1;
            curve.time = time.subarray(from, to);
            curve.x = series.whole(this.chart.x!.name)!.subarray(from, to);
            curve.y = series.whole(this.chart.lines[0]!.column)!.subarray(from, to);
        }
        const most = (which: "x" | "y"): number => Math.max(0, ...this.curves.map((curve) => largest(curve[which])),
            ...this.points(which).map(Math.abs));
        this.scale = { x: scaleFor(most("x"), this.chart.x!.unit), y: scaleFor(most("y"), this.chart.unit) };
        setText(this.unit, this.scale.y.unit);
        const { label, group, measured } = this.chart.x!;
        setText(this.below, `${measured ? `${group}: ${label}` : label}${this.scale.x.unit === "" ? "" : ` [${this.scale.x.unit}]`}`);
    }

    /** To compare with, wherever they are: also if only a part of the time is shown. */
    private points(which: "x" | "y"): number[] {
        return (this.chart.points?.points ?? []).map(([x, y]) => (which === "x" ? x : y));
    }

    private rangeOf(which: "x" | "y"): [number, number] {
        let low = Infinity, high = -Infinity;
        for (const values of [...this.curves.map((curve) => curve[which]), this.points(which)]) {
            for (const value of values) {
                low = value < low ? value : low;
                high = value > high ? value : high;
            }
        }
        return withRoom(low, high);
    }

    private create(width: number): void {
        const { axis, colour } = axisStyle();
        const values = (which: "x" | "y") => (_: uPlot, splits: number[]): string[] =>
            splits.map((value) => formatNumber(value / this.scale[which].factor, 4));
        const { runs } = this.host.context;
        const options: uPlot.Options = {
            mode: 2, width, height: plotHeight(width), legend: { show: false }, padding: [8, 8, 0, 0], cursor: { show: false },
            scales: { x: { time: false, range: () => this.rangeOf("x") }, y: { range: () => this.rangeOf("y") } },
            axes: [{ ...axis, size: 24, gap: 2, space: 56, values: values("x") }, { ...axis, size: 54, gap: 4, space: 28, values: values("y") }],
            series: [{}, ...this.curves.map(({ run }): uPlot.Series => ({
                stroke: colour(`--series-${runs.indexOf(run) % SERIES_COLOURS}`), width: 1.5,
                facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }], paths: (plot, series) => this.path(plot, this.curves[series - 1]!),
            }))],
            hooks: { draw: [(plot) => this.mark(plot, colour("--text")()), () => this.showTime()] },
        };
        const data = [null, ...this.curves.map(({ x, y }) => [x, y])] as unknown as uPlot.AlignedData;
        this.plot = new uPlot(options, data, this.area);
        this.plot.over.append(...this.curves.map((curve) => curve.dot));
    }

    /** Points to compare with: small circles. */
    private mark(plot: uPlot, colour: string): void {
        const [xs, ys] = [this.points("x"), this.points("y")], { ctx } = plot, size = 3.5 * uPlot.pxRatio;
        ctx.save();
        ctx.strokeStyle = colour;
        ctx.lineWidth = 1.5 * uPlot.pxRatio;
        xs.forEach((x, k) => {
            ctx.beginPath();
            ctx.arc(plot.valToPos(x, "x", true), plot.valToPos(ys[k]!, "y", true), size, 0, 2 * Math.PI);
            ctx.stroke();
        });
        ctx.restore();
    }

    /** In the order of time, wherever that goes; a gap where a value is not known. */
    private path(plot: uPlot, { x, y }: Curve): uPlot.Series.Paths {
        const stroke = new Path2D();
        let pen = false;
        for (let row = 0; row < x.length; ++row) {
            const known = Number.isFinite(x[row]! + y[row]!);
            if (known) {
                const [u, v] = [plot.valToPos(x[row]!, "x", true), plot.valToPos(y[row]!, "y", true)];
                pen ? stroke.lineTo(u, v) : stroke.moveTo(u, v);
            }
            pen = known;
        }
        return { stroke };
    }

    /** To the moment whose point is nearest to the pointer, and on while it moves. */
    private seek(event: PointerEvent): void {
        const { player, store } = this.host.context, over = this.plot?.over;
        if (event.button !== 0 || over === undefined) {
            return;
        }
        const go = (at: PointerEvent): void => {
            const box = over.getBoundingClientRect();
            let best = { far: Infinity, time: store.get().time };
            for (const { x, y, time } of this.curves) {
                for (let row = 0; row < x.length && this.plot !== null; ++row) {
                    const far = Math.hypot(this.plot.valToPos(x[row]!, "x") - at.clientX + box.left, this.plot.valToPos(y[row]!, "y") - at.clientY + box.top);
                    best = far < best.far ? { far, time: time[row]! } : best;
                }
            }
            seekFrame(player, best.time);
        };
        store.set({ playing: false });
        this.area.setPointerCapture(event.pointerId);
        this.area.addEventListener("pointermove", go);
        this.area.addEventListener("lostpointercapture", () => this.area.removeEventListener("pointermove", go), { once: true });
        go(event);
    }
}
