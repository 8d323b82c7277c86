// The camera as it is, also while nobody has moved it.

import type { Camera, Projection } from "../view";
import type { Context } from "./context";

/** Moving it by nothing makes the stage say where it stands. */
export function cameraNow(context: Context): Camera {
    if (context.store.get().camera === null) {
        context.stage.pan(0, 0);
    }
    return context.store.get().camera!;
}

export function projectionNow(context: Context): Projection {
    return context.store.get().camera?.projection ?? (context.stage.flat ? "parallel" : "perspective");
}
