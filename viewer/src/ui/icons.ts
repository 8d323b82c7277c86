// Icons: strokes on a 24 x 24 grid, in the colour of the text around them.

const SHAPES = {
    play: ["M7 4.5v15l12-7.5z"],
    pause: ["M8 5v14", "M16 5v14"],
    first: ["M6 5v14", "M19 5l-9 7 9 7z"],
    last: ["M18 5v14", "M5 5l9 7-9 7z"],
    previous: ["M15 6l-7 6 7 6"],
    next: ["M9 6l7 6-7 6"],
    loop: ["M4 11V9.5A3.5 3.5 0 0 1 7.5 6H19", "M16 3l3 3-3 3", "M20 13v1.5a3.5 3.5 0 0 1-3.5 3.5H5", "M8 21l-3-3 3-3"],
    sun: ["M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z", "M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4"],
    moon: ["M20 14.2A8.2 8.2 0 1 1 9.8 4a6.6 6.6 0 0 0 10.2 10.2z"],
    camera: ["M4 8h3.5l1.6-2.5h5.8L16.5 8H20v11H4z", "M12 10.2a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4z"],
    record: ["M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z", "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"],
    stop: ["M6 6h12v12H6z"],
    help: ["M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z", "M9.6 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1.1.9-1.1 1.9", "M12 16.8v.01"],
    link: ["M10 14a4 4 0 0 0 6 .4l3-3a4.1 4.1 0 0 0-5.8-5.8l-1.3 1.3", "M14 10a4 4 0 0 0-6-.4l-3 3a4.1 4.1 0 0 0 5.8 5.8l1.3-1.3"],
    colours: ["M12 3.5a8.5 8.5 0 0 0 0 17c1.7 0 2-1.2 1.5-2.2-.6-1.3.1-2.5 1.5-2.5h2.3c1.9 0 3.2-1.5 3.2-3.5 0-5-4-8.8-8.5-8.8z", "M7.5 12v.01M9.5 8v.01M14 7.5v.01M17 10.5v.01"],
    bodies: ["M12 3l8 4.5v9L12 21l-8-4.5v-9z", "M4.2 7.6L12 12l7.8-4.4", "M12 12v8.8"],
    plots: ["M4 4v16h16", "M7 15l3.5-5 3.5 3 5-7"],
    contacts: ["M3.5 17h17", "M12 17V5", "M8.5 8.5L12 5l3.5 3.5", "M12 17l5.5-4.5"],
    scene: ["M6 3.5h8l4.5 4.5v12.5H6z", "M13.5 3.8V8.5H18", "M9 12.5h6M9 16h4"],
    summary: ["M4.5 4.5h15v15h-15z", "M4.5 9.5h15M10 9.5v10"],
    stages: ["M3.5 19.5h17", "M4.5 16.5C7 4 14.5 4 17 16.5", "M14.5 14.5l2.6 2.4 1.9-3"],
    study: ["M4 4v16h16", "M8 15.5v.01M11 9.5v.01M14 13v.01M18 7v.01", "M15.6 10.6a1.7 1.7 0 1 0 3.4 0 1.7 1.7 0 0 0-3.4 0z"],
    live: ["M12 10.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z", "M8 8a5.6 5.6 0 0 0 0 8M16 8a5.6 5.6 0 0 1 0 8M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14"],
    joints: ["M4 20h9", "M8.5 20v-4.5M8.5 11.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z", "M9.9 12l4.2-4.3", "M15.5 4.3a2 2 0 1 0 0 4 2 2 0 0 0 0-4z", "M17 7.6l3 3.4M20 11l-2.6 1M20 11l.6 2.7"],
    compare: ["M4 5h7v14H4z", "M13 5h7v14h-7z"],
    eye: ["M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z", "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"],
    hidden: ["M4 4l16 16", "M9.5 5.9A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a17 17 0 0 1-2.7 3.4M6.5 7.4A16 16 0 0 0 2.5 12s3.5 6.5 9.5 6.5a9 9 0 0 0 4.4-1.2", "M10 10a3 3 0 0 0 4 4"],
    ghost: ["M5.5 20V11a6.5 6.5 0 0 1 13 0v9l-2.2-1.8L14.1 20 12 18.2 9.9 20l-2.2-1.8z", "M9.7 11v.01M14.3 11v.01"],
    solo: ["M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14z", "M12 2v4M12 18v4M2 12h4M18 12h4"],
    frame: ["M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5", "M9 9h6v6H9z"],
    views: ["M12 13V4M12 13l7.5 4.5M12 13l-7.5 4.5", "M10 6l2-2 2 2M17 17.7l2.5-.2-1-2.3M7 17.7l-2.5-.2 1-2.3"],
    bookmark: ["M7 4h10v16l-5-4-5 4z"],
    plus: ["M12 5v14M5 12h14"],
    minus: ["M5 12h14"],
    close: ["M6 6l12 12M18 6L6 18"],
    grab: ["M8 12V6.5a1.5 1.5 0 0 1 3 0V11M11 10.5V5a1.5 1.5 0 0 1 3 0v6M14 11V6.5a1.5 1.5 0 0 1 3 0V14a6.5 6.5 0 0 1-6.5 6.5c-2.5 0-4-1.2-5.2-3.3L3.6 14c-.8-1.5 1-2.7 2.2-1.5L8 14.5"],
    pin: ["M12 21s6.5-6.2 6.5-11a6.5 6.5 0 0 0-13 0c0 4.8 6.5 11 6.5 11z", "M12 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z"],
    copy: ["M9 9h11v11H9z", "M15 6V4H4v11h2"],
    reset: ["M4.5 12a7.5 7.5 0 1 0 2.5-5.6", "M7.5 2.5V7H12"],
    step: ["M6 5l9 7-9 7z", "M18 5v14"],
    search: ["M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z", "M15.5 15.5L20 20"],
    panel: ["M4 5h16v14H4z", "M14.5 5v14"],
    perspective: ["M5 4l14 4v8L5 20z", "M12 6v12M5 12h14"],
    parallel: ["M5 5h14v14H5z", "M12 5v14M5 12h14"],
    overlay: ["M4 4h11v11H4z", "M9 9h11v11H9z"],
    warning: ["M12 4l9 16H3z", "M12 10v4.5M12 17.2v.01"],
    download: ["M12 4v11M7.5 10.5L12 15l4.5-4.5", "M5 19.5h14"],
    inspect: ["M12 3v5M12 16v5M3 12h5M16 12h5"],
} as const;

export type IconName = keyof typeof SHAPES;

const SVG = "http://www.w3.org/2000/svg";

export function icon(name: IconName): SVGSVGElement {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    svg.dataset["icon"] = name;
    for (const shape of SHAPES[name]) {
        const path = document.createElementNS(SVG, "path");
        path.setAttribute("d", shape);
        svg.append(path);
    }
    return svg;
}
