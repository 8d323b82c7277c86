// Reads a .glb with Khronos' validator and with three.js, and compares what three.js shows at the time of each frame with
// frame_NNNN.obj of the same run. Usage: gltf_check.mjs VIEWER FILE.glb OBJ_DIR
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [viewer, file, folder] = process.argv.slice(2);
const require = createRequire(join(resolve(viewer), "package.json"));
const modules = join(resolve(viewer), "node_modules");
const THREE = await import(pathToFileURL(join(modules, "three/build/three.module.js")));
const { GLTFLoader } = await import(pathToFileURL(join(modules, "three/examples/jsm/loaders/GLTFLoader.js")));

const bytes = new Uint8Array(readFileSync(file));
const report = await require("gltf-validator").validateBytes(bytes);
assert.equal(report.issues.messages.length, 0, JSON.stringify(report.issues.messages.slice(0, 5), null, 1));

/** Positions of the objects of an OBJ file by name. */
function readObj(path) {
    const objects = new Map();
    let last = null;
    for (const line of readFileSync(path, "utf8").split("\n")) {
        const words = line.split(" ");
        if (words[0] === "o") {
            objects.set(words[1], (last = []));
        } else if (words[0] === "v") {
            last.push(words.slice(1).map(Number));
        }
    }
    return objects;
}

const gltf = await new GLTFLoader().parseAsync(bytes.buffer, "");
const clip = gltf.animations[0];
const times = clip.tracks[0].times;
const mixer = new THREE.AnimationMixer(gltf.scene);
const action = mixer.clipAction(clip).setLoop(THREE.LoopOnce, 1).play();
action.clampWhenFinished = true;
const names = readdirSync(folder).filter((name) => name.endsWith(".obj")).sort();
assert.equal(names.length, times.length);
const meshes = new Map();
gltf.scene.traverse((node) => node.isMesh && meshes.set(node.userData.name ?? node.name, node));
const flat = gltf.scene.getObjectByName("brunt").quaternion.w === 1;

let worst = 0;
let compared = 0;
names.forEach((name, frame) => {
    mixer.setTime(times[frame]);
    gltf.scene.updateMatrixWorld(true);
    for (const [body, want] of readObj(join(folder, name))) {
        const mesh = meshes.get(body);
        assert.ok(mesh, `no mesh ${body}`);
        assert.equal(mesh.geometry.attributes.position.count, want.length);
        want.forEach((x, vertex) => {
            const got = mesh.getVertexPosition(vertex, new THREE.Vector3()).applyMatrix4(mesh.matrixWorld);
            const seen = flat ? [x[0], x[1], x[2]] : [x[0], x[2], -x[1]];
            worst = Math.max(worst, Math.abs(got.x - seen[0]), Math.abs(got.y - seen[1]), Math.abs(got.z - seen[2]));
            compared++;
        });
    }
});
assert.ok(compared > 0);
// Single precision of places below 1 m (6e-8), a few roundings; rigid bodies are stiff, not perfectly rigid (1.6e-7 m measured).
assert.ok(worst < 1e-6, `largest distance ${worst} m`);
console.log(`${times.length} frames, ${compared} vertices as recorded, largest distance ${worst.toExponential(1)} m`);
