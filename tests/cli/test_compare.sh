#!/bin/sh
# Comparisons from outside: wrong usage, tables and files, differences, runs that fail, signals.
# Usage: test_compare.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
source_dir=$1
brunt=$2
cd "$scratch" || exit 1
squares=$source_dir/scenes/two-squares

cat >block.yaml <<END
brunt: 1
title: A block under a load
time: {step: 0.01, end: 0.1}
method: {type: none}
integrator: implicit_euler
materials:
  soft: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}
meshes:
  block: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}
bodies:
  - {name: block, type: deformable, mesh: block, material: soft}
fixed:
  - {name: foot, body: block, where: {face: -z}}
loads:
  - {name: push, body: block, where: {face: +z}, pressure: 100}
output:
  every: 0.01
  probes: [{name: top, body: block, where: {face: +z}}]
END

# value FOLDER KEY: a figure of a run's summary. cell FILE NAME KEY: a run's cell of compare.csv (no commas in texts).
value() {
    sed -n "s/^ *\"$2\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1/summary.json"
}
cell() {
    awk -F, -v name="$2" -v key="$3" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
        NR > 1 && $1 == name { print (key in at) ? $at[key] : "no column" }' "$1"
}
# holds EXPRESSION: of awk, with numbers in it.
holds() {
    awk "BEGIN { exit !($1) }" </dev/null
}

# Of the table on stdout, without the notes below it.
table_width() {
    sed '/^\* the best/q' stdout | awk '{ print length }' | sort -n | tail -1
}

# ---- wrong usage: said before anything is run ---------------------------------------------------------------------------
refused() { # TEXT ARGUMENT...
    text=$1
    shift
    expect 2 "$brunt" compare "$@"
    says stderr "$text"
    silent stdout
    [ ! -e out ] || fail "brunt compare $*: left a folder"
}
refused "SCENE is missing"
refused "nothing to compare" block.yaml
refused "nothing to compare" block.yaml --variant one
refused "nothing to compare" block.yaml --methods none
refused "--variant base --variant fine:" block.yaml
refused "the name is missing" block.yaml --variant time.step=0.02 --variant b
refused "the name is missing" block.yaml --variant :time.step=0.02 --variant b
refused "the name is missing" block.yaml --variant= --variant b
refused "two runs are called 'a'" block.yaml --variant a --variant a:time.step=0.02
refused "two runs are called 'none'" block.yaml --methods none,none
refused "two runs are called 'none-a-b'" block.yaml --methods none,none-a --variant a-b --variant b
for name in .. . .hidden -x a/b 'a b' "a'b" 'ä' "$(printf '%065d' 0)"; do
    refused "cannot name a folder" block.yaml --variant="$name" --variant b
done
refused "letters, digits and . - _" block.yaml --variant a/b --variant b
refused "cannot name a folder" block.yaml --methods ../none,ipc
refused "reserved for the files of the comparison" block.yaml --variant compare.csv --variant b
refused "'2' is not PATH=VALUE" block.yaml --variant a:time.step=0.1,2 --variant b
refused "'time.step' is not PATH=VALUE" block.yaml --variant a:time.step --variant b
refused "'=3' is not PATH=VALUE" block.yaml --variant a:=3 --variant b
refused "'' is not PATH=VALUE" block.yaml --variant a:,time.step=1 --variant b
refused "nothing follows the last comma" block.yaml --variant a:time.step=1, --variant b
refused "an unmatched '['" block.yaml --variant 'a:gravity=[0,0,1' --variant b
refused "an unmatched ']'" block.yaml --variant 'a:gravity=0]' --variant b
refused "an unmatched ']'" block.yaml --variant 'a:gravity={0]' --variant b
refused "an unmatched '\"'" block.yaml --variant 'a:title="x' --variant b
refused "a name is missing" block.yaml --methods none,,ipc
refused "a name is missing" block.yaml --methods none,
refused "unknown method; one of none, ipc" block.yaml --methods none,magic
refused "in the run 'magic'" block.yaml --methods none,magic
refused "no run has this name; did you mean 'fine'?" block.yaml --variant base --variant fine --reference fien
refused "runs: base fine" block.yaml --variant base --variant fine --reference nobody
refused "did you mean 'step'?" block.yaml --variant a:time.stp=1 --variant b
refused "in the run 'b'" block.yaml --variant a --variant b:time.step=-1
refused "unknown key" block.yaml --set time.stp=1 --variant a --variant b
refused "give one of them" block.yaml --variant a --variant b --resume --overwrite
refused "absent.yaml" absent.yaml --methods none,ipc
many=$(i=0; while [ $i -lt 65 ]; do echo "--variant v$i"; i=$((i + 1)); done)
# shellcheck disable=SC2086 # words on purpose
refused "more than 64 runs" block.yaml $many

# ---- variants: folders, table, files; the same settings give the same run ------------------------------------------------
expect 0 "$brunt" compare block.yaml --variant base --variant same: --variant "soft: materials.soft.young=5e4 ,gravity=[0, 0,-5]" \
    --variant fine:time.step=0.005 --variant "mesh:meshes.block.box.cells=[3,3,3]" --set time.end=0.2
out=out/block-compare
for name in base same soft fine mesh; do
    [ -s $out/$name/summary.json ] && [ -s $out/$name/trajectory.h5 ] || fail "no run in $out/$name"
    says stderr "block.yaml -> $out/$name"
done
says stderr "[5/5] mesh"
says stderr " %  ETA"
says stdout "difference to base"
says stdout "other mesh"
says stdout "mesh: its mesh differs from that of base; probes"
says stdout "* the best finished run"
[ "$(table_width)" -le 80 ] || fail "the table is wider than 80 columns"
[ "$(grep -c '^status' stdout)" = 2 ] || fail "five runs are not in two blocks"
# The settings came through: --set in all, lists within brackets whole.
for name in base same soft fine mesh; do
    [ "$(value $out/$name time_end)" = 0.2 ] || fail "$name: --set time.end=0.2 was not applied"
done
grep -q 'gravity: \[0.0, 0.0, -5.0\]' $out/soft/scene.yaml || fail "soft: another gravity: $(grep gravity $out/soft/scene.yaml)"
grep -q 'young: 50000' $out/soft/scene.yaml || fail "soft: another modulus"
[ "$(value $out/fine steps)" = 40 ] || fail "fine: not 40 steps"

# Every figure of the table is that of the summary.
csv=$out/compare.csv
[ "$(cut -d, -f1 $csv | tr '\n' ' ')" = "name base same soft fine mesh " ] || fail "compare.csv: other rows"
for key in steps time_end nodes dofs wall_s cpu_s realtime_rate iterations_per_step peak_mb contacts_max contacts_mean \
    penetration_max intersections cone_error_max dissipation_error_max complementarity_max inversions energy_error_max \
    momentum_error_max angular_momentum_error_max; do
    for name in base same soft fine mesh; do
        want=$(value $out/$name $key) got=$(cell $csv $name $key)
        { [ -n "$want" ] && [ -n "$got" ] && holds "$want == $got"; } || fail "$name: $key is '$got' in the table, '$want' in the run"
    done
done
[ -z "$(cell $csv base gap_min)" ] || fail "a smallest gap without contact"
[ "$(cell $csv base method)" = none ] && [ "$(cell $csv base status)" = done ] || fail "method or status of base"

# Differences: none to the reference itself, exactly 0 for the same settings, otherwise as large as it should be.
[ -z "$(cell $csv base difference_max)" ] || fail "the reference differs from itself"
for key in difference_max difference_rms difference_end_max difference_end_rms difference_probe_max; do
    [ "$(cell $csv same $key)" = 0 ] || fail "the same settings: $key = $(cell $csv same $key), wanted exactly 0"
    case $key in
    *probe*) ;;
    *) [ -z "$(cell $csv mesh $key)" ] || fail "another mesh has $key" ;;
    esac
done
[ "$(cell $csv same same_mesh)" = 1 ] && [ "$(cell $csv mesh same_mesh)" = 0 ] || fail "same_mesh"
for name in soft fine; do
    max=$(cell $csv $name difference_max) rms=$(cell $csv $name difference_rms)
    holds "$max > $rms && $rms > 0" || fail "$name: largest $max, RMS $rms"
done
probe=$(cell $csv mesh difference_probe_max)
holds "$probe > 0 && $probe < 0.1" || fail "mesh: probes differ by '$probe'"
# The probe of the softer block at the end, by hand: the distance of the last rows of the two series (x y z and all).
top() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "top.x") k = i } NR == 2 { x = $k; y = $(k + 1); z = $(k + 2) }
        END { printf "%.17g %.17g %.17g", $k - x, $(k + 1) - y, $(k + 2) - z }' "$1/series.csv"
}
# shellcheck disable=SC2046 # words on purpose
set -- $(top $out/base) $(top $out/soft)
largest=$(cell $csv soft difference_probe_max)
holds "sqrt(($1 - $4)^2 + ($2 - $5)^2 + ($3 - $6)^2) <= $largest * (1 + 1e-12)" || fail "probes of soft: at most $largest, but more at the end"

# The same table as text, and as JSON that others can read.
grep -q '^|  | base | same | soft | fine | mesh |$' $out/compare.md || fail "compare.md: no head"
grep -q '^| steps | 20 | 20 | 20 | 40 | 20 |$' $out/compare.md || fail "compare.md: no steps"
grep -q '^| largest distance \[m\] | reference | \*\*0\*\* |' $out/compare.md || fail "compare.md: no mark"
# shellcheck disable=SC2016 # backticks of Markdown
grep -q '^- `soft`: `time.end=0.2`, `materials.soft.young=5e4`, `gravity=\[0, 0,-5\]`$' $out/compare.md || fail "compare.md: no settings"
# One page: a script element a run.
[ "$(grep -c '^<script type="application/x-brunt"' $out/compare.html)" = 5 ] || fail "compare.html: not five runs"
if command -v python3 >/dev/null; then
    python3 - $out >python.out 2>&1 <<'END' || fail "compare.json, compare.csv: $(cat python.out)"
import csv, json, sys
out = sys.argv[1]
table = json.load(open(out + "/compare.json"))
assert table["reference"] == "base" and [r["name"] for r in table["runs"]] == ["base", "same", "soft", "fine", "mesh"]
rows = list(csv.DictReader(open(out + "/compare.csv", newline="")))
for run, row in zip(table["runs"], rows):
    summary = json.load(open(f"{out}/{run['name']}/summary.json"))
    for key in summary.keys() & run.keys():
        assert run[key] == summary[key], (run["name"], key)
        if key not in ("status", "reason", "method"):
            assert (float(row[key]) if row[key] else None) == summary[key], (run["name"], key)
    assert summary.keys() - run.keys() == {"state_hash", "version", "blas", "warnings", "choices"}, sorted(summary.keys() - run.keys())
difference = {r["name"]: r["difference"] for r in table["runs"]}
assert difference["base"] is None and difference["same"]["max"] == 0 and difference["same"]["moments"] == 21
assert difference["mesh"]["same_mesh"] is False and difference["mesh"]["max"] is None
assert difference["fine"]["interpolated"] == 0 and difference["fine"]["max_body"] == "block"
assert difference["soft"]["probe_max_name"] == "top" and difference["soft"]["time_end"] == summary["time_end"]
assert table["runs"][2]["set"] == ["time.end=0.2", "materials.soft.young=5e4", "gravity=[0, 0,-5]"]
assert table["best"]["difference_max"] == ["same"]
END
fi

# ---- the folder is taken ---------------------------------------------------------------------------------------------------
expect 2 "$brunt" compare block.yaml --variant new --variant base
says stderr "$out/base already holds a run"
says stderr "--resume"
says stderr "--overwrite"
[ ! -e $out/new ] || fail "a comparison that was refused has begun"
expect 0 "$brunt" compare block.yaml --variant new --variant base -q --overwrite
silent stdout
silent stderr
[ "$(cut -d, -f1 $csv | tr '\n' ' ')" = "name new base " ] || fail "--overwrite: another table"
[ "$(value $out/base time_end)" = 0.1 ] || fail "--overwrite: the old run is still there"

# ---- methods, alone and with variants; what is best; contact rows where there is contact -----------------------------------
expect 0 "$brunt" compare "$squares" -o both --methods none,ipc --variant a --variant b:time.step=0.02 --reference ipc-a \
    --set time.end=0.4 --threads 1
for name in none-a none-b ipc-a ipc-b; do
    [ "$(cell both/compare.csv $name method)" = "${name%-?}" ] || fail "both: method of $name"
    holds "$(value both/$name threads) == 1" || fail "both: --threads 1"
done
says stdout "difference to ipc-a"
says stdout "smallest gap [m]"
[ "$(cell both/compare.csv none-a contacts_max)" = 0 ] || fail "contacts without a contact method"
holds "$(cell both/compare.csv ipc-a contacts_max) > 0 && $(cell both/compare.csv ipc-a gap_min) > 0" || fail "no contact with ipc"
[ "$(cell both/compare.csv ipc-b steps)" = 20 ] || fail "ipc-b: not 20 steps"
# 80 columns hold four runs.
[ "$(table_width)" -le 80 ] || fail "four runs do not fit into 80 columns"
[ "$(grep -c '^status' stdout)" = 1 ] || fail "four runs do not stand side by side"
# The mark is where the smallest number is.
best=$(awk '/^CPU time/ { for (i = 4; i <= NF; ++i) if ($i ~ /\*$/) print i - 3 }' stdout)
least=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "cpu_s") k = i }
    NR == 2 || (NR > 2 && $k + 0 < low) { low = $k + 0; at = NR - 1 } END { print at }' both/compare.csv)
echo "$best" | grep -qx "$least" || fail "the mark is on run '$best', the least CPU time is that of run $least"
! grep -q '^smallest gap.*\*' stdout || fail "a larger gap is not better"

# The page has the reference first, then the others in order.
if command -v python3 >/dev/null; then
    python3 - both/compare.html >python.out 2>&1 <<'END' || fail "compare.html: $(cat python.out)"
import base64, json, re, struct, sys, zlib
names = []
for text in re.findall(r'<script type="application/x-brunt">\s*(.*?)</script>', open(sys.argv[1]).read(), re.S):
    packet = zlib.decompress(base64.b64decode(text.split()[0]))
    assert packet[:4] == b"BRN1"
    run = json.loads(packet[8 : 8 + struct.unpack("<I", packet[4:8])[0]])
    assert run["kind"] == "run" and len(text.split()) == 1 + len(run["frames"])
    names.append((run["name"], run["method"], run["step"]))
assert names == [("ipc-a", "ipc", 0.01), ("none-a", "none", 0.01), ("none-b", "none", 0.02), ("ipc-b", "ipc", 0.02)], names
END
fi

# Half the step, half the error: first order, seen by the command's own difference (the squares fall freely until 0.23 s;
# through their impact that takes steps below 5e-5 s).
expect 0 "$brunt" compare "$squares" -o order -q --set time.end=0.2 --variant h1:time.step=0.004 --variant h2:time.step=0.002 \
    --variant h3:time.step=0.00025 --reference h3
ratio=$(awk "BEGIN { print $(cell order/compare.csv h1 difference_end_rms) / $(cell order/compare.csv h2 difference_end_rms) }")
# (4 - 0.25) / (2 - 0.25) = 2.14 of a first-order method
holds "$ratio > 1.8 && $ratio < 2.5" || fail "half the step changes the error by a factor of $ratio"

# Frames at other times are interpolated, and the table says so.
expect 0 "$brunt" compare block.yaml -o between --variant base --variant other:time.step=0.0125,output.every=0.0125
says stdout "other: 6 of 9 times lie between frames"
holds "$(cell between/compare.csv other difference_max) > 0" || fail "no difference between frames"

# ---- runs that fail: the others go on, exit code 1 ----------------------------------------------------------------------------
expect 1 "$brunt" compare block.yaml -o fails --variant fine --variant hard:loads.push.pressure=1e20 \
    --variant "flat:meshes.block.box.size=[0.1,0.1,1e-15]" --variant last
says stderr "hard: "
says stderr "flat: "
[ "$(grep -c '^<script type="application/x-brunt"' fails/compare.html)" = 3 ] || fail "compare.html: not the runs with frames"
says stdout "hard: failed: step 1"
says stdout "flat: failed: "
[ "$(cell fails/compare.csv fine status)" = done ] && [ "$(cell fails/compare.csv last status)" = done ] || fail "the others were not run"
[ "$(cut -d, -f1,3 fails/compare.csv | sed -n '3,4p' | tr '\n' ' ')" = "hard,failed flat,failed " ] || fail "the table does not tell the failures"
[ "$(cell fails/compare.csv last difference_max)" = 0 ] || fail "no difference behind a failure"
# A reference that failed leaves nothing to compare with.
expect 1 "$brunt" compare block.yaml -o fails --overwrite --reference flat --variant fine \
    --variant "flat:meshes.block.box.size=[0.1,0.1,1e-15]" -q
silent stdout
[ -z "$(cell fails/compare.csv fine difference_max)" ] || fail "a difference to a run that is not there"
[ "$(grep -c '^<script type="application/x-brunt"' fails/compare.html)" = 1 ] || fail "compare.html: not the one run that there is"
# A folder that cannot be made.
echo file >taken
expect 2 "$brunt" compare block.yaml -o taken --variant a --variant b
says stderr "taken"

# ---- signals: the current run stops after its step, --resume goes on to the same bits -------------------------------------------
slow="--set output.every=0.01 --variant one --variant two:time.step=2e-6 --variant three:time.step=0.05"
# shellcheck disable=SC2086 # words on purpose
"$brunt" compare block.yaml -o cut $slow --set time.end=0.1 >cut.out 2>cut.err &
process=$!
tries=0
while ! grep -q '^  *[0-9]* %  ETA.*/50000' cut.err && [ $tries -lt 600 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -TERM $process
code=0
wait $process || code=$?
[ $code = 143 ] || fail "SIGTERM: exit code $code, wanted 143"
grep -q -e '--resume continues' cut.err || fail "SIGTERM: does not say how to go on"
[ "$(cut -d, -f1,3 cut/compare.csv | tr '\n' ' ')" = "name,status one,done two,stopped three,not run " ] ||
    fail "SIGTERM: $(cut -d, -f1,3 cut/compare.csv | tr '\n' ' ')"
[ -s cut/two/checkpoint.h5 ] && [ ! -e cut/three ] || fail "SIGTERM: other folders"
at=$(value cut/two steps)
# shellcheck disable=SC2086
"$brunt" compare block.yaml -o cut $slow --set time.end=0.1 --resume >again.out 2>again.err &
process=$!
tries=0
while ! grep -q '^\[2/3\]' again.err && [ $tries -lt 600 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
# Whatever happens to the process of a run is told, and the next one is run. Its parent's id is all that is known of it.
child=$(ps -o pid= --ppid $process 2>/dev/null | tr -d ' ')
if [ -n "$child" ]; then
    kill -KILL "$child"
    code=0
    wait $process || code=$?
    [ $code = 1 ] || fail "a run killed: exit code $code, wanted 1"
    grep -q 'ended by signal 9' again.out || fail "a run killed: the table does not say so"
    [ "$(cell cut/compare.csv three status)" = done ] || fail "a run killed: the next one was not run"
    # None of the run that goes on; the old one's, where it was killed before it began.
    [ ! -e cut/two/summary.json ] || [ "$(value cut/two steps)" = "$at" ] || fail "a run killed: its summary changed"
else
    kill -KILL $process
    wait $process
fi
finish
