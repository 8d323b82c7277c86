#!/bin/sh
# Two runs into one folder: the second says who holds it and changes nothing, the first is complete; a killed holder holds
# nothing; readers are let in. Usage: test_two_runs.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

cat >falling.yaml <<END
brunt: 1
time: {step: 1e-4, end: 0.1}
method: {type: none}
integrator: implicit_euler
materials: {soft: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}
meshes: {block: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}
bodies: [{name: block, type: deformable, mesh: block, material: soft}]
output: {every: 0.005, checkpoint: 50}
END

await() { # FILE of the run in the background
    tries=0
    while [ ! -s "$1" ] && kill -0 $holder && [ $tries -lt 1000 ]; do
        sleep 0.01
        tries=$((tries + 1))
    done
    [ -s "$1" ] || fail "no $1"
}

start() { # FOLDER OPTION...: a run in the background that has taken the folder
    rm -rf "$1"
    folder=$1
    shift
    "$brunt" run falling.yaml -o "$folder" --threads 1 "$@" >"$folder.out" 2>"$folder.err" &
    holder=$!
    await "$folder/brunt.lock"
}

# What must be the same whoever tried to come in between: all bytes but times.
contents() {
    "$brunt" export "$1" --format csv --out "$1.csv" -q || fail "brunt export $1"
    cat "$1.csv"/* "$1/scene.yaml"
    grep -v -e _s\" -e realtime_rate -e peak_mb "$1/summary.json"
    head -n 1 "$1/series.csv"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) skip[i] = $i ~ /_s$/ }
             { for (i = 1; i <= NF; i++) if (!skip[i]) printf "%s,", $i; print "" }' "$1/series.csv"
    rm -rf "$1.csv"
}

start lone
wait $holder || fail "the lone run failed"
[ ! -e lone/brunt.lock ] || fail "the lock's file is left behind"
contents lone >lone.contents
grep -q state_hash lone.contents || fail "nothing to compare"

# ---- at ten moments of a run ---------------------------------------------------------------------------------------------
seed=12345
for round in 1 2 3 4 5 6 7 8 9 10; do
    start first
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    sleep 0.$(printf '%02d' $((seed / 65536 % 30)))
    kill -STOP $holder 2>/dev/null # so that it is not over before the second has started
    case $((round % 3)) in 0) how=--overwrite ;; 1) how=--resume ;; *) how=-q ;; esac
    if [ ! -e first/brunt.lock ]; then
        echo "round $round: the first run was over too early"
        kill -CONT $holder
        wait $holder
        continue
    fi
    expect 2 "$brunt" run falling.yaml -o first $how
    says stderr "first: process $holder on "
    says stderr " is writing there"
    silent stdout
    kill -CONT $holder
    wait $holder || fail "$how: the first run failed: $(cat first.err)"
    contents first | cmp -s - lone.contents || fail "$how: the first run is not what it is alone"
    [ -s first/report.html ] || fail "$how: no report"
done

# ---- both at once: one of them gets it, and the folder is that one's ----------------------------------------------------------
for round in 1 2; do
    rm -rf both
    "$brunt" run falling.yaml -o both --threads 1 -q 2>a.err &
    a=$!
    "$brunt" run falling.yaml -o both --threads 1 -q --overwrite 2>b.err &
    b=$!
    code_a=0
    code_b=0
    wait $a || code_a=$?
    wait $b || code_b=$?
    [ $((code_a + code_b)) = 2 ] || fail "two at once ended with $code_a and $code_b, wanted 0 and 2"
    contents both | sed 's/both/lone/' | cmp -s - lone.contents || fail "two at once: the folder is not that of one"
done

# ---- readers, and exports, during a run ----------------------------------------------------------------------------------------
for round in 1 2 3 4 5; do
    start first
    await first/checkpoint.h5
    kill -STOP $holder 2>/dev/null
    [ ! -e first/brunt.lock ] || break
    wait $holder # it was over too early
done
expect 0 "$brunt" export first --format obj --out seen -q
expect 0 "$brunt" export first --format vtu -q
expect 2 "$brunt" export first --format html
says stderr "process $holder on"
expect 2 "$brunt" export first --format csv --out first
says stderr "process $holder on"
[ -z "$(ls first/*.csv | grep -v series.csv)" ] || fail "a refused export wrote into the folder"
expect 0 "$brunt" export first --format html --out seen.html -q
[ -e first/brunt.lock ] || fail "the lock is gone"

# ---- a killed holder holds nothing ----------------------------------------------------------------------------------------------
kill -KILL $holder
wait $holder 2>/dev/null
[ -e first/brunt.lock ] || fail "a killed run removed its lock's file"
expect 0 "$brunt" run falling.yaml -o first --resume --threads 1 -q
rm -r first/vtu
contents first | cmp -s - lone.contents || fail "the resumed run is not what it is alone"

# ---- a folder that is taken away: the run does not write into what comes in its place -------------------------------------------
start first --set time.end=1 --set output.checkpoint=1000
await first/checkpoint.h5
mv first moved
mkdir first
code=0
wait $holder || code=$?
[ $code = 1 ] || fail "a run whose folder was moved: exit code $code, wanted 1"
grep -q "the folder was removed, moved or taken" first.err || fail "not told that the folder is gone: $(cat first.err)"
[ -z "$(ls first)" ] || fail "a run wrote into a folder that is not its own: $(ls first)"
rm -rf moved

# ---- a comparison ------------------------------------------------------------------------------------------------------------------
"$brunt" compare falling.yaml --variant a --variant b --out cmp -q >cmp.out 2>cmp.err &
holder=$!
await cmp/a/checkpoint.h5
expect 2 "$brunt" compare falling.yaml --variant a --variant b --out cmp --overwrite
says stderr "cmp: process $holder on"
wait $holder || fail "the comparison failed: $(cat cmp.err)"
[ ! -e cmp/brunt.lock ] && [ ! -e cmp/a/brunt.lock ] || fail "the lock's file is left behind"
finish
