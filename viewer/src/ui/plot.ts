// One plot: lines over time, a line at the moment shown, and a list of the lines with their values there.

import uPlot from "uplot";
import { formatNumber, scaleFor } from "../draw/numbers";
import type { Run } from "../types";
import { isCompare, type Context } from "./context";
import { button, el, press, setText } from "./dom";
import { lineValues, logTicks, rowAt, type Chart, type Line } from "./charts";
import { seekFrame } from "./seek";

export const SERIES_COLOURS = 8; // --series-0 ... of style.css
const WIDE = 520; // [px] from here on a plot may be higher
const HEIGHT = 132;
const HEIGHT_WIDE = 190;
const WHOLE = Array.from({ length: 7 }, (_, power) => [1, 2, 5].map((factor) => factor * 10 ** power)).flat(); // steps between ticks of counts

/** A line as it is drawn: of one run. */
interface Drawn {
    line: Line;
    run: Run;
    key: HTMLElement;
    value: HTMLElement;
    shown: boolean;
}

export function plotHeight(width: number): number {
    return width >= WIDE ? HEIGHT_WIDE : HEIGHT;
}

/** How axes look, in the colours of the theme. */
export function axisStyle(): { axis: uPlot.Axis; colour: (name: string) => () => string } {
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => (): string => style.getPropertyValue(name);
    const grid = { stroke: colour("--grid"), width: 1 };
    return { axis: { stroke: colour("--muted"), font: `11px ${style.getPropertyValue("--font")}`, grid, ticks: { ...grid, size: 4 } }, colour };
}

export interface PlotHost {
    context: Context;
    zoom(range: [number, number] | null): void;
    window(): [number, number] | null;
    close(id: string): void;
}

export class Plot {
    readonly element: HTMLElement;
    private readonly area = el("div", { class: "plot-area" });
    private readonly now = el("div", { class: "plot-now" });
    private readonly unit = el("span", { class: "unit" });
    private readonly legend = el("ul", { class: "plot-legend" });
    private readonly logKnob: HTMLButtonElement;
    private drawn: Drawn[] = [];
    private chosen: Line; // of a comparison: the one line that is drawn of every run
    private plot: uPlot | null = null;
    private log: boolean;
    private hover: number | null = null; // [s]
    private factor = 1;
    private data: uPlot.AlignedData = [[]];

    constructor(readonly chart: Chart, private readonly host: PlotHost) {
        this.log = chart.log;
        this.chosen = chart.lines[0]!;
        this.logKnob = button({
            label: "Logarithmic scale (of magnitudes)", text: "log", class: "small", pressed: this.log, act: () => this.setLog(!this.log),
        });
        this.area.setAttribute("role", "img");
        this.area.setAttribute("aria-label", `${chart.title} over time. Values at the moment shown are listed below.`);
        this.element = el("article", { class: "plot", "data-chart": chart.id },
            el("header", { class: "plot-head" }, el("h4", {}, chart.title), this.unit, el("span", { class: "grow" }), this.lineChoice(), this.logKnob,
                button({ label: `Remove the plot ${chart.title}`, icon: "close", class: "quiet", act: () => host.close(chart.id) })),
            this.area, this.legend);
        this.list();
    }

    /** Draws anew: it became visible, there are more rows, or its width changed. */
    update(): void {
        const width = this.area.clientWidth;
        if (width === 0) {
            return;
        }
        this.collect();
        if (this.plot === null) {
            this.create(width);
        } else {
            this.plot.setData(this.data, false);
            this.resize();
        }
        this.applyWindow();
        this.showTime();
    }

    resize(): void {
        const width = this.area.clientWidth;
        const height = plotHeight(width);
        if (this.plot === null) {
            // Built before the page had room for it: an address that opens the tab at once.
            this.update();
        } else if (width > 0 && (this.plot.width !== width || this.plot.height !== height)) {
            this.plot.setSize({ width, height });
            this.showTime();
        }
    }

    recolour(): void {
        this.plot?.redraw(false, false);
    }

    /** The line of the moment, and the values in the list. */
    showTime(): void {
        if (this.plot === null) {
            return;
        }
        this.placeNow();
        this.showValues(this.hover ?? this.host.context.store.get().time);
    }

    private placeNow(): void {
        if (this.plot === null) {
            return;
        }
        const x = this.plot.valToPos(this.host.context.store.get().time, "x");
        const inside = x >= -1 && x <= this.plot.over.clientWidth + 1;
        this.now.hidden = !inside;
        if (inside) {
            this.now.style.transform = `translateX(${x.toFixed(1)}px)`;
        }
    }

    applyWindow(): void {
        const { player } = this.host.context;
        const times = this.data[0];
        const whole: [number, number] = [Math.min(player.start, times[0] ?? 0), Math.max(player.end, times[times.length - 1] ?? 1)];
        const [min, max] = this.host.window() ?? whole;
        this.plot?.setScale("x", { min, max: max > min ? max : min + 1 });
    }

    destroy(): void {
        this.plot?.destroy();
        this.plot = null;
        this.element.remove();
    }

    private get compare(): boolean {
        return isCompare(this.host.context);
    }

    private setLog(log: boolean): void {
        this.log = log;
        press(this.logKnob, log);
        this.rebuild();
    }

    private rebuild(): void {
        this.plot?.destroy();
        this.plot = null;
        this.update();
    }

    /** Many lines of many runs cannot be told apart: a comparison shows one line of each run at a time. */
    private lineChoice(): HTMLElement | null {
        if (!this.compare || this.chart.lines.length < 2) {
            return null;
        }
        const select = el("select", {
            class: "select small", "aria-label": `Line of ${this.chart.title}`,
            onchange: () => {
                this.chosen = this.chart.lines[select.selectedIndex]!;
                this.list();
                this.rebuild();
            },
        }, ...this.chart.lines.map((line) => el("option", {}, line.label)));
        return select;
    }

    private list(): void {
        const { runs } = this.host.context;
        const pairs = this.compare
            ? runs.map((run) => ({ line: this.chosen, run, label: run.name }))
            : this.chart.lines.map((line) => ({ line, run: runs[0]!, label: line.label }));
        this.drawn = pairs.map(({ line, run, label }, i) => {
            const value = el("span", { class: "value" });
            const key = el("button", {
                type: "button", class: "plot-key", "aria-pressed": "true", title: "Show or hide this line", "data-series": line.column,
                onclick: () => this.flip(i),
            }, el("span", { class: "key-colour" }), el("span", { class: "key-label" }, label), value);
            key.style.setProperty("--key", `var(--series-${i % SERIES_COLOURS})`);
            return { line, run, key, value, shown: true };
        });
        this.legend.replaceChildren(...this.drawn.map((drawn) => el("li", {}, drawn.key)));
    }

    private flip(i: number): void {
        const drawn = this.drawn[i]!;
        drawn.shown = !drawn.shown;
        press(drawn.key, drawn.shown);
        this.plot?.setSeries(i + 1, { show: drawn.shown });
    }

    private collect(): void {
        const tables = new Map<Run, (number | null)[][]>();
        for (const { line, run } of this.drawn) {
            const { series } = run;
            const table = tables.get(run) ?? [Array.from(series.column("time") ?? [])];
            table.push(lineValues(line, (name) => series.column(name), series.rows, this.log));
            tables.set(run, table);
        }
        const list = [...tables.values()] as unknown as uPlot.AlignedData[];
        this.data = list.length === 1 ? list[0]! : uPlot.join(list);
        let most = 0;
        for (const values of this.data.slice(1)) {
            for (const value of values as (number | null | undefined)[]) {
                most = Math.max(most, Math.abs(value ?? 0));
            }
        }
        // One prefix for the axis: kJ, mm
        const scale = this.log ? { factor: 1, unit: this.chart.unit === "1" ? "" : this.chart.unit } : scaleFor(most, this.chart.unit);
        this.factor = scale.factor;
        setText(this.unit, scale.unit);
    }

    private showValues(time: number): void {
        for (const { line, run, value } of this.drawn) {
            const times = run.series.column("time");
            const row = times === null ? -1 : rowAt(times, time);
            const parts = (line.sum ?? [line.column]).map((name) => run.series.column(name)?.[row] ?? NaN);
            const sum = parts.reduce((total, part) => total + part, 0);
            setText(value, formatNumber(sum / this.factor, 4));
        }
    }

    private create(width: number): void {
        const { axis, colour } = axisStyle();
        const { store } = this.host.context;
        const values = (_: uPlot, splits: number[]): string[] =>
            splits.map((value) => (value === null ? "" : formatNumber(value / this.factor, 4)));
        const options: uPlot.Options = {
            width, height: plotHeight(width), legend: { show: false }, padding: [8, 8, 0, 0],
            scales: {
                x: { time: false, auto: false },
                y: this.log ? { distr: 3 } : { range: (_, low, high) => this.yRange(low, high) },
            },
            axes: [
                { ...axis, size: 24, gap: 2, space: 56, values: (_, splits) => splits.map((value) => formatNumber(value, 5)) },
                { ...axis, size: 54, gap: 4, space: 28, values, ...this.ticks() },
            ],
            series: [{}, ...this.drawn.map((drawn, i): uPlot.Series => ({
                stroke: colour(`--series-${i % SERIES_COLOURS}`), width: 1.5, pxAlign: 0, show: drawn.shown, points: { show: false },
            }))],
            cursor: {
                y: false, sync: { key: "brunt", setSeries: false }, drag: { x: true, y: false, setScale: false },
                points: { size: 6 },
                // The plain drag moves the time; with shift it chooses a part to zoom into.
                bind: { mousedown: (_u, _target, handler) => (event: MouseEvent): null => (event.shiftKey ? (handler(event) as null) : null),
                    dblclick: () => () => { this.host.zoom(null); return null; } },
            },
            hooks: {
                setCursor: [(plot) => {
                    const index = plot.cursor.idx;
                    this.hover = index === null || index === undefined || plot.cursor.left! < 0 ? null : plot.data[0][index] ?? null;
                    this.showValues(this.hover ?? store.get().time);
                }],
                drawAxes: [(plot) => this.drawStages(plot, colour)],
                setSelect: [(plot) => this.selected(plot)],
                // Scales take effect with the drawing.
                draw: [() => this.placeNow()],
            },
        };
        this.plot = new uPlot(options, this.data, this.area);
        this.plot.over.append(this.now);
        this.scrubbing(this.plot.over);
    }

    /** A thin line where a stage begins; several runs have too many of them. */
    private drawStages(plot: uPlot, colour: (name: string) => () => string): void {
        const { left, top, width, height } = plot.bbox;
        plot.ctx.fillStyle = colour("--edge")();
        for (const stage of this.compare ? [] : this.host.context.runs[0]!.stages) {
            const x = plot.valToPos(stage.begin, "x", true);
            if (x > left + 1 && x < left + width) {
                plot.ctx.fillRect(Math.round(x), top, Math.max(1, Math.round(window.devicePixelRatio)), height);
            }
        }
    }

    private ticks(): Partial<uPlot.Axis> {
        if (this.log) {
            return { splits: (_plot, _axis, low, high) => logTicks(low, high), filter: (_plot, splits) => splits };
        }
        return this.chart.whole ? { incrs: WHOLE } : {};
    }

    /** Room above and below; counts and flat lines keep a sensible scale. */
    private yRange(low: number, high: number): [number, number] {
        if (!Number.isFinite(low) || !Number.isFinite(high)) {
            return [0, 1];
        }
        const room = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
        const bottom = low >= 0 && low - room < 0 ? 0 : low - room;
        return [bottom, this.chart.whole ? Math.max(high + room, bottom + 1) : high + room];
    }

    private selected(plot: uPlot): void {
        const { left, width } = plot.select;
        if (width > 6) {
            this.host.zoom([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
        }
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    }

    private scrubbing(over: HTMLElement): void {
        const { player, store } = this.host.context;
        const seek = (event: PointerEvent): void => {
            const time = this.plot?.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
            if (time !== undefined) {
                seekFrame(player, time);
            }
        };
        over.addEventListener("pointerdown", (event) => {
            if (event.button !== 0 || event.shiftKey) {
                return;
            }
            over.setPointerCapture(event.pointerId);
            store.set({ playing: false });
            seek(event);
            over.addEventListener("pointermove", seek);
            over.addEventListener("lostpointercapture", () => over.removeEventListener("pointermove", seek), { once: true });
        });
        over.addEventListener("wheel", (event) => {
            // Without the key the wheel scrolls the panel, as everywhere.
            if (event.ctrlKey && this.plot !== null) {
                event.preventDefault();
                const at = this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
                const { min, max } = this.plot.scales["x"]!;
                const factor = Math.exp(Math.min(Math.max(event.deltaY, -100), 100) * 0.004);
                this.host.zoom([at - (at - min!) * factor, at + (max! - at) * factor]);
            }
        }, { passive: false });
    }
}
