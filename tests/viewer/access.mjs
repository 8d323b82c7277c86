// What is measured in the page: contrast of texts, what can be reached and how large it is. Runs inside the browser.

/** Every visible text with its contrast to what is behind it, by WCAG's formula. Disabled controls need none. */
export function contrasts() {
    const parse = (text) => {
        const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
        return /^color\(/.test(text) ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
    };
    const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
    const luminance = (colour) => {
        const [r, g, b] = colour.slice(0, 3).map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => {
        const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
        return (high + 0.05) / (low + 0.05);
    };
    // Behind everything: the page, or the picture, whose paper is a gradient between two colours and whose bodies may be anything.
    const page = parse(getComputedStyle(document.body).backgroundColor);
    const papers = getComputedStyle(document.querySelector("#stage")).backgroundImage.match(/(rgba?|color)\([^)]*\)/g)?.map(parse) ?? [];
    const behind = (element) => {
        const layers = [];
        let opacity = 1;
        for (let at = element; at !== null; at = at.parentElement) {
            const style = getComputedStyle(at);
            opacity *= Number(style.opacity);
            const colour = parse(style.backgroundColor);
            if (colour[3] > 0) {
                layers.push(colour);
            }
            if (colour[3] === 1) {
                break;
            }
        }
        const inStage = element.closest("#stage") !== null && !layers.some((layer) => layer[3] === 1);
        const grounds = inStage && papers.length > 0 ? papers : [page];
        return { opacity, colours: grounds.map((ground) => layers.reduceRight((below, layer) => over(layer, below), ground)) };
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const element = node.parentElement;
        const text = node.textContent.trim();
        if (text === "" || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || element.closest(":disabled, script, style, noscript, option")
            || element.closest("label")?.querySelector(":disabled") || element.closest(".visually-hidden")) {
            continue;
        }
        const { opacity, colours } = behind(element);
        const ink = parse(getComputedStyle(element).color);
        const worst = Math.min(...colours.map((ground) => ratio(over([ink[0], ink[1], ink[2], ink[3] * opacity], ground), ground)));
        found.push({ text: text.slice(0, 40), where: element.className || element.tagName, ratio: Number(worst.toFixed(2)) });
    }
    return found;
}

/** Icons of buttons, likewise; they need 3 : 1. */
export function iconContrasts() {
    return [...document.querySelectorAll("button svg, [role=tab] svg")]
        .filter((icon) => icon.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !icon.closest(":disabled"))
        .map((icon) => ({ icon: icon.dataset.icon ?? "", colour: getComputedStyle(icon).color }));
}

/** Controls that a person could want to use now: visible, enabled, in the order of focus. One of each group of radio buttons. */
export function controls() {
    const groups = new Set();
    const all = [...document.querySelectorAll("button, input, select, textarea, summary, a[href], [tabindex]")].filter((element) => {
        if (element.tabIndex < 0 || element.matches(":disabled") || !element.checkVisibility({ visibilityProperty: true })) {
            return false;
        }
        if (element.type === "radio") {
            const known = groups.has(element.name);
            groups.add(element.name);
            return !known;
        }
        return true;
    });
    return all.map(describe);

    function describe(element) {
        const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? (element.textContent.trim() || element.title);
        return `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""}${element.type === "radio" ? `[${element.name}]` : ""} ${label ?? ""}`.trim();
    }
}

/** The element that has the focus, described as above, with what shows the focus. */
export function focused() {
    const element = document.activeElement;
    if (element === null || element === document.body) {
        return null;
    }
    const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? (element.textContent.trim() || element.title);
    const rings = [element, element.nextElementSibling].filter((one) => one !== null).flatMap((one) => [getComputedStyle(one), getComputedStyle(one, "::after")]);
    const ring = rings.some((style) => (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
        || (style.content !== "none" && style.content !== "normal" && parseFloat(style.borderTopWidth) + parseFloat(style.width) > 0));
    return {
        name: `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""}${element.type === "radio" ? `[${element.name}]` : ""} ${label ?? ""}`.trim(),
        label: (label ?? "").trim(), ring, inDialog: element.closest("dialog") !== null,
    };
}

/** Controls that cannot be pressed: outside the window after scrolling to them, covered, or too small. */
export function unreachable(smallest) {
    const bad = [];
    for (const element of document.querySelectorAll("button, input, select, summary, [role=tab]")) {
        if (!element.checkVisibility({ visibilityProperty: true }) || element.matches(":disabled") || element.closest(".visually-hidden")) {
            continue;
        }
        element.scrollIntoView({ block: "nearest", inline: "nearest" });
        // A label is as good as its box or button.
        const target = element.labels?.length ? element.closest("label") ?? element : element;
        const box = target.getBoundingClientRect();
        const name = element.getAttribute("aria-label") ?? element.id ?? element.textContent;
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        if (box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1) {
            bad.push(`${name || element.outerHTML.slice(0, 80)}: outside, ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`);
            continue;
        }
        const hit = document.elementFromPoint(x, y);
        if (hit === null || !(target.contains(hit) || hit.contains(element))) {
            bad.push(`${name || element.outerHTML.slice(0, 80)}: covered by ${hit?.outerHTML.slice(0, 80)}`);
        } else if (Math.min(box.width, box.height) < smallest) {
            bad.push(`${name || element.outerHTML.slice(0, 80)}: ${Math.round(box.width)} x ${Math.round(box.height)} pixels`);
        }
    }
    return bad;
}
