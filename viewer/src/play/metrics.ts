// What things cost, for tests and for the curious.

export interface Cost {
    last: number; // [ms]
    mean: number;
    max: number;
    count: number;
}

const none = (): Cost => ({ last: 0, mean: 0, max: 0, count: 0 });

/** fetch: wish to packet (network, unpacking); decode: packet to numbers; upload: numbers to buffers of the graphics card, with normals
 *  and the drawing that sends them; draw: a picture. */
export const metrics = {
    fetch: none(),
    decode: none(),
    upload: none(),
    draw: none(),
    pick: none(),
    firstPicture: 0, // [ms] after the page's start
    wait: false, // tests: wait until the picture is really drawn
    reset(): void {
        this.fetch = none();
        this.decode = none();
        this.upload = none();
        this.draw = none();
        this.pick = none();
    },
};

export function measure(what: "fetch" | "decode" | "upload" | "draw" | "pick", ms: number): void {
    const cost = metrics[what];
    cost.last = ms;
    cost.count += 1;
    cost.mean += (ms - cost.mean) / cost.count;
    cost.max = Math.max(cost.max, ms);
}
