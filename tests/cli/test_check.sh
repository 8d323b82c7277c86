#!/bin/sh
# brunt check as a dry run: what a run refuses, and what it warns of; advice that works. Usage: test_check.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

# both CODE TEXT SCENE ARGS...: check and run end with this code and both say the text.
both() {
    wanted_code=$1
    text=$2
    shift 2
    expect "$wanted_code" "$brunt" check "$@"
    says stderr "$text"
    expect "$wanted_code" "$brunt" run "$@" --overwrite --no-report --out both
    says stderr "$text"
}

solid='materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}
meshes: {a: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}}'

# ---- a crate and a floor: the start -----------------------------------------------------------------------------------------
cat >crate.yaml <<EOF
brunt: 1
time: {step: 0.002, end: 0.004}
$solid
bodies:
  - {name: crate, type: deformable, mesh: a, material: m, position: [0, 0, 0.0488]}
  - {name: floor, type: static, shape: {plane: {}}}
EOF
# 1.2 mm below the floor, and a gap of 2e-3 of its size
both 2 "lift 'crate' by 1.41 mm along z" crate.yaml
expect 0 "$brunt" check crate.yaml --set 'bodies.crate.position=[0, 0, 0.05021]'
says stdout "method          ipc (the scene names none, and there are obstacles)"
# The shortest way counts: two crates side by side that overlap by 1 mm.
cat >pair.yaml <<EOF
brunt: 1
time: {step: 0.002, end: 0.004}
$solid
bodies:
  - {name: left, type: deformable, mesh: a, material: m}
  - {name: right, type: deformable, mesh: a, material: m, position: [0.099, 0, 0.001]}
EOF
both 2 "move 'right' by 1.21 mm along x" pair.yaml
expect 2 "$brunt" check crate.yaml --set 'bodies.crate.position=[0, 0, 0.0488]' --set 'gravity=[0, 0, 9.81]'
says stderr "move 'crate' by 1.41 mm along z"

# ---- the contact force of the start -----------------------------------------------------------------------------------------
both 0 "body 'crate' starts with a contact force of" crate.yaml --set 'bodies.crate.position=[0, 0, 0.05001]' \
    --set 'method={type: ipc, dhat: 1e-3, kappa: 1e5}'
expect 0 "$brunt" check crate.yaml --set 'bodies.crate.position=[0, 0, 0.0509]' --set 'method={type: ipc, dhat: 1e-3, kappa: 1e3}'
says stdout "crate is pushed by"
if grep -q "starts with a contact force" stderr; then fail "a slight touch is no reason for a warning"; fi

# Without gravity there is no weight: a body that contact throws, and one at the same place that it does not move much.
both 0 "enough to throw it at" crate.yaml --set 'gravity=[0, 0, 0]' --set time.end=1 \
    --set 'bodies.crate.position=[0, 0, 0.05001]' --set 'method={type: ipc, dhat: 1e-3, kappa: 1e5}' --set time.step=0.01
expect 0 "$brunt" check crate.yaml --set 'gravity=[0, 0, 0]' --set 'bodies.crate.position=[0, 0, 0.0509]' \
    --set 'method={type: ipc, dhat: 1e-3, kappa: 1e3}'
if grep -q "starts with a contact force" stderr; then fail "a slight touch without gravity is no reason for a warning"; fi

# ---- the values that the method chose: bodies that are alike in one line, never more than eight lines -------------------------
expect 0 "$brunt" check crate.yaml --set 'bodies.crate.position=[0, 0, 0.06]'
# diagonal 0.173 m; dhat a thousandth of the strain rho g L/E = 1.7e-3; E/10; eps_v 1e-3 and tolerance 1e-4 sizes a second
says stdout "chosen          crate: size 0.173 m, dhat 8.66e-07 m, friction_speed 0.000173 m/s, kappa 1e+05 Pa or more, tolerance 1.73e-05 m/s"
sed '/floor/d; /crate/d' crate.yaml >many.yaml
i=0
while [ $i -lt 60 ]; do
    echo "  - {name: s$i, type: rigid, density: 1000, shape: {sphere: {radius: 0.$((5 * i + 100))}}, position: [$((2 * i)), 0, 0]}" >>many.yaml
    i=$((i + 1))
done
expect 0 "$brunt" check many.yaml
lines=$(grep -c "size .* tolerance" stdout)
[ "$lines" -ge 2 ] && [ "$lines" -le 8 ] || fail "$lines lines of chosen values for 60 bodies"
grep -q "chosen          s0, s1, s2 and [0-9]* more: size 0.346 to " stdout || fail "no groups of bodies that are alike"

# ---- the method that a scene does not name ------------------------------------------------------------------------------------
expect 0 "$brunt" run crate.yaml --set 'bodies.crate.position=[0, 0, 0.06]' --out named --no-report
says stderr "note: method ipc: the scene names none, and there are obstacles"
grep -q "^# The method was chosen: there are obstacles.$" named/scene.yaml || fail "scene.yaml does not say why the method is ipc"
grep -q '"method": "ipc"' named/summary.json || fail "the run did not use ipc"
expect 0 "$brunt" run named/scene.yaml --out again --no-report
if grep -q "note:" stderr; then fail "a scene that names its method has nothing to explain"; fi
both 0 "method none: bodies pass through the obstacle 'floor'" crate.yaml --method none
sed '/floor/d; s/0.0488/1/' crate.yaml >alone.yaml
expect 0 "$brunt" check alone.yaml
says stdout "method          none, "
expect 0 "$brunt" check alone.yaml --set contact.friction=0.3
says stdout "method          ipc (the scene names none, and there is a \`contact\` block)"
expect 0 "$brunt" check alone.yaml --set 'bodies.crate.repeat={count: [3], spacing: [0, 0, 1]}'
says stdout "ipc (the scene names none, and there are several bodies)"
both 2 "chosen because there are obstacles; \`method: none\` leaves contact out" crate.yaml --set integrator=symplectic_euler

# ---- supports of a static run: by the motions that are free ----------------------------------------------------------------------
cat >press.yaml <<EOF
brunt: 1
integrator: static
gravity: [0, 0, 0]
time: {step: 0.25, end: 1}
$solid
bodies:
  - {name: low, type: deformable, mesh: a, material: m}
  - {name: top, type: deformable, mesh: a, material: m, position: [0, 0, 0.101]}
fixed:
  - {name: floor, body: low, where: {face: -z}}
  - {name: guide, body: top, where: {face: +z}, axes: xy}
loads: [{body: top, where: {face: +z}, force: [0, 0, -50]}]
EOF
expect 0 "$brunt" check press.yaml
if grep -q suggested stdout; then fail "a static run needs no suggested step"; fi
expect 0 "$brunt" run press.yaml --out press --no-report
# The load arrives at the floor.
column=$(head -1 press/series.csv | tr ',' '\n' | grep -n '^floor.force_z$' | cut -d: -f1)
tail -1 press/series.csv | cut -d, -f"$column" |
    awk '{ exit !($1 > 49.95 && $1 < 50.05) }' || fail "the load of 50 N does not arrive at the floor"
both 2 "body 'top' is free to move along z and to turn" press.yaml --method none
sed '/name: low/d; /name: floor/d' press.yaml >single.yaml
both 2 "body 'top' is free to move along z and to turn" single.yaml --set 'contact.friction=0.1'
# Many held dofs on one edge leave a hinge, three nodes of one face do not.
both 2 "body 'top' is free to turn:" single.yaml --set 'fixed=[{body: top, where: {box: {min: [-1, -1, 0.15], max: [-0.04, 1, 0.16]}}}]'
expect 0 "$brunt" check single.yaml --set 'fixed=[{body: top, where: {face: -z}, axes: z}, {body: top, where: {face: -x}, axes: x}, {body: top, where: {nearest: [0, 0, 0]}, axes: y}, {body: top, where: {nearest: [0.05, 0, 0.1]}, axes: y}]'

# ---- a step that cannot work -------------------------------------------------------------------------------------------------------
expect 1 "$brunt" check alone.yaml --set integrator=symplectic_euler --set time.step=0.1
says stderr "above the stable step"
expect 0 "$brunt" check alone.yaml --set integrator=symplectic_euler --set time.step=1e-5

# ---- problems: each once, none hidden, and with a way out --------------------------------------------------------------------------
cat >bad.yaml <<EOF
brunt: 1
materials: {m: {type: mooney_rivlin, c10: 0, c01: 0, bulk: 1e6, density: 1000}}
meshes:
  a: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}
bodies:
  - {name: one, type: deformable, mesh: a, material: m}
  - {name: two, type: deformable, mesh: a, material: m, position: [1, 0, 0]}
EOF
expect 2 "$brunt" check bad.yaml
[ "$(sort stderr | uniq -d | wc -l)" = 0 ] || fail "a problem is listed twice"
sed 's/{type: mooney.*/{type: neo_hookean, young: 1e6, density: 1000}}/' bad.yaml >pairs.yaml
cat >>pairs.yaml <<EOF
contact: {pairs: [{between: [one, tow], frction: 0.3}]}
EOF
expect 2 "$brunt" check pairs.yaml
says stderr "contact.pairs[0].frction: unknown key; did you mean 'friction'?"
says stderr "contact.pairs[0].between[1] = tow: no such body; did you mean 'two'?"
printf 'brunt: 1\nmeshes: {a: {stl: part.stl}, b: {ply: part.ply}}\n' >formats.yaml
expect 2 "$brunt" check formats.yaml
says stderr "meshes.a.stl: unknown key; write {file: NAME.stl} for the surface"
says stderr "meshes.b.ply: unknown key; PLY is not read: convert the file to STL or OBJ"
expect 2 "$brunt" export nowhere --format 3mf
says stderr "obj: surfaces"
if grep -q "did you mean" stderr; then fail "vtu is not what 3mf was meant to be"; fi

# ---- resolution of a surface: in metres, whatever the file's unit -------------------------------------------------------------------
cat >cube.obj <<EOF
v 0 0 0
v 1000 0 0
v 1000 1000 0
v 0 1000 0
v 0 0 1000
v 1000 0 1000
v 1000 1000 1000
v 0 1000 1000
f 1 4 3
f 1 3 2
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 2 3 7
f 2 7 6
f 3 4 8
f 3 8 7
f 4 1 5
f 4 5 8
EOF
cat >cube.yaml <<EOF
brunt: 1
materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}
meshes: {a: {surface: cube.obj, scale: 1e-3, resolution: 0.5}}
bodies: [{name: cube, type: deformable, mesh: a, material: m}]
EOF
code=0
"$brunt" check cube.yaml >stdout 2>stderr || code=$?
if ! grep -q "gmsh" stderr; then
    ran="check cube.yaml"
    [ $code = 0 ] || { fail "a surface in millimetres"; cat stderr; }
    says stdout ', 1 m^3'
fi

# ---- acm: what it chose, what a run comes to; a run that takes more stops, and goes on ---------------------------------------------------
cat >hop.yaml <<EOF
brunt: 1
method: {type: acm}
time: {step: 0.005, end: 0.1}
materials: {m: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}
meshes: {a: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}}
bodies:
  - {name: cube, type: deformable, mesh: a, material: m, position: [0, 0, 0.055], velocity: [0, 0, -1]}
  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}
EOF
expect 0 "$brunt" check hop.yaml
says stdout "predicted       approach        1."
says stdout "m/s, cube and floor, after 0.0"
says stdout "deepest layer   "
says stdout "force events    "
says stdout "chosen          cube: thickness "
says stdout "no problems"
expect 0 "$brunt" run hop.yaml --out hop-whole --no-report
hash=$(grep '"state_hash"' hop-whole/summary.json)
expect 1 "$brunt" run hop.yaml --out hop --no-report --set method.events=100
says stderr "more than 100 events in a step (method.events); "
says stderr "or allow more with method.events and resume"
expect 0 "$brunt" run hop.yaml --out hop --no-report --resume --set method.events=1e9
[ "$(grep '"state_hash"' hop/summary.json)" = "$hash" ] || fail "a run that was stopped by method.events ends elsewhere"

# ---- a failed run says how to go on, and that works ------------------------------------------------------------------------------------
# One Newton iteration is enough for a load step that is small enough: here for a 16 384th of the ramp, not for an 8 192nd.
cat >stuck.yaml <<EOF
brunt: 1
integrator: static
gravity: [0, 0, 0]
time: {step: 0.5, end: 3}
method: {type: none, iterations: 1, tolerance: 1e-6}
materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}
meshes: {a: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}
bodies: [{name: block, type: deformable, mesh: a, material: m}]
fixed: [{name: floor, body: block, where: {face: -z}}]
loads: [{body: block, where: {face: +z}, force: [0, 0, 150], ramp: {from: 1, to: 2}}]
EOF
expect 1 "$brunt" run stuck.yaml --out stuck --no-report --set output.every=0.5
says stderr "continue with a quarter of the step:"
says stderr "--resume accepts another title, time.step that divides the time done"
advice=$(grep '^  brunt run' stderr | sed 's/^  brunt //')
expect 2 "$brunt" run stuck.yaml --out stuck --resume --set output.every=0.5 --set time.step=0.3
says stderr "time.step = 0.3 s does not divide the 1 s that are done: 0.25 s would"
expect 2 "$brunt" run stuck.yaml --out stuck --resume --set output.every=0.5 --set materials.m.young=2e6
says stderr "another scene (material of body 'block')"
eval "set -- $advice"
expect 0 "$brunt" "$@" --no-report
grep -q '"status": "done"' stuck/summary.json || fail "the resumed run is not done"
tail -1 stuck/series.csv | grep -q '^24.0,3.0,' || fail "the resumed run counts its steps wrongly"
[ "$(wc -l <stuck/series.csv)" = 20 ] || fail "2 steps of 0.5 s and 16 of 0.125 s are 18 rows, the start and the names"

finish
