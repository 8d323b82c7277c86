// Tab: the scene's text.

import { isCompare, type Context } from "./context";
import { button, el, section } from "./dom";
import { copyText } from "./copy";
import type { Tab } from "./panel";
import { yamlTokens } from "./yaml";

const COLOURED = 20000; // lines; what is longer stays plain

function coloured(text: string): DocumentFragment {
    const out = document.createDocumentFragment();
    const lines = text.split("\n");
    for (const line of lines.slice(0, COLOURED)) {
        const row = el("span", { class: "line" });
        for (const token of yamlTokens(line)) {
            row.append(token.kind === "word" ? token.text : el("span", { class: `y-${token.kind}` }, token.text));
        }
        row.append("\n");
        out.append(row);
    }
    if (lines.length > COLOURED) {
        out.append(lines.slice(COLOURED).join("\n"));
    }
    return out;
}

export class SceneTab implements Tab {
    readonly id = "scene";
    readonly label = "Scene";
    readonly icon = "scene";

    constructor(private readonly context: Context) {}

    build(host: HTMLElement): void {
        const { runs, status } = this.context;
        const texts = new Map(runs.map((run) => [run.scene, run] as const));
        for (const [text, run] of texts) {
            const title = isCompare(this.context) && texts.size > 1 ? run.name : "Every default is explicit";
            host.append(section(title,
                button({
                    label: "Copy the scene", text: "Copy", icon: "copy", class: "small",
                    act: () => void copyText(text).then((done) => (done
                        ? status.show("The scene is on the clipboard")
                        : status.show("This browser does not let the page copy: select the text", "problem"))),
                }),
                el("pre", { class: "code", tabindex: "0", "aria-label": "Text of the scene" }, coloured(text))));
        }
    }
}
