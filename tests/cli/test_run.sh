#!/bin/sh
# A whole run from outside: folders, --resume, --overwrite, --set, bad scenes, signals. Usage: test_run.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

mkdir -p gallery/block
cat >gallery/block/scene.yaml <<END
brunt: 1
title: A block that falls
time: {step: 0.01, end: 0.1}
method: {type: none}
integrator: implicit_euler
materials:
  soft: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}
meshes:
  block: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}
bodies:
  - {name: block, type: deformable, mesh: block, material: soft}
END
cp gallery/block/scene.yaml falling.yaml

hash_of() {
    sed -n 's/.*"state_hash": *"\{0,1\}\([0-9a-fx]*\).*/\1/p' "$1/summary.json"
}

# ---- check --------------------------------------------------------------------------------------------------------------
expect 0 "$brunt" check gallery/block
says stdout "A block that falls"
says stdout "suggested"
says stdout "1 body, 27 nodes"
expect 0 "$brunt" check gallery/block --write
says stdout "density"
expect 0 "$brunt" check falling.yaml --set materials.soft.young=2e5
expect 2 "$brunt" check falling.yaml --set materials.soft.young=-5
says stderr "young"
expect 2 "$brunt" check falling.yaml --set materials.soft.yuong=5
says stderr "young"
expect 2 "$brunt" check falling.yaml --set nonsense

# ---- every problem of a bad scene, one a line -----------------------------------------------------------------------------
sed -e 's/poisson: 0.3/poisson: 0.7/' -e 's/material: soft/material: soft, velocty: [0, 0, 1]/' falling.yaml >bad.yaml
for command in run check; do
    expect 2 "$brunt" $command bad.yaml
    says stderr "bad.yaml:7: "
    says stderr "poisson"
    says stderr "bad.yaml:11: "
    says stderr "velocity"
    silent stdout
done
sed 's/material: soft/material: sotf/' falling.yaml >name.yaml
expect 2 "$brunt" check name.yaml
says stderr "name.yaml:11: "
says stderr "sotf"
[ ! -e out/bad ] || fail "a bad scene left a run folder"

# ---- run: the default folder, what it holds, refusing to spoil it -----------------------------------------------------------
expect 0 "$brunt" run gallery/block
says stdout "done"
says stdout "out/block"
for file in scene.yaml summary.json series.csv trajectory.h5 checkpoint.h5 report.html; do
    [ -s out/block/$file ] || fail "no out/block/$file"
    says stdout $file
done
expect 0 "$brunt" run falling.yaml --quiet
silent stdout
silent stderr
[ -s out/falling/summary.json ] || fail "no out/falling/summary.json"
expect 2 "$brunt" run gallery/block
says stderr "--resume"
says stderr "--overwrite"
expect 2 "$brunt" run gallery/block --resume --overwrite
expect 0 "$brunt" run gallery/block --overwrite -q
[ "$(hash_of out/block)" = "$(hash_of out/falling)" ] || fail "the same scene gave two state hashes"
[ -n "$(hash_of out/block)" ] || fail "no state hash in summary.json"
# The resolved scene gives the same run.
expect 0 "$brunt" run out/block/scene.yaml -o again -q
[ "$(hash_of out/block)" = "$(hash_of again)" ] || fail "the resolved scene gave another state hash"
# Resuming a finished run changes nothing.
expect 0 "$brunt" run gallery/block --resume -q
[ "$(hash_of out/block)" = "$(hash_of again)" ] || fail "resuming a finished run changed it"
expect 0 "$brunt" run falling.yaml --resume -o fresh
says stderr "no checkpoint in fresh: starting from the beginning"

# ---- plain progress lines: one each 5 % at most ------------------------------------------------------------------------------
expect 0 "$brunt" run falling.yaml -o lines --set time.step=0.0005
lines=$(grep -c ' %  ETA' stderr)
[ "$lines" -ge 10 ] && [ "$lines" -le 25 ] || fail "$lines progress lines, wanted about 20"

# ---- on a terminal: a bar that is taken away at the end, colours unless NO_COLOR -------------------------------------------------
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then # there is a pseudo-terminal to be had
    slow="--set time.step=2e-6 --set time.end=0.04 --set output.every=0.02"
    env -u NO_COLOR TERM=xterm script -qec "'$brunt' run falling.yaml -o bar $slow" /dev/null >bar.out 2>&1 </dev/null ||
        fail "brunt run on a terminal"
    escape=$(printf '\033')
    grep -q "$escape\[32m\[=*>" bar.out || fail "no bar on a terminal"
    [ "$(tr '\r' '\n' <bar.out | grep -c 'ETA')" -le $((10 * $(sed -n 's/.*"wall_s": *\([0-9]*\).*/\1/p' bar/summary.json) + 11)) ] ||
        fail "the bar is redrawn more than ten times a second"
    NO_COLOR=1 TERM=xterm script -qec "'$brunt' run falling.yaml -o bar --overwrite $slow" /dev/null >bar.out 2>&1 </dev/null ||
        fail "brunt run on a terminal with NO_COLOR"
    ! grep -q "$escape\[3[0-9]m" bar.out || fail "colours in spite of NO_COLOR"
fi

# ---- a simulation that cannot go on: exit code 1, what was computed is kept ------------------------------------------------------
# The load is far beyond what the block carries in one step, and the steps cannot become smaller for ever.
sed -e 's/^bodies/loads:\n  - {body: block, where: {face: +z}, pressure: 1e20}\nbodies/' falling.yaml >broken.yaml
expect 1 "$brunt" run broken.yaml
says stderr "could not go on"

# ---- export -----------------------------------------------------------------------------------------------------------------------
for format in vtu obj csv; do
    expect 0 "$brunt" export out/block --format $format
    says stdout "out/block/$format"
    [ -n "$(ls out/block/$format)" ] || fail "export --format $format wrote nothing"
done
expect 0 "$brunt" export out/block --every 5 --out sparse
[ "$(ls sparse/*.vtu | wc -l)" -lt "$(ls out/block/vtu/*.vtu | wc -l)" ] || fail "--every 5 wrote as many files as --every 1"

rm out/block/report.html
expect 0 "$brunt" export out/block --format html
[ -s out/block/report.html ] || fail "export --format html wrote no report.html"
grep -q 'type="application/x-brunt"' out/block/report.html || fail "report.html holds no run"
expect 0 "$brunt" export out/block --format html --budget 1 --out small.html
[ "$(wc -c <small.html)" -le 1000000 ] || fail "the report is larger than its budget"
expect 2 "$brunt" export out/block --format html --budget 0

# ---- shapes: every one of them is checked, run and exported ---------------------------------------------------------------------
cat >shapes.yaml <<END
brunt: 1
time: {step: 0.01, end: 0.02}
method: none
materials: {soft: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}
meshes:
  block: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}
  sheet: {grid: {size: [1, 1], cells: [2, 2]}}
bodies:
  - {name: block, type: deformable, mesh: block, material: soft, position: [0, 0, 1]}
  - {name: floor, type: static, shape: {plane: {}}}
  - {name: crate, type: static, shape: {box: {size: [1, 1, 1]}}, position: [2, 0, 0.5]}
  - {name: ball, type: static, shape: {sphere: {radius: 0.5}}, motion: {velocity: [0, 0, 1]}}
  - {name: drum, type: static, shape: {cylinder: {radius: 0.5, height: 1}}}
  - {name: pill, type: static, shape: {capsule: {radius: 0.2, height: 1}}}
  - {name: sheet, type: static, mesh: sheet, thickness: 0.01}
  - {name: puck, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 2, angular_velocity: [0, 0, 3]}
END
expect 0 "$brunt" check shapes.yaml
expect 0 "$brunt" check shapes.yaml --write
says stdout "capsule"
expect 0 "$brunt" run shapes.yaml -o shapes -q
head -n 1 shapes/series.csv | grep -q 'puck.x,puck.y,puck.z,puck.vx,puck.vy,puck.vz,puck.rx,puck.ry,puck.rz' ||
    fail "no pose of the puck in series.csv"
expect 0 "$brunt" export shapes --format obj -q
for body in block floor crate ball drum pill sheet puck; do
    grep -q "^o $body\$" shapes/obj/frame_0001.obj || fail "$body is not exported"
done
# eight corners of the puck: its handles are not seen
[ "$(sed -n '/^o puck/,$p' shapes/obj/frame_0001.obj | grep -c '^v ')" = 8 ] || fail "the puck has other vertices"
expect 0 "$brunt" export shapes --format vtu -q
expect 2 "$brunt" check shapes.yaml --set bodies.ball.mesh=block
says stderr "keep one of the two"

# ---- a signal stops after the step, and the run can be resumed to the same bits ------------------------------------------------------
for signal in INT TERM; do
    rm -rf whole cut cut.err # not the progress of the last one
    set -- --set time.step=2e-5 --set time.end=0.06 --set output.every=0.01 --threads 1
    # A shell without job control starts background commands with SIGINT ignored; the command installs its own handler.
    "$brunt" run falling.yaml -o cut "$@" >cut.out 2>cut.err &
    child=$!
    tries=0
    while ! grep -qs ' %  ETA' cut.err && [ $tries -lt 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -$signal $child
    code=0
    wait $child || code=$?
    case $signal in INT) wanted=130 ;; *) wanted=143 ;; esac
    if [ $code = 0 ]; then
        echo "the run was over before SIG$signal came"
        continue
    fi
    [ $code = $wanted ] || fail "SIG$signal: exit code $code, wanted $wanted"
    grep -q -e '--resume' cut.err || fail "SIG$signal: does not say how to resume"
    grep -q stopped cut.out || fail "SIG$signal: the summary does not say stopped"
    expect 0 "$brunt" run falling.yaml -o cut "$@" --resume -q
    expect 0 "$brunt" run falling.yaml -o whole "$@" -q
    [ "$(hash_of cut)" = "$(hash_of whole)" ] || fail "SIG$signal: the resumed run differs from the whole one"
done
finish
