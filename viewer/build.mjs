// Bundles src/ and style.css into one HTML file: dist/viewer.html, or the path given. Same sources, same bytes.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "dist", "viewer.html");

async function bundle(entry, loader) {
    const result = await build({
        absWorkingDir: here, entryPoints: [entry], bundle: true, minify: true, write: false, charset: "utf8",
        target: ["chrome110", "firefox115", "safari16.4"], format: loader === "js" ? "iife" : undefined,
        legalComments: "inline",
    });
    return result.outputFiles[0].text.trim();
}

// An inline script ends at the first "</script": the bundle must not hold one.
const script = (await bundle("src/main.ts", "js")).replaceAll("</script", "<\\/script");
const style = await bundle("src/style.css", "css");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const page = (await readFile(join(here, "src", "page.html"), "utf8"))
    .replace("{{script-hash}}", () => hash(script))
    .replace("{{style}}", () => style)
    .replace("{{script}}", () => script);
await mkdir(dirname(target), { recursive: true });
await writeFile(target, page);
