// What a page shows at first, and what it makes of series and scenes: without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { actsOn, largestForce } from "../src/draw/contacts";
import { centred, spanOfMost } from "../src/draw/span";
import { storyOf } from "../src/story";
import { chartsOf, pairChart } from "../src/ui/charts";
import { columnsOf, forceDisplacement, pairId, pairOf } from "../src/ui/columns";
import { differingSettings, settingsOf, settingsText } from "../src/ui/settings";

const FIGURES = { charts: [], step: [{ name: "kinetic", label: "kinetic", unit: "J", chart: null, group: null, whole: false }], run: [] };
const series = (columns) => ({ columns: Object.keys(columns), rows: 3, of: 3, column: (name) => (columns[name] ? Float32Array.from(columns[name]) : null), whole: () => null });
const field = (name, high) => ({ name, label: name, unit: "Pa", range: [0, high] });
const run = (more) => ({
    name: "a", live: false, still: false, times: [0, 1, 2], modes: [], notes: [], bodies: [], fields: [field("von_mises", 1), field("pressure", 5)],
    series: series({ time: [0, 1, 2], contacts: [0, 7, 0] }), scene: "", ...more,
});

test("a page opens where the story is", () => {
    // Bodies that touch: the moment with the most contacts, or the end if they touch there.
    assert.deepEqual(storyOf([run({})]), { time: 1, colour: "pressure", most: true });
    assert.deepEqual(storyOf([run({ series: series({ time: [0, 1, 2], contacts: [0, 7, 2] }) })]), { time: 2, colour: "pressure", most: true });
    assert.deepEqual(storyOf([run({ still: true })]), { time: 2, colour: "pressure", most: true });
    // They never touch, or nobody recorded it.
    const apart = { series: series({ time: [0, 1, 2], contacts: [0, 0, 0] }) };
    assert.deepEqual(storyOf([run(apart)]), { time: 0, colour: "body", most: false });
    assert.deepEqual(storyOf([run({ fields: [field("von_mises", 1)] })]), { time: 0, colour: "body", most: false });
    assert.deepEqual(storyOf([run({ fields: [field("von_mises", 1), field("pressure", 0)] })]), { time: 0, colour: "body", most: false });
    // Equilibria: the last one, by stress if it is there.
    assert.deepEqual(storyOf([run({ ...apart, still: true })]), { time: 2, colour: "von_mises", most: false });
    assert.deepEqual(storyOf([run({ ...apart, still: true, fields: [] })]), { time: 2, colour: "body", most: false });
    assert.deepEqual(storyOf([run({ live: true })]), { time: 0, colour: "body", most: false });
    assert.deepEqual(storyOf([run({ modes: [{}] })]), { time: 0, colour: "displacement", most: false });
    // A comparison: what all runs have.
    assert.equal(storyOf([run({}), run({ fields: [field("von_mises", 1)] })]).colour, "body");
});

test("force over displacement: of the hold that is moved, else of probes", () => {
    const table = {
        time: [0, 1, 2], "floor.force_z": [0, 9, 18], "floor.dz": [0, 1e-12, 0], "press.force_x": [0, 0, 0], "press.force_z": [0, -5, -20],
        "press.dx": [0, 0, 0], "press.dz": [0, -0.01, -0.02], "tip.dz": [0, 0.05, 0.1], kinetic: [0, 1, 2],
    };
    const of = (names) => forceDisplacement(names, (name) => table[name] ?? null);
    const all = Object.keys(table);
    assert.deepEqual(of(all), { x: "press.dz", y: "press.force_z" });
    assert.deepEqual(of(all.filter((name) => !name.startsWith("press"))), { x: "tip.dz", y: "floor.force_z" });
    assert.equal(of(["time", "kinetic", "tip.dz"]), null);
    assert.equal(of(["time", "floor.force_z"]), null);
    assert.equal(forceDisplacement(all, () => [0, 0, 0]), null, "nothing happens");
    assert.equal(forceDisplacement(all, () => null), null);
    // Measured columns come first, in plots and in the list of columns; ids survive any name.
    assert.deepEqual(chartsOf(["time", "kinetic", "tip.dz", "floor.force_z"], FIGURES).map((chart) => chart.id), ["tip.d", "floor.force", "time"]);
    const columns = columnsOf(["step", "time", "kinetic", "a:b, c%.dz", "floor.force_z"], FIGURES);
    assert.deepEqual(columns.map((column) => column.name), ["a:b, c%.dz", "floor.force_z", "step", "time", "kinetic"]);
    const axes = { ...FIGURES, charts: [{ id: "turning", title: "Spin", log: false, first: false }],
        step: [{ name: "spin_z", label: "z", unit: "rad/s", chart: "turning", group: null, whole: false }] };
    assert.deepEqual(columnsOf(["spin_z"], axes).map((column) => column.label), ["Spin z"]);
    const id = pairId("a:b, c%.dz", "floor.force_z");
    assert.deepEqual(pairOf(id), { x: "a:b, c%.dz", y: "floor.force_z" });
    assert.equal(pairChart(id, columns).title, "floor: reaction z over a:b, c%: displacement z");
    // Points belong to the plot that the scene asked for, and to no other.
    const asked = [{ x: "time", y: "kinetic", source: "s", points: [[0, 1]] }, { x: "kinetic", y: "time", source: "s", points: [] }];
    assert.deepEqual(pairChart(pairId("time", "kinetic"), columns, asked).points, asked[0]);
    assert.equal(pairChart(pairId("time", "kinetic"), columns, asked).group, "Of the scene");
    assert.equal(pairChart(pairId("kinetic", "time"), columns, asked).points, undefined);
    assert.equal(pairChart(id, columns, asked).group, "Force over displacement");
    for (const bad of ["xy:", "xy:a", "xy:%:%", "energy", pairId("time", "nowhere")]) {
        assert.equal(pairChart(bad, columns), null, bad);
    }
});

test("colours without extremes", () => {
    const values = Array.from({ length: 1000 }, (_, k) => k / 1000);
    assert.deepEqual(spanOfMost([...values, 1e6]), [0, 1]);
    // Zeros do not count; values with a sign keep both ends, but rounding is none.
    assert.deepEqual(spanOfMost([...new Array(5000).fill(0), ...values]), [0, 1]);
    assert.deepEqual(spanOfMost([...values.map((x) => 2 * x - 1), -1e9]), [-1, 1]);
    assert.deepEqual(spanOfMost([...values, ...new Array(50).fill(-1e-16)]), [0, 1]);
    assert.equal(spanOfMost([]), null);
    assert.equal(spanOfMost([0, 0]), null);
    assert.deepEqual(centred([-1, 3]), [-3, 3]);
    assert.deepEqual(centred([2, 3]), [-3, 3]);
});

test("on which body a contact's arrow acts", () => {
    const bodies = ["deformable", "static", "rigid"].map((type) => ({ type }));
    assert.deepEqual([actsOn(bodies, 0, 1, null), actsOn(bodies, 1, 0, null)], [0, 1], "never on an obstacle");
    assert.deepEqual([actsOn(bodies, 0, 2, null), actsOn(bodies, 2, 0, null)], [1, 0], "always on the same of two");
    assert.deepEqual([actsOn(bodies, 0, 2, 0), actsOn(bodies, 2, 0, 0), actsOn(bodies, 1, 2, 0)], [0, 1, null]);
    const contacts = { count: 2, data: Float32Array.from([0, 0, 0, 3, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, -9, 0, 0]), body: Uint16Array.from([0, 2, 1, 2]) };
    assert.equal(largestForce(contacts, bodies, null), 9);
    assert.equal(largestForce(contacts, bodies, 0), 5);
});

const SCENE = `# A scene
brunt: 1
title: "Cubes: a # test"
gravity: [0.0, 0.0, -9.81]
time:
  step: 0.01
  end: 1.0
bodies:
  - type: deformable
    name: "the: \\"ball\\""
    position: [0.0, 1.5, 10.05]
    rotation:
      - axis: [0.0, 0.0, 1.0]
        degrees: 15.0
  - type: static
    name: floor
fixed:
  - name: plate
    motion:
      table:
        - [0.0, 0.0]
        - [0.5, 0.25]
contact:
  self: true
`;

test("settings of a scene, and those in which runs differ", () => {
    const settings = settingsOf(SCENE);
    assert.deepEqual([...settings], [
        ["brunt", "1"], ["title", "Cubes: a # test"], ["gravity", "[0, 0, -9.81]"], ["time.step", "0.01"], ["time.end", "1"],
        ['bodies.the: "ball".type', "deformable"], ['bodies.the: "ball".name', 'the: "ball"'], ['bodies.the: "ball".position', "[0, 1.5, 10.05]"],
        ['bodies.the: "ball".rotation[0].axis', "[0, 0, 1]"], ['bodies.the: "ball".rotation[0].degrees', "15"],
        ["bodies.floor.type", "static"], ["bodies.floor.name", "floor"], ["fixed.plate.name", "plate"],
        ["fixed.plate.motion.table[0]", "[0, 0]"], ["fixed.plate.motion.table[1]", "[0.5, 0.25]"], ["contact.self", "true"],
    ]);
    const other = SCENE.replace("step: 0.01", "step: 0.005").replace("  self: true", "  self: true\n  friction: 0.5").replace("a # test", "another");
    const differing = differingSettings([{ scene: SCENE }, { scene: other }, { scene: SCENE }]);
    assert.deepEqual(differing, [{ path: "time.step", values: ["0.01", "0.005", "0.01"] }, { path: "contact.friction", values: ["", "0.5", ""] }]);
    assert.equal(settingsText(differing, 1), "time.step = 0.005, contact.friction = 0.5");
    assert.equal(settingsText(differing, 2), "");
    // Of another method its name alone, and what else differs.
    const methods = ["method:\n  type: ipc\n  dhat: 1e-3\n  tolerance: 1e-8\ntime:\n  step: 1", "method:\n  type: sap\n  tolerance: 1e-6\n  law: lagged\ntime:\n  step: 2"];
    assert.equal(settingsText(differingSettings(methods.map((scene) => run({ scene }))), 1), "method.type = sap, time.step = 2");
    // Texts that are no scene neither hang nor fail.
    for (const text of ["", "-", "a\n  b\n c", "- - -\n -", "x: {y", "  a: 1\nb:\n- c"]) {
        settingsOf(text);
    }
});
