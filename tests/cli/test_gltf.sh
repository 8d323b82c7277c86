#!/bin/sh
# glTF files as other programs read them: Khronos' validator has nothing to say, and three.js shows at the time of each frame
# the surfaces of the OBJ export. Usage: test_gltf.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
source=$1 brunt=$2
command -v node >/dev/null 2>&1 && [ -d "$source/viewer/node_modules/gltf-validator" ] || {
    echo "skipped: needs node and the packages of viewer/ (npm ci)"
    exit 77
}
cd "$scratch" || exit 1

# check SCENE EVERY [OVERRIDE...]
check() {
    scene=$1 every=$2
    shift 2
    expect 0 "$brunt" run "$source/scenes/$scene" --out "$scene" --quiet "$@"
    for format in gltf obj; do
        expect 0 "$brunt" export "$scene" --format $format --every "$every" --quiet
    done
    expect 0 node "$source/tests/cli/gltf_check.mjs" "$source/viewer" "$scene/gltf/trajectory.glb" "$scene/obj"
    says stdout "as recorded"
}
check two-squares 1                                     # 2D, deforming, an obstacle that is moved
check rigid-mix 2 --set time.end=0.5                    # rigid bodies on a soft one
check tunnel 1

finish
