// Loads a module of src/ into a test: bundled, as node does not read TypeScript.
import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

export async function load(path) {
    const result = await build({
        absWorkingDir: join(here, ".."), entryPoints: [join("src", path)], bundle: true, write: false, format: "esm", platform: "neutral",
        mainFields: ["module", "main"], logLevel: "error",
    });
    return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].text).toString("base64")}`);
}
