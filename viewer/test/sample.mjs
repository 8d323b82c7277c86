// A run made up for tests and for looking at the page: a soft ball that bounces, a rigid box that slides and tumbles, a wall, a floor.
// test/sample_page.mjs puts it into a page.
import { element, packet } from "./packet.mjs";

const RADIUS = 0.5;
const G = 9.81;

function ball(rings) {
    const vertices = [], triangles = [], segments = 2 * rings;
    vertices.push([0, 0, RADIUS]);
    for (let i = 1; i < rings; i++) {
        for (let k = 0; k < segments; k++) {
            const t = (Math.PI * i) / rings, p = (2 * Math.PI * k) / segments;
            vertices.push([RADIUS * Math.sin(t) * Math.cos(p), RADIUS * Math.sin(t) * Math.sin(p), RADIUS * Math.cos(t)]);
        }
    }
    vertices.push([0, 0, -RADIUS]);
    const at = (i, k) => (i === 0 ? 0 : i === rings ? vertices.length - 1 : 1 + (i - 1) * segments + (k % segments));
    for (let i = 0; i < rings; i++) {
        for (let k = 0; k < segments; k++) {
            if (i > 0) triangles.push([at(i, k), at(i + 1, k), at(i, k + 1)]);
            if (i < rings - 1) triangles.push([at(i, k + 1), at(i + 1, k), at(i + 1, k + 1)]);
        }
    }
    return { vertices, triangles };
}

function box([a, b, c], [x, y, z]) {
    const vertices = Array.from({ length: 8 }, (_, k) => [x + (k & 1 ? a : -a), y + (k & 2 ? b : -b), z + (k & 4 ? c : -c)]);
    const faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    return { vertices, triangles: faces.flatMap(([p, q, r, s]) => [[p, q, r], [p, r, s]]) };
}

const floor = { vertices: [[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], triangles: [[0, 1, 2], [0, 2, 3]] };

/** Height of the ball's centre at rest shape, its squash (0..1) and speed at a time: parabolas with flat contacts in between. */
function bounce(time, push) {
    const flight = 0.62, touch = 0.16, period = flight + touch;
    const s = (time + 0.31) % period;
    if (s < flight) {
        const v = (G * flight) / 2;
        return { height: RADIUS + v * s - (G * s * s) / 2, squash: 0, speed: v - G * s };
    }
    const phase = (Math.PI * (s - flight)) / touch;
    return { height: RADIUS - 0.16 * push * Math.sin(phase), squash: push * Math.sin(phase), speed: -3 * Math.cos(phase) };
}

const turned = (angle) => [[Math.cos(angle), 0, Math.sin(angle)], [0, 1, 0], [-Math.sin(angle), 0, Math.cos(angle)]];

const FIELDS = [
    { name: "von_mises", label: "von Mises stress", unit: "Pa", range: [0, 9e4] },
    { name: "speed", label: "speed", unit: "m/s", range: [0, 3.2] },
    { name: "displacement", label: "displacement", unit: "m", range: [0, 0.6] },
];

export function sampleRun({ rings = 24, frames = 100, end = 2, name = "sample", push = 1, live = false } = {}) {
    const parts = [["ball", "deformable", false, ball(rings)], ["box", "rigid", false, box([0.25, 0.3, 0.2], [1.1, 0, 0.2])],
                   ["wall <b>1</b>", "static", false, box([0.08, 0.8, 0.4], [-0.9, 0, 0.4])], ["floor", "static", true, floor]];
    const bodies = [], rest = [], tri = [];
    for (const [body, type, plane, { vertices, triangles }] of parts) {
        const first = rest.length / 3;
        bodies.push({ name: body, type, plane, vertex_first: first, vertex_count: vertices.length, tri_first: tri.length / 3,
                      tri_count: triangles.length, edge_first: 0, edge_count: 0 });
        vertices.flat().forEach((x, i) => rest.push(body === "ball" && i % 3 === 2 ? x + RADIUS : x));
        triangles.flat().forEach((v) => tri.push(v + first));
    }
    const times = Array.from({ length: frames }, (_, k) => (frames > 1 ? (end * k) / (frames - 1) : 0));
    const rows = 4 * frames, columns = ["time", "kinetic", "elastic", "iterations", "gap_min"];
    const series = columns.flatMap((column) => Array.from({ length: rows }, (_, r) => {
        const t = (end * r) / (rows - 1), { squash, speed } = bounce(t, push);
        const figures = { time: t, kinetic: 40 * speed * speed, elastic: 360 * squash ** 2, iterations: 3 + Math.round(9 * squash) };
        return { ...figures, gap_min: 1e-3 * (1 - 0.9 * squash) }[column];
    }));
    return packet({
        kind: "run", version: 1, brunt: "0.1.0", name, title: "Ball, box and wall", method: "ipc", dimension: 3, end, step: 0.01, live,
        recorded: frames, frames: live ? [] : times.map((time, step) => ({ time, step })), thinned: null, bodies, fields: FIELDS, contacts: true,
        scene: "brunt: 1\ntitle: Ball, box and wall # <script>alert(1)</script>\n", summary: { status: "done", steps: rows, wall_s: 1.5 },
        series: { columns, rows: live ? 0 : rows, of: live ? 0 : rows }, notes: ["strain was not recorded"],
    }, {
        rest: ["f32", rest], node: ["u32", Array.from({ length: rest.length / 3 }, (_, i) => i + 100)], tri: ["u32", tri], edge: ["u32", []],
        series: ["f32", live ? [] : series],
    });
}

/** Values to u16 between their least and their largest. */
function quantised(values) {
    const low = Math.min(...[0], values.reduce((a, b) => Math.min(a, b), 0)), high = values.reduce((a, b) => Math.max(a, b), 0);
    return { range: [low, high], q: values.map((x) => (high > low ? Math.round((65535 * (x - low)) / (high - low)) : 0)) };
}

/** Exact positions and stress of a frame's ball, and what else moves. */
function state(shape, time, push) {
    const { height, squash, speed } = bounce(time, push);
    const wide = 1 + 0.12 * squash;
    const points = shape.vertices.map(([x, y, z]) => {
        // Flat at the bottom while it touches.
        const lowness = Math.max(0, -z / RADIUS);
        const wider = wide * (1 + 0.1 * squash * lowness);
        return [x * wider, y * wider, Math.max(height + z * (1 - 0.1 * squash * lowness), 0)];
    });
    const stress = shape.vertices.map(([x, y, z]) =>
        9e4 * squash * Math.exp(-2 * ((z + RADIUS) / RADIUS) ** 2 - ((x * x + y * y) / RADIUS ** 2) * 1.5) + 2e3 * squash);
    const angle = 0.6 * Math.sin(2 * time) ** 2, slide = 0.25 * Math.sin(1.3 * time);
    return { points, stress, squash, speed, angle, slide };
}

export function sampleFrame({ rings = 24, frames = 100, end = 2, push = 1 } = {}, index, row = null) {
    const time = frames > 1 ? (end * index) / (frames - 1) : 0;
    const shape = ball(rings), { points, stress, squash, speed, angle, slide } = state(shape, time, push);
    const others = 8 + 8 + 4;
    const low = [0, 1, 2].map((k) => points.reduce((m, p) => Math.min(m, p[k]), Infinity));
    const size = [0, 1, 2].map((k) => points.reduce((m, p) => Math.max(m, p[k]), -Infinity) - low[k]);
    const position = [0, 1, 2].flatMap((k) => points.map((p) => Math.round((65535 * (p[k] - low[k])) / size[k])));
    const values = {
        von_mises: [...stress, ...Array(others).fill(0)],
        speed: [...points.map(() => Math.abs(speed)), ...Array(8).fill(Math.abs(0.325 * Math.cos(1.3 * time))), ...Array(12).fill(0)],
        displacement: [...points.map((p, i) => Math.hypot(...p.map((x, k) => x - shape.vertices[i][k] - (k === 2 ? RADIUS : 0)))),
                       ...Array(8).fill(Math.abs(slide)), ...Array(12).fill(0)],
    };
    const q = Object.fromEntries(Object.entries(values).map(([key, list]) => [key, quantised(list)]));
    // The box turns about its lower edge at x = 1.35.
    const m = turned(angle), pivot = [1.35, 0, 0];
    const shift = pivot.map((p, k) => p - m[k].reduce((sum, x, j) => sum + x * pivot[j], 0) + (k === 0 ? slide : 0));
    const contacts = [];
    if (squash > 0.02) {
        points.forEach((p, i) => {
            if (p[2] < 1e-3 && i % Math.max(1, Math.floor(rings / 12)) === 0) {
                contacts.push([p, [-40 * squash * p[0], -40 * squash * p[1], 0], 60 * squash, 1e-4, 0, 1]);
            }
        });
    }
    const slip = 0.325 * Math.cos(1.3 * time);
    [-0.3, 0.3].forEach((y) => contacts.push([[1.35 + slide, y, 0], [-14 * Math.sign(slip), 0, 0], 35, 1e-4, Math.abs(slip), 0]));
    return packet({
        kind: "frame", index, time, step: index, ranges: Object.fromEntries(Object.entries(q).map(([key, { range }]) => [key, range])),
        contacts: contacts.length, contacts_total: contacts.length + 3, ...(row ? { row } : {}),
    }, {
        motion: ["u8", [2, 1, 0, 0]], affine: ["f32", m.flatMap((line, k) => [...line, shift[k]])], box: ["f32", [...low, ...size]],
        position: ["u16", position, "delta"],
        ...Object.fromEntries(Object.entries(q).map(([key, { q: numbers }]) => [key, ["u16", numbers, "delta"]])),
        contact: ["f32", contacts.flatMap(([place, friction, force, gap, slip]) => [...place, ...friction, force, gap, slip])],
        contact_normal: ["i16", contacts.flatMap(() => [0, 0, 32767])],
        contact_body: ["u16", contacts.flatMap((_, k) => [k < contacts.length - 2 ? 0 : 1, 3])],
        contact_stick: ["u8", contacts.map((c) => c[5])],
    });
}

export function sampleElements(options = {}, runs = 1) {
    return Array.from({ length: runs }, (_, k) => {
        const own = { frames: 60, ...options, name: runs > 1 ? ["ipc", "sap", "acm"][k] : "sample", push: 1 - 0.25 * k };
        return element([sampleRun(own), ...Array.from({ length: own.frames }, (_, i) => sampleFrame(own, i))]);
    }).join("\n");
}
