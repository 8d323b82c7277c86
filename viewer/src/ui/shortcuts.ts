// Keys. One table: what the page does with a key, and what the help sheet says about it.

export interface Shortcut {
    keys: string[]; // KeyboardEvent.key, or its code for digits
    shown: string;
    does: string;
    group: string;
    stage?: boolean; // only while the stage has the focus
    act(event: KeyboardEvent): void;
}

/** Is this where a person types, so that a letter is a letter? */
export function takesText(target: EventTarget | null): boolean {
    if (!(target instanceof HTMLElement)) {
        return false;
    }
    if (target instanceof HTMLInputElement) {
        return !["checkbox", "radio", "range", "button"].includes(target.type);
    }
    return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

/** Does this element use the key itself? */
function usesKey(target: EventTarget | null, key: string): boolean {
    if (takesText(target)) {
        return true;
    }
    if (!(target instanceof HTMLElement)) {
        return false;
    }
    if (key === " " || key === "Enter") {
        return target.matches("button, summary, a, input");
    }
    return /^(Arrow|Home|End|Page)/.test(key) && target.matches("input, [role=tab], [role=separator], .code, .table-scroll");
}

export class Shortcuts {
    readonly table: Shortcut[] = [];

    constructor(private readonly stage: HTMLElement) {
        document.addEventListener("keydown", (event) => this.key(event));
    }

    add(...shortcuts: Shortcut[]): void {
        this.table.push(...shortcuts);
    }

    private key(event: KeyboardEvent): void {
        if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || usesKey(event.target, event.key)) {
            return;
        }
        // An open sheet has the keyboard to itself.
        if (document.querySelector("dialog[open]") !== null) {
            return;
        }
        const inStage = document.activeElement === this.stage || document.activeElement === document.body;
        const key = /^Digit[1-9]$/.test(event.code) ? `${event.shiftKey ? "Shift+" : ""}${event.code}` : event.key;
        const found = this.table.find((entry) => entry.keys.some((one) => one === key || (one.length === 1 && one === key.toLowerCase()))
            && (entry.stage !== true || inStage));
        if (found !== undefined) {
            event.preventDefault();
            found.act(event);
        }
    }
}
