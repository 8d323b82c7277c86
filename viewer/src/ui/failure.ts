// What stands in the place of the page when there is nothing to show.

import { el } from "./dom";
import { icon } from "./icons";

/** What this browser lacks, or null. */
export function missingFeature(): string | null {
    if (typeof DecompressionStream === "undefined") {
        return "This browser cannot unpack the page's data (DecompressionStream is missing). "
            + "Chrome or Edge 110, Firefox 115, Safari 16.4 and later can.";
    }
    const gl = document.createElement("canvas").getContext("webgl2");
    if (gl === null) {
        return "This browser does not draw in 3D here (WebGL 2 is missing or switched off). "
            + "Switch on hardware acceleration in its settings, or open the page in another browser.";
    }
    // The trial's memory is not waited for.
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return null;
}

export function showFailure(title: string, detail: string, remedy: string | undefined = undefined): void {
    document.documentElement.dataset["theme"] ??= matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    document.querySelector("#app")?.remove();
    document.querySelector("#loading")?.remove();
    document.body.append(
        el("main", { id: "failure", role: "alert" },
            el("div", { class: "failure-card" }, icon("warning"), el("h1", {}, title), el("p", {}, detail),
                remedy === undefined ? null : el("p", { class: "muted" }, remedy))),
    );
}
