// Parts of the shell that do not need a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chartsOf, firstCharts, lineValues, logTicks, rowAt } from "../src/ui/charts";
import { bestOf, figuresOfAll, groupFigures } from "../src/ui/figures";
import { formatCount, formatSpeed, formatTime, timeDigits, fileName } from "../src/ui/format";
import { stick } from "../src/ui/gamepad";
import { nowText, targetText } from "../src/ui/joints";
import { nearestFrame } from "../src/ui/seek";
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
};

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
    const other = { charts: FIGURES.charts, step: [FIGURES.step[0], step("wide.stage", null, "", "wide")], run: FIGURES.run.slice(0, 1) };
    const all = figuresOfAll([{ figures: FIGURES }, { figures: other }]);
    assert.equal(all.charts.length, FIGURES.charts.length);
    assert.deepEqual(all.step.map((figure) => figure.name), [...FIGURES.step.map((figure) => figure.name), "wide.stage"]);
    assert.equal(all.run.length, FIGURES.run.length);
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
