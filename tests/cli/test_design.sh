#!/bin/sh
# Design studies and sweeps from outside: files, resumes after kills, failures, full disks, jobs.
# Usage: test_design.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

# A bar of a few elements under a load: some milliseconds a run.
cat >bar.yaml <<END
brunt: 1
title: A bar under a load
time: {step: 0.01, end: 0.05} # short
method: none
integrator: implicit_euler
materials:
  soft: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}
meshes:
  bar: {box: {size: [0.1, 0.1, 0.2], cells: [1, 1, 2], element: hex8}}
bodies:
  - {name: bar, type: deformable, mesh: bar, material: soft}
fixed:
  - {name: foot, body: bar, where: {face: -z}}
loads:
  - {name: push, body: bar, where: {face: +z}, pressure: 100}
output: {probes: [{name: top, body: bar, where: {face: +z}}]}
END
cat >problem.yaml <<END
brunt: 1
title: "A bar: how stiff?"
scene: bar.yaml
set: {gravity: "[0, 0, 0]", time.end: 0.1}
parameters:
  - {name: young, path: materials.soft.young, min: 1e4, max: 1e6, scale: log}
  - {name: height, path: "meshes.bar.box.size[2]", min: 0.1, max: 0.3}
objective: 1e3*abs(top.dz + 2e-4)
constraints: [height > 0.15]
success: status == 'done' and abs(top.dz + 2e-4) < 2e-5
figures: [lowest(top.dz)]
optimizer: {type: cmaes, evaluations: 30, seed: 3}
END
# Columns of the table that do not tell of time.
values() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) keep[i] = $i != "wall" && $i != "cpu" }
        { for (i = 1; i <= NF; ++i) if (keep[i]) printf "%s,", $i; print "" }' "$1/table.csv"
}
same() { # WHAT FOLDER: the table is that of the undisturbed study
    values "$2" >values.txt
    cmp -s values.txt whole.txt || fail "$1: another table than without"
}
lines() {
    wc -l <"$1/log.jsonl" | tr -d ' '
}
# A study that goes on in the background, until its log has so many lines.
begin() { # FOLDER LINES OPTION...
    folder=$1 wanted=$2
    shift 2
    "$brunt" design problem.yaml -o "$folder" "$@" >begun.out 2>&1 &
    process=$!
    tries=0
    while kill -0 $process 2>/dev/null && [ $tries -lt 1200 ] && { [ ! -e "$folder/log.jsonl" ] || [ "$(lines "$folder")" -lt "$wanted" ]; }; do
        sleep 0.05
        tries=$((tries + 1))
    done
}

# ---- a study: files, result, the best -------------------------------------------------------------------------------------
expect 0 "$brunt" design problem.yaml -o whole --jobs 1
says stdout "lowest 1e3*abs(top.dz + 2e-4)"
says stdout "30 evaluations: all evaluations are used"
says stderr "[30/30]"
values whole >whole.txt
[ "$(wc -l <whole.txt | tr -d ' ')" = 31 ] || fail "the table has not 30 rows"
[ "$(lines whole)" = 31 ] || fail "the log has not 31 lines"
head -1 whole/table.csv | grep -qF 'index,young,height,lowest(top.dz),top.dz,status,objective,height > 0.15,violation,succeeded,samples,outcome,cause,wall,cpu,folder' ||
    fail "table.csv: another head: $(head -1 whole/table.csv)"
[ -s whole/best/report.html ] && [ -s whole/best/trajectory.h5 ] || fail "the best was not run again"
[ -s whole/report.html ] && [ -s whole/stl/bar.stl ] || fail "no page of the study, or nothing to print"
for file in scene.yaml summary.json series.csv; do
    [ -s whole/runs/0029/$file ] || fail "no $file of the last run"
done
[ ! -e whole/runs/0029/trajectory.h5 ] || fail "a trajectory that nobody asked for"
grep -q '# short' whole/best.yaml || fail "best.yaml has lost the comments of the scene"
grep -qF 'A bar: how stiff?' whole/best/scene.yaml || fail "the run of the best has not the title of the problem"
# best.yaml is the scene of the best: the same bits.
expect 0 "$brunt" run whole/best.yaml -o again -q
grep state_hash again/summary.json >hash.txt
grep -qFf hash.txt whole/best/summary.json || fail "best.yaml does not give the best run"
if command -v python3 >/dev/null; then
    python3 - >python.out 2>&1 <<'END' || fail "the files of a study: $(cat python.out)"
import csv, json
lines = [json.loads(line) for line in open("whole/log.jsonl")]
head, rows = lines[0], list(csv.DictReader(open("whole/table.csv", newline="")))
summary = json.load(open("whole/summary.json"))
assert head["kind"] == "design" and head["parameters"][0]["unit"] == "Pa" and head["parameters"][0]["start"] == 1e5
assert [line["index"] for line in lines[1:]] == list(range(30)) == [int(row["index"]) for row in rows]
for line, row in zip(lines[1:], rows):
    assert float(row["young"]) == line["parameters"]["young"] and float(row["objective"]) == line["objective"]
    run = json.load(open("whole/" + line["folder"] + "/summary.json"))
    series = list(csv.DictReader(open("whole/" + line["folder"] + "/series.csv", newline="")))
    assert run["status"] == row["status"] == "done" and float(series[-1]["top.dz"]) == float(row["top.dz"])
    assert min(float(r["top.dz"]) for r in series) == line["figures"]["lowest(top.dz)"]
    assert abs(line["objective"] - 1e3 * abs(float(row["top.dz"]) + 2e-4)) < 1e-12
    assert line["constraints"][0] == 0.15 - line["parameters"]["height"] == float(row["height > 0.15"])
    assert (abs(float(row["top.dz"]) + 2e-4) < 2e-5) == (row["succeeded"] == "1")
best = min((line for line in lines[1:] if line["violation"] <= 1e-6), key=lambda line: line["objective"])
assert summary["best"]["index"] == best["index"] and summary["best"]["objective"] == best["objective"]
assert summary["start"]["parameters"] == {"young": 1e5, "height": 0.2}
# What the page shows is the table.
study = json.load(open("whole/best/study.json"))
column = {c["name"]: (k, c) for k, c in enumerate(study["columns"])}
assert study["kind"] == "design" and study["start"] == 0 and study["best"] == best["index"] and len(study["rows"]) == 30
assert column["young"][1] == {"name": "young", "role": "parameter", "unit": "Pa", "low": 1e4, "high": 1e6, "log": True}
assert [column[name][1]["role"] for name in ("objective", "height > 0.15", "top.dz", "success")] == ["objective", "constraint", "figure", "success"]
assert "status" not in column  # a word
for row, shown in zip(rows, study["rows"]):
    for name in ("young", "height", "objective", "height > 0.15", "top.dz"):
        assert shown[column[name][0]] == float(row[name]), name
    assert shown[column["success"][0]] == float(row["succeeded"])
END
fi

# ---- the same for any number of jobs; another seed is another study ----------------------------------------------------------
expect 0 "$brunt" design problem.yaml -o two --jobs 2 -q
silent stdout
silent stderr
same "two jobs" two
expect 0 "$brunt" design problem.yaml -o other --seed 4 -q
values other >other.txt
cmp -s other.txt whole.txt && fail "another seed: the same points"

# ---- a folder that is taken, another problem ------------------------------------------------------------------------------------
expect 2 "$brunt" design problem.yaml -o two -q
says stderr "--resume"
sed 's/2e-4/3e-4/' problem.yaml >changed.yaml
expect 2 "$brunt" design changed.yaml -o two --resume
says stderr "another problem or another scene"
expect 2 "$brunt" design problem.yaml -o two --resume --set time.step=0.02
says stderr "another problem or another scene"
expect 2 "$brunt" design problem.yaml -o two --resume --overwrite
says stderr "give one of them"
expect 0 "$brunt" design problem.yaml -o two --resume --evaluations 36
says stdout "36 evaluations, 30 from the log"

# Files of others: a run, modes, a scene that it would replace; and a study is none of theirs.
expect 0 "$brunt" run bar.yaml -o ran -q
cp ran/summary.json ran.json
for how in "" --overwrite --resume; do
    # shellcheck disable=SC2086
    expect 2 "$brunt" design problem.yaml -o ran $how
    says stderr "ran holds a run: a study needs a folder of its own"
done
cmp -s ran.json ran/summary.json || fail "a study replaced the summary of a run"
expect 2 "$brunt" run bar.yaml -o two --overwrite
says stderr "two holds a study: a run needs a folder of its own"
expect 2 "$brunt" modes bar.yaml -o two --overwrite
says stderr "two holds a study"
expect 2 "$brunt" coarsen bar.yaml -o two
says stderr "two holds a study"
mkdir own
echo "a,b" >own/table.csv
sed 's/bar.yaml/best.yaml/' problem.yaml >own/problem.yaml
cp bar.yaml own/best.yaml
expect 2 "$brunt" design own/problem.yaml -o own
says stderr "own/table.csv: is there already, and is not of a study"
expect 2 "$brunt" design own/problem.yaml -o own --overwrite
says stderr "own/best.yaml: a study writes to this name"
cmp -s own/best.yaml bar.yaml && [ -s own/table.csv ] || fail "a study that was refused took files away"

# ---- kills: of the driver, of a worker; a stop --------------------------------------------------------------------------------
begin killed 8 --jobs 2
workers=$(pgrep -P $process | tr '\n' ' ')
kill -KILL $process
wait $process 2>/dev/null
sleep 1
for worker in $workers; do
    # One that has ended may wait for somebody to ask how (Z).
    state=$(ps -o stat= -p "$worker" 2>/dev/null)
    case $state in '' | Z*) ;; *) fail "worker $worker outlives its driver" ;; esac
done
printf '{"index": 7, "par' >>killed/log.jsonl # a line that was torn
expect 0 "$brunt" design problem.yaml -o killed --resume
says stdout "from the log"
same "killed and resumed" killed

begin stopped 8 --jobs 2
kill -TERM $process
code=0
wait $process || code=$?
if [ $code != 0 ]; then # 0: it was faster
    [ $code = 143 ] || fail "stopped: exit code $code, wanted 143"
    grep -q 'everything so far is kept' begun.out || fail "stopped: does not say how to go on"
    [ -s stopped/table.csv ] || fail "stopped: no table"
fi
expect 0 "$brunt" design problem.yaml -o stopped --resume -q
same "stopped and resumed" stopped

# A worker alone: its evaluation has failed, a resume repeats it. Runs of many steps can be met.
begin worker 3 --jobs 1 --set time.step=5e-5 --evaluations 8
victim=$(pgrep -P $process | head -1)
[ -n "$victim" ] && kill -KILL "$victim"
wait $process || fail "a killed worker ended the study"
if grep -q '"lost": true' worker/log.jsonl; then
    grep -q 'ended by signal 9' worker/log.jsonl || fail "a killed worker: no reason in the log"
    says_before=$(grep -c '"lost": true' worker/log.jsonl)
    [ "$says_before" = 1 ] || fail "one killed worker, $says_before evaluations lost"
    expect 0 "$brunt" design problem.yaml -o worker --resume --set time.step=5e-5 --evaluations 8 -q
    expect 0 "$brunt" design problem.yaml -o calm --set time.step=5e-5 --evaluations 8 -q
    values calm >calm.txt
    values worker >worker.txt
    cmp -s calm.txt worker.txt || fail "a killed worker: another table after the resume"
else
    echo "note: no worker was met by the kill"
fi

# ---- failures -----------------------------------------------------------------------------------------------------------------------
# Two bodies in one place cannot start: every simulation fails, and the log has the reasons.
sed -e 's/^method: none/method: ipc/' -e 's/^bodies:/bodies:\n  - {name: twin, type: deformable, mesh: bar, material: soft, position: [0.02, 0.01, 0.03]}/' bar.yaml >twins.yaml
sed 's/bar.yaml/twins.yaml/' problem.yaml >failing.yaml
expect 1 "$brunt" design failing.yaml -o failing --evaluations 6 -q
says stderr "no evaluation has a value; the first: "
[ "$(grep -c '"status": "failed", "reason": "[^"]' failing/log.jsonl)" = 6 ] || fail "failing: reasons are missing: $(cat failing/log.jsonl)"
[ ! -e failing/best.yaml ] || fail "failing: there is a best"
[ "$(grep -c ',failed,' failing/table.csv)" = 6 ] || fail "failing: not 6 rows of failures"
# Over its time.
expect 1 "$brunt" design problem.yaml -o late --set time.step=1e-6 --set time.end=100 --evaluations 1 --limit 1 -q
says stderr "took more than its limit of 1 s of processor time"
# A disk that is full, of files of 20 kB: the log and what was computed are kept.
code=0
(ulimit -f 20; "$brunt" design problem.yaml -o full -q) >full.out 2>&1 || code=$?
[ $code = 1 ] || fail "full disk: exit code $code, wanted 1: $(cat full.out)"
grep -q 'once there is room' full.out || fail "full disk: does not say how to go on: $(cat full.out)"
tail -c 1 full/log.jsonl | od -c | grep -q '\\n' || fail "full disk: the log is torn"
expect 0 "$brunt" design problem.yaml -o full --resume -q
same "full disk and resumed" full

# ---- deviations ------------------------------------------------------------------------------------------------------------------------
cat >>problem.yaml <<END
robustness: {samples: 3, mode: worst, tolerances: [{path: materials.soft.density, percent: 10}, {parameter: height, by: 0.01}]}
END
expect 0 "$brunt" design problem.yaml -o robust --evaluations 5
says stdout "of 3"
for sample in 0 1 2; do
    [ -s robust/runs/0004-$sample/summary.json ] || fail "robust: no run 0004-$sample"
done
grep -q 'density: 1000.0' robust/runs/0000-0/scene.yaml || fail "robust: the first sample deviates"
grep -q 'density: 1000.0' robust/runs/0000-1/scene.yaml && fail "robust: the second sample does not deviate"

# A sweep of the same says of every point how often it works.
sed -e '/^objective/d' -e '/^constraints/d' -e 's/min: 0.1, max: 0.3/values: [0.2]/' -e 's/min: 1e4, max: 1e6, scale: log/values: [1.0e+4, 1.0e+5]/' \
    problem.yaml >tries.yaml
expect 0 "$brunt" sweep tries.yaml -o tries
says stdout "works in 0 of 3"
says stdout "works in 3 of 3"

# ---- constraints that cannot be met -----------------------------------------------------------------------------------------------------
sed 's/height > 0.15/height > 0.4/' problem.yaml >infeasible.yaml
expect 0 "$brunt" design infeasible.yaml -o infeasible --evaluations 6
says stderr "misses height > 0.4 by 0.2"
says stderr "warning: no evaluation meets every constraint"

# ---- sweeps -----------------------------------------------------------------------------------------------------------------------------
expect 0 "$brunt" sweep bar.yaml --vary materials.soft.young=1e4:1e5:3 --vary 'meshes.bar.box.cells[0]=1,2' --figure top.dz --figure 'highest(kinetic)' -o grid
says stdout "6 evaluations: all points are done"
# What was asked for is told as it comes and printed as a table.
says stderr "[6/6] top.dz -0.0"
says stderr "] top.dz -0.00243"
[ "$(grep -c '^ *\(10000\|55000\|100000\)  *[12]  *-0\.0[0-9]*  *[0-9.e-]*$' "$scratch/stdout")" = 6 ] || fail "sweep: no table on the terminal"
[ "$(head -1 grid/table.csv | cut -d, -f1-5)" = 'index,materials.soft.young,meshes.bar.box.cells[0],top.dz,highest(kinetic)' ] ||
    fail "sweep: another head: $(head -1 grid/table.csv)"
[ "$(cut -d, -f2,3 grid/table.csv | tail -6 | tr '\n' ' ')" = "10000.0,1.0 10000.0,2.0 55000.0,1.0 55000.0,2.0 100000.0,1.0 100000.0,2.0 " ] ||
    fail "sweep: other points: $(cut -d, -f2,3 grid/table.csv)"
grep -q 'cells: \[2, 1, 2\]' grid/runs/0005/scene.yaml || fail "sweep: the setting is not in the scene"
expect 0 "$brunt" sweep bar.yaml --vary materials.soft.young=1e4:1e5 --type latin_hypercube --samples 4 --figure top.dz -o latin -q
[ "$(wc -l <latin/table.csv | tr -d ' ')" = 5 ] || fail "latin: not 4 points"
expect 2 "$brunt" sweep bar.yaml --vary materials.soft.young=a:b --figure top.dz
says stderr "write PATH=A:B:N"
expect 2 "$brunt" sweep bar.yaml --vary method=none,ipc --figure top.dz
says stderr "brunt compare --variant"
expect 2 "$brunt" sweep bar.yaml --figure top.dz
says stderr "belong to --vary"
expect 2 "$brunt" sweep bar.yaml --vary materials.soft.yung=1,2 --figure top.dz
says stderr "did you mean 'materials.soft.young'?"
mkdir empty
expect 2 "$brunt" sweep empty --vary materials.soft.young=1,2 --figure top.dz
says stderr "error: empty/scene.yaml: cannot open: No such file"
expect 2 "$brunt" sweep bar.yaml
says stderr "missing key 'scene'"
expect 2 "$brunt" design absent.yaml
says stderr "absent.yaml"
expect 0 "$brunt" info design
says stdout "robustness"
says stdout "or_else(x, y)"
finish
