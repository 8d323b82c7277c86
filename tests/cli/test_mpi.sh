#!/bin/sh
# Studies under MPI: the same tables for any number of ranks, after kills of simulations and of ranks, after stops.
# Usage: test_mpi.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

cat >bar.yaml <<END
brunt: 1
time: {step: 0.01, end: 0.05}
method: none
integrator: implicit_euler
materials: {soft: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}
meshes: {bar: {box: {size: [0.1, 0.1, 0.2], cells: [1, 1, 2]}}}
bodies: [{name: bar, type: deformable, mesh: bar, material: soft}]
fixed: [{name: foot, body: bar, where: {face: -z}}]
loads: [{name: push, body: bar, where: {face: +z}, pressure: 100}]
output: {probes: [{name: top, body: bar, where: {face: +z}}]}
END
cat >problem.yaml <<END
brunt: 1
scene: bar.yaml
parameters:
  - {name: young, path: materials.soft.young, min: 1e4, max: 1e6, scale: log}
  - {name: height, path: "meshes.bar.box.size[2]", min: 0.1, max: 0.3}
objective: 1e3*abs(top.dz + 2e-4)
constraints: [height > 0.15]
optimizer: {type: cmaes, evaluations: 24, seed: 3}
sweep: {points: 4}
END

# ---- without MPI --------------------------------------------------------------------------------------------------------------
# A command that has no module beside it, and one that is not a module of brunt.
cp "$brunt" lonely
expect 1 env -u BRUNT_MPI ./lonely design problem.yaml --mpi -o none
says stderr "install the Debian packages libopenmpi-dev and openmpi-bin and build brunt again"
rm lonely
expect 1 env BRUNT_MPI=./bar.yaml "$brunt" design problem.yaml --mpi -o none
says stderr "bar.yaml"
[ ! -e none ] || fail "a study without its module has a folder"

module=$(dirname "$brunt")/brunt-mpi.so
command -v mpirun >/dev/null 2>&1 && mpirun --version 2>/dev/null | grep -q 'Open MPI' && [ -e "$module" ] || {
    [ "$failures" = 0 ] || finish
    echo "no brunt-mpi.so beside brunt, or no mpirun of Open MPI: studies under MPI cannot be tried"
    exit 77
}
# Root in a container, on a machine of any number of cores.
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
ranks() { # NUMBER ARGUMENT...
    number=$1
    shift
    mpirun --oversubscribe -n "$number" "$brunt" "$@" --mpi
}

# Columns of the table that do not tell of time.
values() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) keep[i] = $i != "wall" && $i != "cpu" && $i != "folder" }
        { for (i = 1; i <= NF; ++i) if (keep[i]) printf "%s,", $i; print "" }' "$1/table.csv"
}
same() { # FOLDER REFERENCE
    values "$1" >values.txt
    values "$2" >wanted.txt
    cmp -s values.txt wanted.txt || fail "$1: another table than that of $2"
}
# What the log has of each point, in order.
logged() {
    sed 1d "$1/log.jsonl" | sed -E 's/"(wall_s|cpu_s|elapsed_s)": [-+.0-9e]*//g' | sort
}
# A study in the background, with the processes of its ranks in $rank0, $rank1, ..., until its log has so many lines.
begin() { # FOLDER LINES OPTION...
    folder=$1 wanted=$2
    shift 2
    mpirun --oversubscribe -n 3 "$brunt" design problem.yaml -o "$folder" --jobs 1 "$@" --mpi >begun.out 2>&1 &
    process=$!
    tries=0
    while kill -0 $process 2>/dev/null && [ $tries -lt 2400 ] && { [ ! -e "$folder/log.jsonl" ] || [ "$(wc -l <"$folder/log.jsonl")" -lt "$wanted" ]; }; do
        sleep 0.05
        tries=$((tries + 1))
    done
    set -- $(pgrep -P $process)
    rank0=${1:-} rank1=${2:-} rank2=${3:-}
    [ -n "$rank2" ] || fail "$folder: the study ended before it could be disturbed: $(cat begun.out)"
}

# Within ten seconds it has ended; it may wait for somebody to ask how.
gone() {
    for process_number; do
        tries=0
        while ps -o stat= -p "$process_number" 2>/dev/null | grep -qv '^Z' && [ $tries -lt 100 ]; do
            sleep 0.1
            tries=$((tries + 1))
        done
        [ $tries -lt 100 ] || fail "process $process_number outlives its study"
    done
}

# ---- any number of ranks -----------------------------------------------------------------------------------------------------------
expect 0 "$brunt" design problem.yaml -o whole --jobs 2 -q
expect 0 "$brunt" sweep problem.yaml -o points --jobs 2 -q
for number in 1 2 3; do
    expect 0 ranks $number design problem.yaml -o ranks$number --jobs 1
    says stderr "$number simulation"
    says stderr "[24/24]"
    [ "$(grep -c 'at once' "$scratch/stderr")" = 1 ] || fail "more than one of $number ranks prints"
    same ranks$number whole
    logged ranks$number >values.txt
    logged whole >wanted.txt
    cmp -s values.txt wanted.txt || fail "$number ranks: another log"
done
expect 0 ranks 2 sweep problem.yaml -o points2 --jobs 2 -q
silent stdout
silent stderr
same points2 points
# Without a number of jobs: the cores of the machine are shared.
expect 0 ranks 2 sweep problem.yaml -o shared --evaluations 3
says stderr "in 2 ranks on 1 machine"
# Deviations and kept trajectories go the same way.
echo 'robustness: {samples: 2, tolerances: [{path: materials.soft.density, percent: 10}]}' >>problem.yaml
expect 0 "$brunt" design problem.yaml -o robust --evaluations 4 --keep -q
expect 0 ranks 3 design problem.yaml -o robust3 --evaluations 4 --keep --jobs 1 -q
same robust3 robust
[ -s robust3/runs/0003-1/trajectory.h5 ] || fail "robust: no trajectory was kept"
sed -i '$d' problem.yaml

# ---- problems are told once, and end all ranks ---------------------------------------------------------------------------------------
expect 2 ranks 2 design absent.yaml -o none
[ "$(grep -c '^error:' "$scratch/stderr")" = 1 ] || fail "an error of the problem is told more than once"
expect 2 ranks 2 design problem.yaml -o whole
says stderr "--resume"
# A limit of processor time, in the ranks of others as well.
expect 1 ranks 2 design problem.yaml -o late --set time.step=1e-6 --set time.end=100 --evaluations 2 --limit 1 --jobs 1 -q
says stderr "took more than its limit of 1 s of processor time"

# ---- kills ------------------------------------------------------------------------------------------------------------------------------
# Runs of many steps can be met.
long='--set time.step=2e-5 --evaluations 14'
expect 0 "$brunt" design problem.yaml -o calm $long --jobs 2 -q

# The simulation of a worker, just after its start: one evaluation.
begin lost 3 $long
before=$(pgrep -P "$rank1")
victim=$before tries=0
while { [ -z "$victim" ] || [ "$victim" = "$before" ]; } && [ $tries -lt 2000 ]; do
    victim=$(pgrep -P "$rank1")
    tries=$((tries + 1))
done
kill -KILL $victim || fail "no simulation of rank 1 was met"
wait $process || fail "a killed simulation ended the study: $(cat begun.out)"
[ "$(grep -c '"lost": true' lost/log.jsonl)" = 1 ] || fail "one killed simulation, but not one evaluation that is lost"
grep -q 'ended by signal 9' lost/log.jsonl || fail "a killed simulation: no reason in the log"
expect 0 ranks 2 design problem.yaml -o lost --resume $long --jobs 1 -q
same lost calm

# A worker: MPI ends them all, simulations too, and a resume goes on with other ranks.
begin worker 4 $long
simulations=$(for rank in $rank0 $rank1 $rank2; do pgrep -P "$rank"; done)
kill -KILL "$rank2"
wait $process && fail "a killed rank went unnoticed"
gone $rank0 $rank1 $simulations
expect 0 ranks 2 design problem.yaml -o worker --resume $long --jobs 1
says stdout "from the log"
same worker calm

# The driver; then without MPI.
begin driver 4 $long
kill -KILL "$rank0"
wait $process && fail "a killed driver went unnoticed"
expect 0 "$brunt" design problem.yaml -o driver --resume $long
says stdout "from the log"
same driver calm

# ---- stops: of the driver alone, of a worker alone, of all by mpirun ------------------------------------------------------------------------
for which in 0 1; do
    begin stop$which 4 $long
    eval "kill -TERM \$rank$which"
    code=0
    wait $process || code=$?
    [ $code = 143 ] || fail "rank $which was stopped: exit code $code, wanted 143"
    grep -q 'everything so far is kept' begun.out || fail "rank $which was stopped: does not say how to go on"
    [ -s stop$which/table.csv ] || fail "rank $which was stopped: no table"
    grep -q '"lost": true' stop$which/log.jsonl && fail "rank $which was stopped: something is lost: $(grep '"lost": true' stop$which/log.jsonl)"
    expect 0 ranks 3 design problem.yaml -o stop$which --resume $long --jobs 1 -q
    same stop$which calm
done
begin stop 4 $long
kill -INT $process
wait $process && fail "mpirun was interrupted, and ended as if it was not"
gone $rank0 $rank1 $rank2
expect 0 "$brunt" design problem.yaml -o stop --resume $long -q
same stop calm
finish
