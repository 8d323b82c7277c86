// What tests and measurements of the page start: the browser and the server.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const BRUNT = process.env.BRUNT ?? join(ROOT, "build", "release", "brunt");
export const RUNS = process.env.BRUNT_RUNS ?? join(ROOT, "build", "release", "tests", "viewer");
export const PATIENCE = 20000; // [ms] a loaded machine draws slowly; what takes longer is broken
const CHROMIUM = process.env.BRUNT_CHROMIUM ?? "/usr/bin/chromium";
const { chromium } = createRequire(join(ROOT, "viewer", "package.json"))("playwright-core");

export function launch() {
    return chromium.launch({
        executablePath: CHROMIUM,
        // Software drawing, the same everywhere. Root has no sandbox to give.
        args: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb",
            ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
    });
}

/** Asks again and again until the answer is true. */
export async function eventually(what, ask, patience = PATIENCE) {
    const start = Date.now();
    for (let wait = 20; Date.now() - start < patience; wait = Math.min(2 * wait, 300)) {
        const answer = await ask();
        if (answer) {
            return answer;
        }
        await new Promise((done) => setTimeout(done, wait));
    }
    throw new Error(`waited ${patience / 1000} s in vain: ${what}`);
}

/** Starts `brunt view ...`: its address, and a way to end it. */
export async function startServer(args) {
    const server = spawn(BRUNT, ["view", ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    server.stdout.on("data", (data) => (said += data));
    server.stderr.on("data", (data) => (said += data));
    const gone = new Promise((done) => server.on("exit", (code, signal) => done({ code, signal })));
    const end = (signal = "SIGTERM") => {
        server.kill(signal);
        return gone;
    };
    const running = () => server.exitCode === null && server.signalCode === null;
    try {
        const url = await eventually(`'brunt view ${args.join(" ")}' prints its address`, () => {
            if (!running()) {
                throw new Error(`'brunt view ${args.join(" ")}' ended: ${said}`);
            }
            return said.match(/http:\/\/127\.0\.0\.1:\d+\/\w+\//)?.[0];
        });
        return { url, end, running, said: () => said };
    } catch (error) {
        await end("SIGKILL");
        throw error;
    }
}
