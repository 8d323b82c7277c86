// What the parts of the page hand to each other: runs, frames, what is under the pointer. The wire format is docs/viewer.md.

export type BodyType = "deformable" | "static" | "rigid" | "shell";

export interface Body {
    name: string;
    type: BodyType;
    plane: boolean;
    vertexFirst: number;
    vertexCount: number;
    triFirst: number;
    triCount: number;
    edgeFirst: number;
    edgeCount: number;
}

export interface Field {
    name: string;
    label: string;
    unit: string;
    range: [number, number]; // over all frames
}

export interface Series {
    columns: string[];
    rows: number;
    of: number; // rows before thinning
    column(name: string): Float32Array | null; // a live run: the rows so far
    whole(name: string): Float32Array | null; // rows whose values occurred together; thinned ones keep the extremes of each column
}

/** A figure of a step: a column of the series. chart: what it is plotted with; without one it has a plot of its own where it belongs
 * to a method (group), else none. */
export interface StepFigure {
    name: string;
    label: string;
    unit: string;
    chart: string | null;
    group: string | null;
    whole: boolean;
}

/** A figure of the whole run: a key of the summary. */
export interface RunFigure {
    name: string;
    label: string;
    unit: string;
    group: string;
    whole: boolean;
    better: "low" | "high" | null;
}

export interface ChartInfo {
    id: string;
    title: string;
    log: boolean; // at first
    first: boolean; // shown before a person chooses
}

/** A figure of a stage: with the stage's name before it ("launch.speed") a key of the summary. */
export interface StageFigure {
    name: string;
    label: string;
    unit: string;
}

/** What brunt measures: names, units, plots. The page knows of no figure but from here. */
export interface Figures {
    charts: ChartInfo[];
    step: StepFigure[];
    run: RunFigure[];
    stageNames: string[];
    stage: StageFigure[];
}

/** A stage of the body that is launched, at its end or, while it lasts, now. */
export interface RunStage {
    name: string;
    kind: number; // its place among the stages that there are
    integrator: string;
    verdict: string; // how a landing ends; "": nothing is said
    begin: number; // [s]
    end: number; // [s] NaN: it is not over
    values: Readonly<Record<string, number>>; // figures by their names; NaN: not known
}

/** How far a run is from the first of its page, over all frames and nodes [m]; NaN: not known. */
export interface Difference {
    sameMesh: boolean; // else only probes are compared
    max: number;
    maxTime: number; // [s] when and where it was largest
    maxBody: string;
    rms: number;
    endMax: number; // at the last common time
    endRms: number;
    timeEnd: number;
    probeMax: number;
    probeMaxName: string;
}

/** A plot that the scene asks for: a column over another, and points to compare the curve with. */
export interface Pair {
    x: string;
    y: string;
    source: string; // what the points are
    points: [number, number][];
}

/** A column of a study's table. */
export interface StudyColumn {
    name: string;
    role: "parameter" | "objective" | "constraint" | "figure" | "success"; // constraint: at most 0; success: a share
    unit: string;
    low: number; // bounds of a parameter; NaN: none
    high: number;
    log: boolean; // a parameter that is varied by factors
}

/** A design or sweep: a row an evaluation, in their order. */
export interface Study {
    kind: "design" | "sweep";
    goal: string; // what is sought, in the words of the problem; "": nothing
    highest: boolean; // rather than lowest
    columns: StudyColumn[];
    rows: number[][]; // NaN: not known
    start: number; // a row; -1: none
    best: number;
}

/** A way in which bodies vibrate. Its shape is a packet of its own. */
export interface Mode {
    rigid: boolean; // nothing resists it: the other figures are 0
    frequency: number; // [Hz]
    damped: number; // [Hz] 0: overdamped
    ratio: number; // of critical damping
    mass: number; // [kg] modal, of the shape whose largest displacement is 1
    effectiveMass: [number, number, number]; // [kg] along the axes
}

/** What does not change in time. */
export interface Run {
    name: string;
    title: string;
    method: string;
    version: string;
    dimension: 2 | 3;
    end: number;
    step: number;
    live: boolean;
    still: boolean; // a sequence of equilibria
    recorded: number;
    times: number[]; // of the frames that can be had; a live run's grows
    thinned: string | null;
    bodies: Body[];
    fields: Field[];
    contacts: boolean;
    scene: string;
    summary: Record<string, unknown> | null;
    series: Series;
    plots: Pair[];
    figures: Figures;
    stages: RunStage[]; // of a live run those so far
    study: Study | null; // that it came of
    notes: string[];
    rest: Float32Array; // [vertices][3]
    node: Uint32Array; // [vertices]
    tri: Uint32Array; // [triangles][3]
    edge: Uint32Array; // [edges][2]
    difference: Difference | null;
    modes: Mode[]; // instead of a course in time: times are then parts of a period
    moments: Float32Array[]; // positions [vertices][3] of some frames, for who wants to see all of the motion; may be empty
}

export interface Contacts {
    count: number;
    total: number;
    data: Float32Array; // [count][9]: place, friction, normal force, gap, slip speed
    normal: Int16Array; // [count][3] times 32767
    body: Uint16Array; // [count][2]
    stick: Uint8Array; // [count]
}

/** One moment of a run, decoded. */
export interface Frame {
    index: number;
    time: number;
    step: number;
    position: Float32Array; // [vertices][3]
    fields: ReadonlyMap<string, Float32Array>; // [vertices]
    bytes: number; // in memory
    contacts: Contacts;
}

/** Where packets come from. frame() may be asked for in any order; an abandoned wish is cheap. */
export interface Source {
    run: Run;
    frame(index: number): Promise<Frame>;
    live: LiveLink | null;
    remote: boolean; // frames are fetched, one by one: none that is not wanted
    oscillate?(mode: number, amplitude: number): void; // of modes: what frames show from now on
}

/** A joint of a robot whose drive has a target. */
export interface LiveJoint {
    number: number; // in commands
    robot: string;
    name: string;
    drive: "position" | "velocity" | "torque"; // what the target is
    unit: string; // of its position: "rad" or "m"
    range: [number, number]; // of targets
    target: number;
    hand: boolean; // the target was set by a person, and is not the scene's
    position: number;
    velocity: number;
    effort: number; // [N m] or [N]
}

export interface LiveState {
    running: boolean;
    done: boolean;
    speed: number;
    time: number;
    step: number;
    rate: number;
    dropped: number;
    error: string | null;
    gravity: [number, number, number];
    friction: { bodies: [string, string]; value: number }[];
    motions: { name: string; speed: number }[];
    movable: number[];
    joints: LiveJoint[];
}

export interface LiveLink {
    state: LiveState | null;
    connected: boolean;
    problem: string | null; // what a person should know about the connection
    arrivals: number; // frames that came so far
    drawn(): void; // the newest frame was drawn: the next one may come
    send(command: string): void;
    onChange(listener: () => void): void; // state or connection changed, or a frame arrived
}

/** What is under the pointer. */
export interface Hit {
    pane: number; // which run
    body: number;
    vertex: number; // nearest vertex of the triangle
    node: number;
    point: [number, number, number];
    value: number | null; // of the field that colours the bodies, interpolated at the point
}
