// The page around the stage: builds all parts and says where they stand.

import type { Run } from "../types";
import { topbar } from "./topbar";
import { Capture } from "./capture";
import { ColourBar } from "./colour_bar";
import { firstRun, isCompare, type Context } from "./context";
import { contactKey } from "./contact_key";
import { copyText } from "./copy";
import { el, follow } from "./dom";
import { Grab } from "./grab";
import { GamepadHand } from "./gamepad";
import { Help } from "./help";
import { JointHand } from "./joints";
import { LiveBar } from "./live_bar";
import { paneTitles } from "./pane_titles";
import { Panel, type Tab } from "./panel";
import { Probe } from "./probe";
import { RangeKeeper } from "./range";
import { Shortcuts } from "./shortcuts";
import { addKeys, jointKeys, stageKeys } from "./keys";
import { StageTools } from "./stage_tools";
import { BodiesTab } from "./tab_bodies";
import { ColoursTab } from "./tab_colours";
import { CompareTab } from "./tab_compare";
import { ContactsTab } from "./tab_contacts";
import { JointsTab } from "./tab_joints";
import { LiveTab } from "./tab_live";
import { PlotsTab } from "./tab_plots";
import { SceneTab } from "./tab_scene";
import { StagesTab } from "./tab_stages";
import { StudyTab } from "./tab_study";
import { SummaryTab } from "./tab_summary";
import { Timeline } from "./timeline";

/** Tabs that a page has, also for who checks an address. */
export function tabNames(runs: readonly Run[]): string[] {
    const compare = runs.length > 1, live = runs.some((run) => run.live);
    const stages = !compare && (live || runs.some((run) => run.stages.length > 0));
    const study = !compare && runs.some((run) => run.study !== null);
    return ["colours", "bodies", "contacts", "plots", "scene", ...(stages ? ["stages"] : []), ...(study ? ["study"] : []), compare ? "compare" : "summary",
        ...(live ? ["live", "joints"] : [])];
}

export class Shell {
    readonly probe: Probe;
    readonly range: RangeKeeper;
    readonly capture: Capture;
    readonly timeline: Timeline;
    readonly tools: StageTools;
    readonly help: Help;
    readonly panel: Panel;
    readonly grab: Grab | null;
    readonly liveBar: LiveBar | null;
    private readonly shortcuts: Shortcuts;
    private staged = false; // there are stages to see

    constructor(readonly context: Context, readonly app: HTMLElement, readonly stageHost: HTMLElement) {
        const { store, sources } = context;
        const link = sources.find((source) => source.live !== null)?.live ?? null;
        this.range = new RangeKeeper(context);
        this.probe = new Probe(context, stageHost);
        this.capture = new Capture(context, this.range);
        this.timeline = new Timeline(context);
        this.tools = new StageTools(context);
        this.shortcuts = new Shortcuts(stageHost);
        this.help = new Help(() => this.shortcuts.table, () => (link === null ? [] : [["Alt + drag a body", "pull it"]]));
        this.grab = link === null ? null : new Grab(context, link);
        this.liveBar = link === null || this.grab === null ? null : new LiveBar(context, link, this.grab);
        const tabs: Tab[] = [
            new ColoursTab(context, this.range, this.probe), new BodiesTab(context), new ContactsTab(context), new PlotsTab(context),
            new SceneTab(context),
            ...(isCompare(context) ? [new CompareTab(context)] : [new StagesTab(context, link), ...(firstRun(context).study !== null ? [new StudyTab(context)] : []), new SummaryTab(context)]),
        ];
        if (link !== null) {
            const joints = new JointHand(context, link);
            tabs.push(new LiveTab(context, link), new JointsTab(link, joints, new GamepadHand(joints)));
            joints.onFirst(() => {
                this.panel.offer("joints", true);
                this.shortcuts.add(...jointKeys(joints));
            });
        }
        // A table of several runs wants room.
        this.panel = new Panel(tabs, store, isCompare(context) ? Math.min(300 + 70 * context.runs.length, 560) : undefined);
        this.panel.offer("joints", false);
        this.panel.offer("stages", false);
        // Beside the picture: what is always there must not cover the bodies.
        const bar = el("div", { class: "stage-bar" }, context.stage.cross, new ColourBar(context, this.range).element, this.liveBar?.element,
            this.tools.element, contactKey(context));
        const overlay = el("div", { class: "overlay" }, this.probe.element, this.grab?.element, paneTitles(context), this.capture.element,
            context.status.element);
        app.append(
            el("a", { class: "skip", href: "#", onclick: (event: Event) => { event.preventDefault(); stageHost.focus(); } }, "To the picture"),
            topbar(context, {
                link: () => void this.copyLink(),
                screenshot: () => void this.capture.screenshot(),
                record: () => void this.capture.record(),
                theme: () => this.flipTheme(),
                help: () => this.help.toggle(),
            }),
            el("main", { class: "main" }, bar, el("div", { class: "stage-frame" }, stageHost, overlay)),
            this.panel.rail, this.panel.element, this.timeline.element, this.help.element);
        addKeys(this.shortcuts, this);
        this.offerStages();
        link?.onChange(() => this.offerStages());
        follow(store, ["theme"], (view) => (document.documentElement.dataset["theme"] = view.theme));
        document.title = `${firstRun(context).title || firstRun(context).name} – brunt`;
    }

    flipTheme(): void {
        const { store, status } = this.context;
        const theme = store.get().theme === "dark" ? "light" : "dark";
        store.set({ theme });
        status.say(`${theme} colours`);
    }

    /** A live run says with its first frame whether it has stages. */
    private offerStages(): void {
        if (!this.staged && this.context.runs.some((run) => run.stages.length > 0)) {
            this.staged = true;
            this.panel.offer("stages", true);
            this.shortcuts.add(...stageKeys(this));
        }
    }

    private async copyLink(): Promise<void> {
        const done = await copyText(location.href);
        this.context.status.show(done ? "The link to this view is on the clipboard" : `This browser does not let the page copy: ${location.href}`,
            done ? "info" : "problem");
    }
}
