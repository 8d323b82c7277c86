#!/bin/sh
# Standard streams that are closed or whose reader has left: no file gets what is printed, and no run ends for it.
# Usage: test_streams.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

cat >falling.yaml <<END
brunt: 1
time: {step: 5e-4, end: 0.1}
method: {type: none}
integrator: implicit_euler
materials: {soft: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}
meshes: {block: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}
bodies: [{name: block, type: deformable, mesh: block, material: soft}]
output: {every: 0.02}
END

# What a run is, whoever listened: its files are whole, and hold numbers alone.
check() { # FOLDER
    grep -q '"status": "done"' "$1/summary.json" || fail "$1: the summary does not say done"
    [ "$(ls "$1")" = "$(ls lone)" ] || fail "$1: other files than those of a run alone: $(ls "$1")"
    for file in scene.yaml series.csv trajectory.xmf; do
        # wall_s is the last of the columns that all methods have
        sed 's/,[^,]*$//' "$1/$file" >a
        sed 's/,[^,]*$//' "lone/$file" | cmp -s - a || fail "$1: $file is not that of a run alone"
    done
    ! grep -q ' %  ETA' "$1/report.html" "$1/summary.json" || fail "$1: a file got the progress"
    expect 0 "$brunt" export "$1" --format csv --out "$1.csv" -q
    diff -r "$1.csv" lone.csv >/dev/null || fail "$1: other frames than those of a run alone"
}

expect 0 "$brunt" run falling.yaml -o lone
says stderr "ETA"
tail -n 1 lone/series.csv | grep -q '^200.0,' || fail "not the series of 200 steps"
head -n 1 lone/series.csv | grep -q ',wall_s$' || fail "wall_s is not the last column"
expect 0 "$brunt" export lone --format csv --out lone.csv -q

# ---- closed: every combination of the three ------------------------------------------------------------------------------
for closed in 1 2 3 4 5 6 7; do
    (
        exec <&0 # a copy of its own
        [ $((closed & 1)) = 0 ] || exec <&-
        [ $((closed & 4)) = 0 ] || exec 2>&-
        [ $((closed & 2)) = 0 ] || exec >&-
        "$brunt" run falling.yaml -o closed$closed
    ) </dev/null >closed.out 2>closed.err
    code=$?
    [ $code = 0 ] || fail "streams closed, combination $closed: exit code $code"
    check closed$closed
done
# A closed standard error alone: the summary is printed as ever.
"$brunt" run falling.yaml -o closed8 >closed.out 2>&-
grep -q 'state hash' closed.out || fail "no summary on the standard output"
expect 0 sh -c "'$brunt' export lone --format html --out page.html >&- 2>&- <&-"
! grep -q 'written to' page.html || fail "a page got what was printed"

# ---- a reader that leaves -----------------------------------------------------------------------------------------------------
# Two lines of progress are read, the rest of the twenty go nowhere.
{
    "$brunt" run falling.yaml -o left
    echo $? >code
} 2>&1 | head -n 2 >/dev/null
[ "$(cat code)" = 0 ] || fail "a run whose reader has left: exit code $(cat code), wanted 0"
check left
{
    "$brunt" compare falling.yaml --variant a --variant b --out compared 2>&1
    echo $? >code
} | head -n 1 >/dev/null
[ "$(cat code)" = 0 ] || fail "a comparison whose reader has left: exit code $(cat code), wanted 0"
[ -s compared/compare.html ] || fail "no compare.html"

# What only prints ends with its reader, quietly.
for words in "info scene" "check falling.yaml --write" "--help"; do
    {
        # shellcheck disable=SC2086
        "$brunt" $words 2>info.err
        echo $? >code
    } | head -n 1 >/dev/null
    [ ! -s info.err ] || fail "brunt $words | head: $(cat info.err)"
    case $(cat code) in
    0 | 141) ;; # done before the reader left, or ended by SIGPIPE
    *) fail "brunt $words | head: exit code $(cat code)" ;;
    esac
done

# ---- a limit on the size of files is an error of a file, not the end by a signal -----------------------------------------------
(
    ulimit -f 16
    "$brunt" run falling.yaml -o limited >limited.out 2>limited.err
)
code=$?
[ $code = 1 ] || fail "a limit on the size of files: exit code $code, wanted 1"
grep -q 'File too large' limited.err || fail "a limit on the size of files: $(cat limited.err)"
grep -q 'the disk is full: once there is room, continue with' limited.err || fail "a full disk: no remedy: $(cat limited.err)"
expect 0 "$brunt" run falling.yaml -o limited --resume
check limited
(
    ulimit -f 1
    "$brunt" export lone --format vtu --out limited.vtu >limited.out 2>limited.err
)
code=$?
[ $code = 1 ] || fail "an export without room: exit code $code, wanted 1"
grep -q 'File too large' limited.err || fail "an export without room: $(cat limited.err)"

# ---- what a file says does not command the terminal ------------------------------------------------------------------------------
printf 'brunt: 1\n"\\e[31mred": 1\nbodies: [{name: "\\e]0;x\\a", type: rigid, shape: {sphere: {}}}]\n' >escape.yaml
printf '2 2 \033[31m\033]0;x\007 9\n' >escape.dat
printf '0,1\n1,\033[31m\n' >escape.csv
for words in "check escape.yaml" "run escape.yaml" "check escape.yaml --write" "modes escape.yaml" "design escape.yaml" "cone escape.dat" "calibrate escape.csv"; do
    # shellcheck disable=SC2086
    "$brunt" $words >escape.out 2>&1 && fail "brunt $words: is good"
    [ -s escape.out ] || fail "brunt $words: says nothing"
    ! grep -q "$(printf '\033')" escape.out || fail "brunt $words: an escape sequence of the file: $(cat -v escape.out)"
done
finish
