// Puts the run of sample.mjs into a page. Usage: node test/sample_page.mjs PAGE OUT.html [RINGS of the ball] [RUNS side by side]
import { readFileSync, writeFileSync } from "node:fs";
import { sampleElements } from "./sample.mjs";

const [page, out, rings = "24", runs = "1"] = process.argv.slice(2);
writeFileSync(out, readFileSync(page, "utf8").replace("<!--brunt:data-->", () => sampleElements({ rings: Number(rings) }, Number(runs))));
