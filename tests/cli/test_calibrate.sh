#!/bin/sh
# brunt calibrate: traces of several shapes, a run folder, a scene, files written, what is refused. Usage: test_calibrate.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

# 50 Hz that decays at 20 1/s about 2, sampled at 1 kHz for 0.2 s.
awk 'BEGIN { print "time,n,tip.z"; for (i = 0; i <= 200; ++i) { t = i / 1000
    printf "%.6f,%d,%.9f\n", t, i, 2 + exp(-20 * t) * cos(2 * 3.14159265358979 * 50 * t) } }' >ring.csv
expect 0 "$brunt" calibrate ring.csv --value tip.z
says stdout "ring.csv, tip.z, 201 samples"
says stdout "*  50"
says stdout "offset          2"
says stdout "damping ratio   0.06353"
says stdout "0.00040365 s"
silent stderr
expect 0 "$brunt" calibrate ring.csv --time 1 --value 3 --from 0.02 --to 0.15 --near 60
says stdout "0.02 s to 0.15 s, 131 samples"
expect 2 "$brunt" calibrate ring.csv
says stderr "3 columns: say which of them holds the samples: time, n, tip.z"
says stderr "--value COLUMN"
expect 2 "$brunt" calibrate ring.csv --value tip.y
says stderr "did you mean 'tip.z'?"

# from the standard input, with semicolons and decimal commas
tail -n +2 ring.csv | awk -F, '{ sub(/\./, ",", $1); sub(/\./, ",", $3); print $1 ";" $3 }' >german.csv
"$brunt" calibrate - <german.csv >stdout 2>stderr || fail "calibrate - failed"
grep -qF "*  50" stdout || fail "calibrate - does not find 50 Hz"

# ---- a run folder, a scene, files --------------------------------------------------------------------------------------------
cat >beam.yaml <<'END'
brunt: 1
gravity: [0, 0, 0]
time: {step: 2.0e-4, end: 0.02}
method: none
integrator: newmark
materials: {m: {type: linear, young: 1.66e9, poisson: 0.3, density: 1205, damping: {beta: 5.0e-5}}}
meshes: {beam: {box: {size: [0.05, 0.005, 0.005], cells: [10, 1, 1], element: hex20}}}
bodies: [{name: b, type: deformable, mesh: beam, material: m}]
fixed: [{body: b, where: {face: -x}}]
loads: [{body: b, where: {face: +x}, force: [0, 0, 0.01]}]
output: {probes: [{name: tip, body: b, where: {face: +x}}]}
END
expect 0 "$brunt" run beam.yaml --out run -q --no-report
expect 0 "$brunt" calibrate run --value tip.dz
says stderr "lower its frequency by"
says stderr "--newmark 0.0002 takes that out"
expect 0 "$brunt" calibrate run --value tip.dz --newmark 2e-4 --scene beam.yaml --set materials.m.young=1e9 \
    --set materials.m.damping.beta=0 --out found
silent stderr
says stdout "materials.m.young: 1.6"
says stdout "(was 1e+09)"
says stdout "found/calibrated.yaml"
for file in calibrate.json fit.csv calibrate.html calibrated.yaml; do
    [ -s "found/$file" ] || fail "found/$file is not written"
done
# within 0.2 % of what the run was made with
awk '/^    young:/ { e = $2 } /^      beta:/ { b = $2 } END { exit !(e > 1.657e9 && e < 1.663e9 && b > 4.99e-5 && b < 5.01e-5) }' \
    found/calibrated.yaml || fail "calibrated.yaml: $(grep -E 'young|beta' found/calibrated.yaml)"
head -1 found/fit.csv | grep -qx 'time,measured,fitted,residual' || fail "fit.csv has another header"
grep -q '<svg' found/calibrate.html || fail "the page has no figures"
! grep -qE 'https?://|src=' found/calibrate.html || fail "the page needs something from elsewhere"
expect 0 "$brunt" check found/calibrated.yaml
expect 0 "$brunt" calibrate found/fit.csv --value fitted

# ---- refused -------------------------------------------------------------------------------------------------------------------
awk 'BEGIN { for (i = 0; i <= 200; ++i) print i / 1000, 1 + exp(-i / 30) }' >creep.csv
expect 2 "$brunt" calibrate creep.csv
says stderr "creep.csv: no oscillation: the trace decays without one"
awk 'BEGIN { for (i = 0; i <= 200; ++i) print i / 1000, 3 }' >flat.csv
expect 2 "$brunt" calibrate flat.csv
says stderr "flat.csv: no oscillation: the trace is constant"
printf 't,x\n0,1\n1,two\n' >bad.csv
expect 2 "$brunt" calibrate bad.csv
says stderr "bad.csv:3: column 2: expected a number, found 'two'"
expect 2 "$brunt" calibrate absent.csv
says stderr "absent.csv"
expect 2 "$brunt" calibrate ring.csv --value tip.z --near -5
says stderr "--near -5: must be a number above 0"
expect 2 "$brunt" calibrate ring.csv --value tip.z --near 50 --pick lowest
says stderr "give one of them"
expect 2 "$brunt" calibrate ring.csv --value tip.z --material m
says stderr "give it with --scene"
expect 2 "$brunt" calibrate ring.csv --value tip.z --scene beam.yaml --material cork
says stderr "the scene has no material 'cork'"
says stdout "*  50"
expect 2 "$brunt" calibrate ring.csv --value tip.z --scene beam.yaml --mode 900
says stderr "elastic modes"
expect 2 "$brunt" calibrate ring.csv --value tip.z --out run
says stderr "run holds a run"
expect 1 "$brunt" calibrate ring.csv --value tip.z --out beam.yaml/x
finish
