// Tab: plots of the run's series, linked with the timeline.

import { type Context } from "./context";
import { button, el, follow, onceAFrame, section } from "./dom";
import { chartsOf, firstCharts, pairChart, type Chart } from "./charts";
import { columnsOf, forceDisplacement, pairId, reach, type Column } from "./columns";
import { figuresOfAll } from "./figures";
import type { Pair, Run } from "../types";
import type { Tab } from "./panel";
import { Plot, type PlotHost } from "./plot";
import { XyPlot } from "./xy_plot";

const LIVE_EVERY = 250; // [ms] rows of a running simulation come faster than one looks

export class PlotsTab implements Tab, PlotHost {
    readonly id = "plots";
    readonly label = "Plots";
    readonly icon = "plots";
    private readonly charts: Chart[];
    private readonly columns: Column[];
    private readonly asked: Pair[]; // by the scenes
    private readonly offered: Chart[]; // first of all: what the scenes ask for, else force over displacement
    private readonly plots = new Map<string, Plot | XyPlot>();
    private readonly list = el("div", { class: "plots" });
    private readonly boxes = new Map<string, HTMLInputElement>();
    private part: [number, number] | null = null; // of the time that is shown
    private visible = false;
    private stale = 0;

    constructor(readonly context: Context) {
        const names = PlotsTab.names(context.runs), figures = figuresOfAll(context.runs);
        this.charts = chartsOf(names, figures);
        this.columns = columnsOf(names, figures);
        this.asked = context.runs.flatMap((run) => run.plots);
        this.offered = PlotsTab.offer(context.runs).map((id) => this.chartOf(id)).filter((chart): chart is Chart => chart !== null);
    }

    /** Plots that a page shows before anybody chooses. */
    static first(runs: readonly Run[]): string[] {
        const { series } = runs[0]!;
        const first = firstCharts(PlotsTab.names(runs), figuresOfAll(runs), (name) => reach(series.column(name)) > 0);
        return [...PlotsTab.offer(runs), ...first];
    }

    /** What the scenes ask for; else force over displacement, where the first run has them. */
    private static offer(runs: readonly Run[]): string[] {
        const asked = runs.flatMap((run) => run.plots.map(({ x, y }) => pairId(x, y)));
        if (asked.length > 0) {
            return [...new Set(asked)];
        }
        const { series } = runs[0]!, pair = forceDisplacement(series.columns, (name) => series.column(name));
        return pair === null ? [] : [pairId(pair.x, pair.y)];
    }

    private static names(runs: readonly Run[]): string[] {
        return [...new Set(runs.flatMap((run) => run.series.columns))];
    }

    build(host: HTMLElement): void {
        const { store, sources } = this.context;
        if (this.charts.length === 0) {
            host.append(el("p", { class: "hint" }, "This run has no series."));
            return;
        }
        const thinned = this.context.runs.find((run) => run.series.rows < run.series.of);
        host.append(this.tools(), this.chooser(), this.pairing(), this.list);
        if (thinned !== undefined) {
            const { rows, of } = thinned.series;
            host.append(el("p", { class: "hint" }, `Every plot has ${rows} of ${of} rows: the file stays small. series.csv has all.`));
        }
        follow(store, ["plots"], () => this.arrange());
        follow(store, ["theme"], () => this.plots.forEach((plot) => plot.recolour()));
        const move = onceAFrame(() => this.visible && this.plots.forEach((plot) => plot.showTime()));
        store.listen((_, changed) => changed.has("time") && move());
        new ResizeObserver(onceAFrame(() => this.plots.forEach((plot) => plot.resize()))).observe(this.list);
        sources.forEach((source) => source.live?.onChange(() => this.grown()));
    }

    shown(visible: boolean): void {
        this.visible = visible;
        if (visible) {
            this.plots.forEach((plot) => plot.update());
        }
    }

    zoom(range: [number, number] | null): void {
        const { start, end } = this.context.player;
        const span = end - start;
        // At most the whole, at least a thousandth of it.
        if (range !== null && range[1] - range[0] < span) {
            const width = Math.max(range[1] - range[0], span / 1000);
            const low = Math.min(Math.max(range[0], start), end - width);
            this.part = [low, low + width];
        } else {
            this.part = null;
        }
        this.plots.forEach((plot) => {
            plot.applyWindow();
            plot.showTime();
        });
    }

    window(): [number, number] | null {
        return this.part;
    }

    close(id: string): void {
        const { store } = this.context;
        store.set({ plots: store.get().plots.filter((other) => other !== id) });
    }

    private zoomBy(factor: number): void {
        const { player, store } = this.context;
        const [low, high] = this.part ?? [player.start, player.end];
        const { time } = store.get();
        const middle = time >= low && time <= high ? time : (low + high) / 2;
        this.zoom([middle - (middle - low) * factor, middle + (high - middle) * factor]);
    }

    private tools(): HTMLElement {
        return el("div", { class: "row plot-tools" },
            el("span", { class: "grow hint", title: "Ctrl + wheel zooms too, a double click shows the whole run" },
                "Drag: time · Shift + drag: zoom"),
            button({ label: "Zoom in on the time shown", icon: "plus", class: "quiet", act: () => this.zoomBy(0.5) }),
            button({ label: "Zoom out", icon: "minus", class: "quiet", act: () => this.zoomBy(2) }),
            button({ label: "Show the whole run", icon: "frame", class: "quiet", act: () => this.zoom(null) }));
    }

    private chooser(): HTMLElement {
        const { store } = this.context;
        const groups = new Map<string, Chart[]>();
        const all = [...this.offered, ...this.charts];
        all.forEach((chart) => groups.set(chart.group, [...(groups.get(chart.group) ?? []), chart]));
        const rows: { name: string; row: HTMLElement }[] = [];
        const host = el("div", { class: "plot-choices" });
        for (const [group, charts] of groups) {
            host.append(el("h5", {}, group));
            for (const chart of charts) {
                const box = el("input", {
                    type: "checkbox", onchange: () => {
                        const { plots } = store.get();
                        store.set({ plots: box.checked ? [...plots, chart.id] : plots.filter((id) => id !== chart.id) });
                    },
                });
                this.boxes.set(chart.id, box);
                const row = el("label", { class: "row" }, box, el("span", { class: "grow" }, chart.title));
                rows.push({ name: chart.title.toLowerCase(), row });
                host.append(row);
            }
        }
        const search = el("input", {
            type: "search", class: "field wide", placeholder: "Search", "aria-label": "Search plots",
            oninput: () => rows.forEach(({ name, row }) => (row.hidden = !name.includes(search.value.trim().toLowerCase()))),
        });
        search.hidden = rows.length < 24;
        return el("details", { class: "chooser" }, el("summary", {}, "Choose plots"), section("", search, host));
    }

    /** Any column over any other. */
    private pairing(): HTMLElement {
        const { store } = this.context;
        const choice = (label: string, chosen: string): HTMLSelectElement => {
            const groups = new Map<string, HTMLOptGroupElement>();
            for (const { name, label: text, group, unit } of this.columns) {
                const host = groups.get(group) ?? el("optgroup", { label: group });
                host.append(el("option", { value: name, selected: name === chosen }, unit === "" || unit === "1" ? text : `${text} [${unit}]`));
                groups.set(group, host);
            }
            return el("select", { class: "select small grow", "aria-label": label }, ...groups.values());
        };
        const [x, y] = [this.offered[0]?.x?.name ?? "time", this.offered[0]?.lines[0]?.column ?? this.columns[0]?.name ?? "time"];
        const vertical = choice("Vertical axis", y), horizontal = choice("Horizontal axis", x);
        vertical.id = "xy-y";
        horizontal.id = "xy-x";
        const add = button({
            id: "xy-add", label: "Add this plot", text: "Add", icon: "plus", class: "small", act: () => {
                const id = pairId(horizontal.value, vertical.value);
                store.set({ plots: [id, ...store.get().plots.filter((other) => other !== id)] });
            },
        });
        return el("details", { class: "chooser" }, el("summary", {}, "One column over another"),
            section("", el("label", { class: "row" }, el("span", { class: "axis-name" }, "Vertical"), vertical),
                el("label", { class: "row" }, el("span", { class: "axis-name" }, "Horizontal"), horizontal), add));
    }

    private chartOf(id: string): Chart | null {
        return this.charts.find((chart) => chart.id === id) ?? pairChart(id, this.columns, this.asked);
    }

    private arrange(): void {
        const { plots } = this.context.store.get();
        const wanted = plots.map((id) => this.chartOf(id)).filter((chart): chart is Chart => chart !== null);
        for (const [id, plot] of this.plots) {
            if (!wanted.some((chart) => chart.id === id)) {
                plot.destroy();
                this.plots.delete(id);
            }
        }
        for (const chart of wanted) {
            const known = this.plots.get(chart.id) ?? (chart.x === undefined ? new Plot(chart, this) : new XyPlot(chart, this));
            this.plots.set(chart.id, known);
            this.list.append(known.element);
            known.update();
        }
        this.boxes.forEach((box, id) => (box.checked = plots.includes(id)));
    }

    private grown(): void {
        if (this.stale === 0 && this.visible) {
            this.stale = window.setTimeout(() => {
                this.stale = 0;
                this.plots.forEach((plot) => plot.update());
            }, LIVE_EVERY);
        }
    }
}
