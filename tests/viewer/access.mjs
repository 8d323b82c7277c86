// What is measured in the page: contrast of texts and icons, what can be reached and how large it is.

/** Runs inside the browser, so that everything it needs is in it. */
function inPage([what, argument]) {
    const visible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const nameOf = (element) =>
        (element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? (element.textContent.trim() || element.title) ?? "").trim();

    /** Tag, id and name; of radio buttons the group, as Tab goes to any one of it. */
    const describe = (element) => {
        const id = element.type === "radio" ? `[${element.name}]` : `${element.id ? `#${element.id}` : ""} ${nameOf(element)}`;
        return `${element.tagName.toLowerCase()}${id}`.trim();
    };

    // ---- contrast, by WCAG's formula ---------------------------------------------------------------------------------
    const parse = (text) => {
        const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
        return /^color\(/.test(text) ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
    };
    const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
    const linear = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
    const ratio = (a, b) => {
        const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
        return (high + 0.05) / (low + 0.05);
    };

    /** Colours that may be behind an element: the page's, or both ends of the gradient that the picture's paper is. */
    const behind = (element) => {
        const layers = [];
        let opacity = 1;
        for (let at = element; at !== null && !layers.some((layer) => layer[3] === 1); at = at.parentElement) {
            const style = getComputedStyle(at);
            opacity *= Number(style.opacity);
            layers.push(parse(style.backgroundColor));
        }
        const paper = getComputedStyle(document.querySelector("#stage")).backgroundImage.match(/(rgba?|color)\([^)]*\)/g)?.map(parse);
        const grounds = element.closest("#stage") !== null && paper ? paper : [parse(getComputedStyle(document.body).backgroundColor)];
        return { opacity, colours: grounds.map((ground) => layers.reduceRight((below, layer) => over(layer, below), ground)) };
    };

    const contrastOf = (element) => {
        const { opacity, colours } = behind(element);
        const [r, g, b, a] = parse(getComputedStyle(element).color);
        return Math.min(...colours.map((ground) => ratio(over([r, g, b, a * opacity], ground), ground)));
    };

    /** Every visible text and icon. What is disabled needs no contrast. */
    function contrasts() {
        const found = [];
        const idle = (element) => element.closest(":disabled, script, style, noscript, option, .visually-hidden") !== null
            || element.closest("label")?.querySelector(":disabled");
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
            const element = node.parentElement, text = node.textContent.trim();
            if (text !== "" && visible(element) && !idle(element)) {
                found.push({ text: `${text.slice(0, 40)} (${element.className || element.tagName})`, ratio: contrastOf(element), needed: 4.5 });
            }
        }
        for (const icon of document.querySelectorAll("button svg")) {
            if (visible(icon) && !idle(icon)) {
                found.push({ text: `icon of ${describe(icon.closest("button"))}`, ratio: contrastOf(icon), needed: 3 });
            }
        }
        return found;
    }

    // ---- what can be reached -----------------------------------------------------------------------------------------
    /** What a person could want to use now. Of a list of tabs one takes the focus, and arrow keys go on from there. */
    function controls() {
        const all = [...document.querySelectorAll("button, input, select, textarea, summary, a[href], [tabindex='0']")];
        const wanted = all.filter((one) => !one.matches(":disabled, [role=tab][tabindex='-1']") && visible(one));
        return [...new Set(wanted.map(describe))];
    }

    /** The first or last of them gets the focus. */
    function start(last) {
        const all = [...document.querySelectorAll("button, input, select, a[href]")].filter((one) => one.tabIndex >= 0 && visible(one));
        all.at(last ? -1 : 0).focus({ focusVisible: true });
    }

    /** What has the focus, and whether that is seen: a line around it, or around what stands for it. */
    function focused() {
        const element = document.activeElement;
        if (element === null || element === document.body) {
            return null;
        }
        const styles = [element, element.nextElementSibling].filter((one) => one !== null)
            .flatMap((one) => [getComputedStyle(one), getComputedStyle(one, "::after")]);
        const ring = styles.some((style) => (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
            || (!["none", "normal"].includes(style.content) && (parseFloat(style.borderTopWidth) > 0 || parseFloat(style.width) > 0)));
        return { name: describe(element), label: nameOf(element), ring, inDialog: element.closest("dialog") !== null };
    }

    /** Controls that cannot be pressed: outside the window after scrolling to them, covered, or smaller than [px]. The window's size is
        the screen's: a phone's browser shows more, smaller, of a page that is too wide. */
    function unreachable({ smallest, window: { width: wide, height: tall } }) {
        const bad = [];
        for (const element of document.querySelectorAll("button, input, select, summary, [role=tab]")) {
            if (!visible(element) || element.matches(":disabled") || element.closest(".visually-hidden")) {
                continue;
            }
            // A label is as good as its box or button.
            const target = element.labels?.length ? element.closest("label") ?? element : element;
            target.scrollIntoView({ block: "nearest", inline: "nearest" });
            const { left, top, right, bottom, width, height } = target.getBoundingClientRect();
            const hit = document.elementFromPoint(left + width / 2, top + height / 2);
            if (left < -1 || right > wide + 1 || top < -1 || bottom > tall + 1) {
                bad.push(`${describe(element)}: outside, ${[left, top, right, bottom].map(Math.round)}`);
            } else if (hit === null || !(target.contains(hit) || hit.contains(element))) {
                bad.push(`${describe(element)}: covered by ${hit?.outerHTML.slice(0, 80)}`);
            } else if (Math.min(width, height) < smallest) {
                bad.push(`${describe(element)}: ${Math.round(width)} x ${Math.round(height)} pixels`);
            }
        }
        return bad;
    }

    return { contrasts, controls, start, focused, unreachable }[what](argument);
}

export const contrasts = (page) => page.evaluate(inPage, ["contrasts"]);
export const controls = (page) => page.evaluate(inPage, ["controls"]);
export const focused = (page) => page.evaluate(inPage, ["focused"]);
export const startTour = (page, last) => page.evaluate(inPage, ["start", last]);
export const unreachable = (page, smallest) => page.evaluate(inPage, ["unreachable", { smallest, window: page.viewportSize() }]);
