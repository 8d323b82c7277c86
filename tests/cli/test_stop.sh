#!/bin/sh
# Signals within a step: the command answers soon, keeps what there was, and goes on from there. Usage: test_stop.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

# A step that takes minutes: a soft block falls onto its edge, in one step of a second; there are many more to come.
cat >long.yaml <<END
brunt: 1
time: {step: 1.0, end: 3000}
method: {type: ipc, iterations: 10000, budget: 100000}
materials:
  soft: {type: neo_hookean, young: 1e4, poisson: 0.45, density: 1000}
meshes:
  block: {box: {size: [0.3, 0.3, 0.3], cells: [16, 16, 16], element: tet4}}
bodies:
  - {name: block, type: deformable, mesh: block, material: soft, position: [0, 0, 0.26], rotation: {axis: [1, 1, 0], degrees: 40}}
  - {name: floor, type: static, shape: {plane: {}}}
END

hash_of() {
    sed -n 's/.*"state_hash": *"\{0,1\}\([0-9a-fx]*\).*/\1/p' "$1/summary.json"
}

# stop_with SIGNAL CODE: sends it once steps are under way; the process must end by itself and leave a run that can go on.
stop_with() {
    "$brunt" run long.yaml --out "$1" --quiet >out.txt 2>err.txt &
    process=$!
    tries=0
    while kill -0 $process 2>/dev/null && [ ! -e "$1/series.csv" ] && [ $tries -lt 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    sleep 2
    kill -"$1" $process
    code=0
    wait $process || code=$?
    [ $code = "$2" ] || fail "$1 within a step: exit code $code, wanted $2"
    [ -e "$1/checkpoint.h5" ] || fail "$1 within a step: no checkpoint"
    grep -q '"status": "stopped"' "$1/summary.json" || fail "$1 within a step: the summary does not say stopped"
    grep -qF -e "--resume" err.txt || fail "$1 within a step: does not say how to continue"
}
stop_with INT 130
stop_with TERM 143
[ "$(hash_of INT)" = "$(hash_of TERM)" ] || fail "two runs stopped within their first step differ"
finish
