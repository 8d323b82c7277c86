// Runs test/*.test.ts: bundles each for Node and hands them to Node's own test runner. Names of tests may follow: node test/run.mjs pick
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts") && (wanted.length === 0 || wanted.includes(name.replace(".test.ts", ""))));
const folder = mkdtempSync(join(tmpdir(), "brunt-viewer-"));
let code = 1;
try {
    await build({
        entryPoints: tests.map((name) => join(here, name)), outdir: folder, bundle: true, platform: "node", format: "esm", target: "node18",
        outExtension: { ".js": ".mjs" }, sourcemap: "inline", logLevel: "warning",
    });
    const files = tests.map((name) => join(folder, name.replace(".ts", ".mjs")));
    code = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], { stdio: "inherit" }).status ?? 1;
} finally {
    rmSync(folder, { recursive: true, force: true });
}
process.exit(code);
