// Parts of the shell that do not need a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chartsOf, firstCharts, lineValues, logTicks, rowAt } from "../src/ui/charts";
import { stagesOf } from "../src/data/stages";
import { studyOf } from "../src/data/study";
import { bestOf, figuresOfAll, groupFigures, stageFigures } from "../src/ui/figures";
import { formatCount, formatSpeed, formatTime, timeDigits, fileName } from "../src/ui/format";
import { stick } from "../src/ui/gamepad";
import { nowText, targetText } from "../src/ui/joints";
import { nearestFrame } from "../src/ui/seek";
import { courseText, energiesOf, frameOfStage, neighbour, rowsOf, spanText, stageAt } from "../src/ui/stages";
import { bestSoFar, isFeasible, parameterRows, ranks, rowText, succeeds, wantsLog } from "../src/ui/study";
import { yamlTokens } from "../src/ui/yaml";

const kinds = (line) => yamlTokens(line).filter((token) => token.text.trim() !== "").map((token) => `${token.kind}:${token.text.trim()}`);

test("yaml: parts of a line", () => {
    assert.deepEqual(kinds("  young: 2.0e+05  # Pa"), ["key:young", "mark::", "number:2.0e+05", "comment:# Pa"]);
    assert.deepEqual(kinds("- name: \"a # b: c\""), ["mark:-", "key:name", "mark::", "text:\"a # b: c\""]);
    assert.deepEqual(kinds("gravity: [0.0, -9.81, .inf]"),
        ["key:gravity", "mark:: [", "number:0.0", "mark:,", "number:-9.81", "mark:,", "number:.inf", "mark:]"]);
    assert.deepEqual(kinds("# a comment"), ["comment:# a comment"]);
    assert.deepEqual(kinds("title: it's a # b"), ["key:title", "mark::", "word:it", "text:'s a # b"]);
    assert.deepEqual(kinds("type: implicit_euler"), ["key:type", "mark::", "word:implicit_euler"]);
    assert.deepEqual(kinds("url: http://x#y"), ["key:url", "mark::", "word:http://x#y"]);
});

test("yaml: every character is in exactly one token", () => {
    let seed = 7;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const letters = "ab1 :-#\"'[]{},.e+\\<>&\té";
    for (let i = 0; i < 2000; i++) {
        const line = Array.from({ length: Math.floor(40 * random()) }, () => letters[Math.floor(letters.length * random())]).join("");
        assert.equal(yamlTokens(line).map((token) => token.text).join(""), line);
    }
});

const COLUMNS = [
    "step", "time", "iterations", "contacts", "sticking", "slipping", "gap_min", "kinetic", "elastic", "gravity", "contact", "work", "dissipated",
    "energy_error", "momentum_error", "angular_momentum_error", "wall_s", "press.force_x", "press.force_y", "press.dx", "press.dy", "a.b.x", "a.b.vx",
    "a.b.rz", "box.contact_x", "deep.layer", "strange",
];

// A table as a packet carries it: some figures of all methods, one of a method's own.
const step = (name, chart, unit = "", group = null) => ({ name, label: name.replaceAll("_", " "), unit, chart, group, whole: unit === "" });
const FIGURES = {
    charts: ["energy", "errors", "contacts", "gap", "absent"].map((id) => ({ id, title: id, log: id === "errors", first: id !== "gap" })),
    step: [step("step", null), step("time", null, "s"), step("iterations", "contacts"), step("contacts", "contacts"), step("sticking", "contacts"),
        step("slipping", "contacts"), step("gap_min", "gap", "m"),
        ...["kinetic", "elastic", "gravity", "contact", "work", "dissipated"].map((name) => step(name, "energy", "J")),
        ...["energy_error", "momentum_error", "angular_momentum_error"].map((name) => step(name, "errors", "1")),
        step("wall_s", "gap", "m"), step("deep.layer", null, "m", "deep"), step("never", "absent")],
    run: [{ name: "wall_s", label: "wall time", unit: "s", group: "speed", whole: false, better: "low" },
        { name: "deep.layer_max", label: "deepest layer", unit: "", group: "deep", whole: true, better: null },
        { name: "gap_min", label: "smallest gap", unit: "m", group: "contact", whole: false, better: null },
        { name: "steps", label: "steps", unit: "", group: "run", whole: true, better: null }],
    stageNames: ["loading", "launch", "flight", "landing"],
    stage: [["begin", "s"], ["end", "s"], ["elastic", "J"], ["kinetic", "J"], ["work", "J"], ["speed", "m/s"], ["vx", "m/s"], ["vy", "m/s"], ["vz", "m/s"],
        ["turn_x", "rad"], ["turn_y", "rad"], ["turn_z", "rad"], ["tilt", "rad"]].map(([name, unit]) => ({ name, label: name, unit })),
};

// As in a summary: a launch that has come to its flight.
const LAUNCH = {
    "loading.integrator": "implicit_euler", "loading.begin": 0, "loading.end": 0.04, "loading.elastic": 0.0537, "loading.work": 0.0614, "loading.kinetic": 1e-9,
    "launch.integrator": "newmark", "launch.begin": 0.04, "launch.end": 0.0408, "launch.speed": 0.5, "launch.vx": -0.3, "launch.vy": 1e-12, "launch.vz": 0.4,
    "flight.integrator": "newmark", "flight.begin": 0.0408, "flight.end": null, "flight.turn_x": 0, "flight.turn_y": -Math.PI / 2, "flight.turn_z": 0,
    "status": "done",
};
const LANDING = { "landing.integrator": "newmark", "landing.verdict": "fell over", "landing.begin": 0.3, "landing.end": 0.5, "landing.tilt": 2 };

test("charts: every column but step and time is drawn somewhere, once", () => {
    const charts = chartsOf(COLUMNS, FIGURES);
    const drawn = charts.flatMap((chart) => chart.lines.filter((line) => line.sum === undefined).map((line) => line.column));
    assert.deepEqual([...drawn].sort(), COLUMNS.filter((name) => name !== "step" && name !== "time").sort());
    const ids = charts.map((chart) => chart.id);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(firstCharts(COLUMNS, FIGURES, () => false), ["energy", "errors", "contacts"]);
    assert.deepEqual(firstCharts(COLUMNS, FIGURES, () => true), ["press.force", "press.d", "energy", "errors", "contacts"]);
});

test("charts: units, scales and labels are the table's; a method's own figure has a plot of its own", () => {
    const charts = chartsOf(COLUMNS, FIGURES), chart = (id) => charts.find((one) => one.id === id);
    assert.deepEqual([chart("energy").unit, chart("energy").log, chart("energy").whole], ["J", false, false]);
    assert.deepEqual([chart("errors").unit, chart("errors").log], ["1", true]);
    assert.deepEqual([chart("contacts").whole, chart("contacts").lines.map((line) => line.label)],
        [true, ["iterations", "contacts", "sticking", "slipping"]]);
    assert.deepEqual([chart("deep.layer").title, chart("deep.layer").group, chart("deep.layer").unit], ["Deep.layer", "deep", "m"]);
    // Without a table every column is still drawn.
    assert.equal(chartsOf(["time", "kinetic"], { charts: [], step: [], run: [] }).length, 2);
});

test("charts: components of one quantity are together, with its unit", () => {
    const charts = chartsOf(COLUMNS, FIGURES);
    const force = charts.find((chart) => chart.id === "press.force");
    assert.deepEqual([force.unit, force.lines.map((line) => line.label)], ["N", ["x", "y"]]);
    assert.equal(charts.find((chart) => chart.id === "a.b.at").unit, "m");
    assert.equal(charts.find((chart) => chart.id === "a.b.v").unit, "m/s");
    assert.equal(charts.find((chart) => chart.id === "a.b.r").unit, "rad");
    assert.equal(charts.find((chart) => chart.id === "strange").group, "Other");
    assert.deepEqual(chartsOf([], FIGURES), []);
});

test("charts: the total is the sum of what is stored, gaps stay gaps", () => {
    const total = chartsOf(COLUMNS, FIGURES).find((chart) => chart.id === "energy").lines[0];
    const table = { kinetic: [1, 2], elastic: [0.5, NaN], gravity: [-3, 0], contact: [0.25, 0] };
    assert.deepEqual(lineValues(total, (name) => table[name], 2, false), [-1.25, null]);
    assert.deepEqual(lineValues(total, (name) => table[name], 2, true), [1.25, null]);
    // A logarithm has no zero.
    assert.deepEqual(lineValues({ column: "a", label: "" }, () => [0, -1e-9, 4], 3, true), [null, 1e-9, 4]);
    assert.deepEqual(lineValues({ column: "a", label: "" }, () => null, 2, false), [null, null]);
});

test("charts: ticks of a logarithmic axis", () => {
    assert.deepEqual(logTicks(0.2, 9), [0.2, 0.5, 1, 2, 5]);
    assert.deepEqual(logTicks(1e-16, 1e-5), [1e-15, 1e-12, 1e-9, 1e-6]);
    assert.deepEqual(logTicks(1, 1e3), [1, 10, 100, 1000]);
    assert.deepEqual(logTicks(0, 1), []);
    assert.ok(logTicks(1e-300, 1e300).length <= 6);
});

test("figures: those of the table in its order, others behind", () => {
    const summary = { wall_s: 1, status: "done", reason: "", choices: "a: size 1 m\n", mystery: 4, gap_min: null, "deep.layer_max": 3, version: "0" };
    const groups = groupFigures([summary], FIGURES.run);
    assert.deepEqual(groups.map((group) => group.title), ["Run", "Speed", "Contact", "deep", "Program", "Other"]);
    assert.deepEqual(groups.flatMap((group) => group.figures.map((figure) => figure.name)),
        ["status", "wall_s", "gap_min", "deep.layer_max", "version", "mystery"]);
    assert.equal(groups[1].figures[0].label, "Wall time");
    // Called again it is the same: the list of texts has not grown.
    assert.deepEqual(groupFigures([summary], FIGURES.run), groups);
});

test("figures: runs of other methods bring their own", () => {
    const other = { charts: FIGURES.charts, step: [FIGURES.step[0], step("wide.stage", null, "", "wide")], run: FIGURES.run.slice(0, 1), stageNames: [], stage: [] };
    const all = figuresOfAll([{ figures: FIGURES }, { figures: other }]);
    assert.equal(all.charts.length, FIGURES.charts.length);
    assert.deepEqual(all.step.map((figure) => figure.name), [...FIGURES.step.map((figure) => figure.name), "wide.stage"]);
    assert.equal(all.run.length, FIGURES.run.length);
});

test("stages: those that were reached, in their order", () => {
    const stages = stagesOf(LAUNCH, FIGURES);
    assert.deepEqual(stages.map(({ name, kind, begin, end }) => [name, kind, begin, end]),
        [["loading", 0, 0, 0.04], ["launch", 1, 0.04, 0.0408], ["flight", 2, 0.0408, NaN]]);
    assert.equal(stages[0].values["elastic"], 0.0537);
    assert.ok(Number.isNaN(stages[0].values["tilt"]), "what is not there is not known");
    for (const nothing of [null, undefined, "text", {}, { status: "done", "launch.begin": null }, { "launch.begin": "0" }]) {
        assert.deepEqual(stagesOf(nothing, FIGURES), []);
    }
});

test("stages: of a moment, and the frames where they begin to be seen", () => {
    const stages = stagesOf(LAUNCH, FIGURES), [loading, launch, flight] = stages;
    assert.equal(stageAt(stages, 0), loading);
    assert.equal(stageAt(stages, 0.04), launch);
    assert.equal(stageAt(stages, 0.0408 - 1e-12), flight, "a time that lost its last digits");
    assert.equal(stageAt(stages, 1), flight, "not over");
    assert.equal(stageAt([{ ...flight, end: 0.5 }], 0.6), null, "after the last");
    assert.equal(stageAt(stages.slice(1), 0.01), null, "before the first");
    const times = Array.from({ length: 11 }, (_, k) => 0.02 * k);
    assert.equal(frameOfStage(loading, times), 0);
    assert.equal(frameOfStage(launch, times), times[2]);
    assert.equal(frameOfStage(flight, times), times[3]);
    assert.equal(frameOfStage(launch, [0, 0.03, 0.06]), 0.03, "too short for a frame: the nearest");
    assert.equal(frameOfStage({ ...flight, begin: 9 }, times), times[10], "after all frames");
    assert.equal(neighbour(stages, times, 0, 1), launch);
    assert.equal(neighbour(stages, times, 0.04, 1), flight);
    assert.equal(neighbour(stages, times, 0.1, 1), null);
    assert.equal(neighbour(stages, times, 0.1, -1), flight, "to its begin first");
    assert.equal(neighbour(stages, times, 0.06, -1), launch);
    assert.equal(neighbour(stages, times, 0, -1), null);
    assert.equal(neighbour([], times, 0, 1), null);
});

test("stages: what is told of them", () => {
    const run = { figures: FIGURES, dimension: 3, times: [0, 0.1] };
    const [loading, launch, flight] = stagesOf(LAUNCH, FIGURES);
    assert.equal(spanText(launch, run), "40 → 40.8 ms");
    assert.equal(spanText(flight, run), "40.8 → 100 ms", "while it lasts: until the last frame");
    assert.equal(courseText(loading), "implicit euler, until the load was over");
    assert.equal(courseText(flight), "newmark, still in the air");
    assert.deepEqual(rowsOf(loading, run), [["Elastic energy", "53.7 mJ"], ["Work done", "61.4 mJ"]]);
    const told = Object.fromEntries(rowsOf(launch, run));
    assert.equal(told["Velocity"], "(−300, 0, 400) mm/s", "a component that is rounding is 0");
    assert.equal(told["Lift-off"], "40.8 ms");
    assert.equal(told["Spin"], "–", "not known");
    assert.equal(Object.fromEntries(rowsOf(flight, run))["Rotation"], "90°");
    assert.deepEqual(stagesOf(LANDING, FIGURES).map((stage) => rowsOf(stage, run)[0]), [["Verdict", "fell over"]]);
    assert.deepEqual(Object.keys(Object.fromEntries(rowsOf(launch, { ...run, dimension: 2 }))).includes("Angular velocity"), false);
    const { unit, rows } = energiesOf([loading, launch]);
    assert.equal(unit, "mJ");
    assert.deepEqual(rows.find(([label]) => label === "Kinetic"), ["Kinetic", ["0", "–"]]);
    assert.deepEqual(rows.find(([label]) => label === "Work so far"), ["Work so far", ["61.4", "–"]]);
});

test("stages: their figures are groups of a comparison", () => {
    const groups = groupFigures([LAUNCH, {}], [...FIGURES.run, ...stageFigures(FIGURES)]);
    const launch = groups.find((group) => group.title === "Launch");
    assert.deepEqual(launch.figures.map((figure) => figure.label), ["Integrator", "Begin", "End", "Speed", "Vx", "Vy", "Vz"]);
    assert.equal(launch.figures[3].unit, "m/s");
    assert.equal(groups.find((group) => group.title === "Other"), undefined);
});

test("figures: the best of several", () => {
    const low = { name: "a", label: "", unit: "", whole: false, better: "low" };
    assert.deepEqual(bestOf(low, [3, 1, 2]), [false, true, false]);
    assert.deepEqual(bestOf({ ...low, better: "high" }, [3, 1, null]), [true, false, false]);
    assert.deepEqual(bestOf(low, [1e-3, 5e-4, 5e-4]), [false, true, true]);
    assert.deepEqual(bestOf(low, [2, 2]), [false, false]);
    assert.deepEqual(bestOf(low, [2, null]), [false, false]);
    assert.deepEqual(bestOf({ ...low, better: null }, [1, 2]), [false, false]);
});

test("texts", () => {
    assert.equal(formatCount(1234567), "1 234 567");
    assert.equal(formatCount(NaN), "–");
    assert.equal(formatSpeed(0.25), "0.25×");
    assert.equal(formatTime(0.5, 3), "0.500 s");
    assert.deepEqual([0.01, 0.02, 0.25, 1, 1 / 300].map(timeDigits), [2, 2, 2, 0, 4]);
    assert.equal(fileName("../a b/<c>"), "a-b-c");
    assert.equal(fileName("..."), "brunt");
});

test("the nearest frame", () => {
    assert.equal(nearestFrame([0, 1, 2], 0.6), 1);
    assert.equal(nearestFrame([0, 1, 2], 0.4), 0);
    assert.equal(nearestFrame([0, 1, 2], 9), 2);
    assert.equal(nearestFrame([0, 1, 2], -9), 0);
});

test("rows: the last one at or before a moment, also where single precision is a little late", () => {
    const times = Float32Array.from({ length: 101 }, (_, k) => k / 100);
    for (let k = 0; k <= 100; k++) {
        assert.equal(rowAt(times, k / 100), k);
        assert.equal(rowAt(times, k / 100 + 0.009), k);
    }
    assert.equal(rowAt(times, -1), 0);
    assert.equal(rowAt(times, 9), 100);
    assert.equal(rowAt([], 0), -1);
});

test("gamepad: a stick near its middle is at rest, and there is no jump where that ends", () => {
    assert.deepEqual([0, 0.1, -0.15, 1, -1, 1.2].map(stick), [0, 0, 0, 1, -1, 1]);
    assert.ok(stick(0.151) > 0 && stick(0.151) < 0.01 && stick(-0.575) < -0.49 && stick(-0.575) > -0.51);
});

test("joints: numbers that move keep their width, units are those of the drive", () => {
    const joint = (drive, unit, range) => ({
        number: 0, robot: "r", name: "j", drive, unit, range, target: 0, hand: false, position: -1e-9, velocity: 2, effort: 1e-6,
    });
    assert.equal(targetText(joint("position", "rad", [-3, 3]), 0.5), "0.50 rad");
    assert.equal(targetText(joint("position", "m", [-0.01, 0.06]), -0.01), "−0.0100 m");
    assert.equal(targetText(joint("velocity", "rad", [-3, 3]), 1), "1.00 rad/s");
    assert.equal(targetText(joint("torque", "m", [-200, 200]), -20), "−20 N");
    assert.equal(nowText(joint("position", "rad", [-3, 3])), "at 0.00 rad, 0 N m");
    assert.equal(nowText(joint("velocity", "m", [-3, 3])), "at 2.00 m/s, 0 N");
});

const STUDY = {
    kind: "design", goal: "abs(turn - 6.28)", highest: false, start: 0, best: 3,
    columns: [
        { name: "arm", role: "parameter", unit: "m", low: 0.02, high: 0.06, log: true }, { name: "objective", role: "objective", unit: "" },
        { name: "tilt < 1", role: "constraint", unit: "" }, { name: "success", role: "success", unit: "" },
    ],
    rows: [[0.03, 5, -1, 0], [0.04, 0.01, 1, 0], [0.05, null, null, null], [0.045, 2, -0.5, 1]],
};

test("study: best so far counts what keeps the constraints", () => {
    const study = studyOf(STUDY);
    assert.deepEqual(study.columns.map(({ log }) => log), [true, false, false, false]);
    assert.deepEqual(bestSoFar(study), [5, 5, 5, 2]);
    assert.deepEqual(bestSoFar({ ...study, highest: true }), [5, 5, 5, 5]);
    assert.deepEqual(study.rows.map((_, row) => isFeasible(study, row)), [true, false, false, true]);
    assert.deepEqual(study.rows.map((_, row) => succeeds(study, row)), [false, false, null, true]);
    assert.deepEqual(ranks(study), [0.5, 0, NaN, 1]); // the lowest misses the constraint
    assert.deepEqual(ranks({ ...study, rows: [[0, 2, -1, 1], [0, 2, -1, 1], [0, 1, -1, 1]] }), [0, 0, 1]);
    assert.equal(wantsLog([5, 0.01, NaN, 2]), true);
    assert.equal(wantsLog([5, -0.01, 2]), false);
});

test("study: parameters and evaluations in words", () => {
    const study = studyOf(STUDY);
    assert.deepEqual(parameterRows(study), [["arm", "30 mm", "45 mm", "20 to 60 mm"]]);
    assert.equal(rowText(study, 3), "4 (best): arm 45 mm, objective 2, tilt < 1 −0.5, 100 % succeed");
});

test("study: what is none, and what is not as it should be", () => {
    for (const nothing of [null, undefined, 3, {}, { columns: [], rows: [] }, { columns: "a", rows: [[1]] }]) {
        assert.equal(studyOf(nothing), null);
    }
    const odd = studyOf({ columns: [{ name: 1, role: "odd" }], rows: [["x"], null], best: 7, start: 0.5 });
    assert.deepEqual([odd.columns[0].role, odd.best, odd.start, odd.rows.flat().every(Number.isNaN)], ["figure", -1, -1, true]);
});
