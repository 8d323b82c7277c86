#!/bin/sh
# brunt modes: its table, its files, what it refuses. Usage: test_modes.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

cat >beam.yaml <<EOF
brunt: 1
title: A beam beside a wall
time: {step: 0.001, end: 0.002}
method: none
materials: {m: {type: stvk, young: 1.0e9, poisson: 0.3, density: 1000, damping: {beta: 1.0e-5}}}
meshes:
  beam: {box: {size: [1, 0.05, 0.1], cells: [12, 1, 1], element: hex20}}
  wall: {box: {size: [0.1, 1, 1], cells: [1, 1, 1]}}
bodies:
  - {name: beam, type: deformable, mesh: beam, material: m}
  - {name: wall, type: static, mesh: wall, position: [-2, 0, 0]}
fixed: [{name: clamp, body: beam, where: {face: -x}}]
EOF

# cell COLUMN MODE FOLDER: of modes.csv
cell() {
    awk -F, -v mode="$2" -v column="$1" '$1 == mode {print $column}' "$3/modes.csv"
}

# near VALUE WANTED RELATIVE WHAT
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {d = a - b; exit !(a != "" && (d < 0 ? -d : d) <= t * b)}' || fail "$4: $1, wanted $2"
}

# ---- held: bending about both axes, by beam theory ------------------------------------------------------------------------
expect 0 "$brunt" modes beam.yaml --modes 4 --out held
silent stderr
says stdout "mode  frequency Hz     damped Hz    damping   mass x   mass y   mass z"
says stdout "report.html"
# The table shows what the file has, to five digits.
near "$(awk '$1 == 1 {print $2}' "$scratch/stdout")" "$(cell 3 1 held)" 1e-4 "frequency in the table"
for file in scene.yaml modes.csv modes.json modes.vtu report.html; do
    [ -s "held/$file" ] || fail "held/$file is missing"
done
[ "$(wc -l <held/modes.csv)" = 5 ] || fail "modes.csv has not four rows"
# f = 1.8751^2 / (2 pi) sqrt(E/rho) b / sqrt(12) / L^2: 8.08 Hz over the thin side, twice that over the other. Shear and the clamp, which
# holds the sides too, change those of a slender beam by about a per cent.
near "$(cell 3 1 held)" 8.078 0.02 "first frequency"
near "$(cell 3 2 held)" 16.156 0.02 "second frequency"
# Damping by beta is pi f beta of critical.
near "$(cell 5 1 held)" "$(awk -v f="$(cell 3 1 held)" 'BEGIN {printf "%.12g", 3.14159265358979 * f * 1e-5}')" 1e-6 "damping"
grep -q '"elastic": 4' held/modes.json || fail "modes.json has not four elastic modes"
grep -q '^title: .*A beam beside a wall' held/scene.yaml || fail "scene.yaml is not the scene"

# ---- the same for any number of threads -------------------------------------------------------------------------------------
expect 0 "$brunt" modes beam.yaml --modes 4 --out three --threads 3 --quiet
silent stdout
silent stderr
for file in modes.csv modes.json modes.vtu; do
    cmp -s "held/$file" "three/$file" || fail "$file depends on the number of threads"
done

# ---- free, one body, overrides ----------------------------------------------------------------------------------------------
expect 0 "$brunt" modes beam.yaml --free --modes 1 --out free --no-report
says stdout "1         rigid"
[ "$(awk -F, '$2 == 1' free/modes.csv | wc -l)" = 6 ] || fail "a free beam has six rigid modes"
[ ! -e free/report.html ] || fail "--no-report wrote a report"
# Many bodies, many rigid motions: not a screenful.
sed -e 's/^fixed.*//' -e 's/name: beam, type: deformable/name: beam, type: rigid, repeat: {count: [1, 1, 4], spacing: [1, 1, 1]}/; s/, material: m}/, density: 1000}/' beam.yaml >many.yaml
expect 0 "$brunt" modes many.yaml --modes 1 --out many --no-report
says stdout "to mode 24, all in modes.csv"
says stderr "nothing of it vibrates"
[ "$(wc -l <many/modes.csv)" = 25 ] || fail "modes.csv has not all rigid motions"
# Four times as stiff: twice the frequency.
expect 0 "$brunt" modes beam.yaml --body beam --modes 1 --out body --quiet --no-report --set materials.m.young=4e9
near "$(cell 3 1 body)" "$(awk -v f="$(cell 3 1 held)" 'BEGIN {printf "%.12g", 2 * f}')" 1e-6 "frequency of a stiffer beam"
expect 0 "$brunt" modes beam.yaml --modes 1 --no-report --quiet
[ -s out/beam-modes/modes.csv ] || fail "the default folder is not out/beam-modes"

# ---- folders ------------------------------------------------------------------------------------------------------------------
expect 2 "$brunt" modes beam.yaml --out held
says stderr "held already holds modes"
says stderr "--overwrite"
expect 0 "$brunt" modes beam.yaml --out held --overwrite --modes 1 --no-report --quiet
[ "$(wc -l <held/modes.csv)" = 2 ] || fail "--overwrite did not replace modes.csv"
[ ! -e held/report.html ] || fail "the report of the modes that were replaced is still there"
expect 2 "$brunt" run beam.yaml --out held --quiet
says stderr "held holds modes"
expect 0 "$brunt" run beam.yaml --out run --quiet
expect 2 "$brunt" modes beam.yaml --out run --overwrite
says stderr "run holds a run"
echo text >file
expect 2 "$brunt" modes beam.yaml --out file/below --quiet
says stderr "file/below"

# ---- what cannot be -------------------------------------------------------------------------------------------------------------
expect 2 "$brunt" modes
says stderr "SCENE is missing"
expect 2 "$brunt" modes absent.yaml
says stderr "absent.yaml"
expect 2 "$brunt" modes beam.yaml --modes 0
says stderr "must be a whole number from 1"
expect 2 "$brunt" modes beam.yaml --out none --body baem
says stderr "did you mean 'beam'?"
expect 2 "$brunt" modes beam.yaml --out none --body xylophone
says stderr "bodies: beam, wall"
expect 2 "$brunt" modes beam.yaml --out none --body wall
says stderr "body 'wall' is static: it does not vibrate"
expect 2 "$brunt" modes beam.yaml --out none --set materials.m.young=-1
says stderr "materials.m.young"
cat >wall.yaml <<EOF
brunt: 1
time: {step: 0.001, end: 0.002}
method: none
meshes: {wall: {box: {size: [0.1, 1, 1], cells: [1, 1, 1]}}}
bodies: [{name: wall, type: static, mesh: wall}]
EOF
expect 2 "$brunt" modes wall.yaml --out none
says stderr "nothing in this scene can vibrate"
[ ! -e none ] || fail "what failed left a folder"

finish
