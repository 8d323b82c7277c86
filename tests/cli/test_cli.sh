#!/bin/sh
# The command from outside: help, version, exit codes, wrong usage. Usage: test_cli.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

# ---- the command itself -----------------------------------------------------------------------------------------------
expect 0 "$brunt" --version
says stdout "brunt "
expect 0 "$brunt" --help
for command in run check compare modes coarsen calibrate design sweep info export view cone bench; do
    says stdout "  $command"
done
silent stderr
expect 0 "$brunt" -h
expect 2 "$brunt"
says stderr "usage: brunt COMMAND"
expect 2 "$brunt" rnu
says stderr "did you mean 'run'?"
says stderr "run check compare modes coarsen calibrate design sweep info export view cone bench"
expect 2 "$brunt" --verison
says stderr "did you mean '--version'?"
expect 2 "$brunt" xylophone
says stderr "unknown command 'xylophone'"

# ---- help of every sub-command: usage, every option, examples ------------------------------------------------------------
lists() { # COMMAND OPTION...
    command=$1
    shift
    expect 0 "$brunt" "$command" --help
    silent stderr
    says stdout "usage: brunt $command"
    says stdout "examples:"
    says stdout "  brunt $command"
    for option in "$@" help; do
        grep -qE "^  (-.,|   ) --$option( |\$)" "$scratch/stdout" || fail "brunt $command --help: no line for --$option"
    done
    # The usage line, the list of options and the parser must agree.
    for option in $(sed -n '/^usage/,/^$/p' "$scratch/stdout" | grep -oE '\[--[a-z-]+' | sed 's/^\[--//'); do
        case " $* " in
        *" $option "*) ;;
        *) fail "brunt $command: --$option is in the usage line, but this test does not know it" ;;
        esac
    done
    for option in "$@"; do
        code=0
        "$brunt" "$command" "--$option=" absent >"$scratch/stdout" 2>"$scratch/stderr" || code=$?
        ! grep -q 'unknown option' "$scratch/stderr" || fail "brunt $command: --$option is listed but unknown"
    done
    expect 0 "$brunt" "$command" -h
    expect 2 "$brunt" "$command" --no-such-option
    says stderr "unknown option '--no-such-option'"
    says stderr "'brunt $command --help' explains"
}
lists run out method set threads resume overwrite no-report quiet
lists check method set write threads
lists compare methods variant set reference out threads budget resume overwrite quiet
lists modes modes body free out set threads overwrite no-report quiet
lists design out jobs threads evaluations seed limit set keep resume overwrite quiet mpi
lists sweep vary figure type samples out jobs threads evaluations seed limit set keep resume overwrite quiet mpi
lists info
lists calibrate time value from to pick near modes newmark scene set mode material body free out threads
lists coarsen out body limit change shape spread match frequency decay held set threads
lists cone tolerance sweeps newton path compare out
lists export format out every budget quiet time frame size view fit zoom colour range scale hide ghost cut paint turn title fps \
    speed patch contacts wireframe axes label beside theme timeout
lists view port no-open method set threads paused
lists bench list case json repeat threads scenes

# ---- wrong usage --------------------------------------------------------------------------------------------------------
expect 2 "$brunt" run
says stderr "SCENE is missing"
expect 2 "$brunt" run a.yaml b.yaml
says stderr "takes one SCENE"
expect 2 "$brunt" run a.yaml --thread 2
says stderr "did you mean '--threads'?"
expect 2 "$brunt" run a.yaml --threads two
says stderr "must be a whole number from 0 to 1024"
expect 2 "$brunt" run a.yaml --threads -1
expect 2 "$brunt" run a.yaml --threads 99999999999999999999
expect 2 "$brunt" run a.yaml --out
says stderr "--out needs a value: --out DIR"
expect 2 "$brunt" run a.yaml --out --quiet
says stderr "--out needs a value"
expect 2 "$brunt" run a.yaml --quiet=yes
says stderr "--quiet takes no value"
expect 2 "$brunt" run -x a.yaml
says stderr "unknown option '-x'"
expect 2 "$brunt" export dir --format vtk
says stderr "must be one of vtu, obj, csv, gltf, stl, html, png, mp4; did you mean 'vtu'?"
expect 2 "$brunt" export dir --every 0
expect 2 "$brunt" export
expect 2 "$brunt" info --list
expect 2 "$brunt" bench --case no-such-case
says stderr "no case begins with 'no-such-case'"
expect 2 "$brunt" bench operand

# ---- things that are not there ----------------------------------------------------------------------------------------------
expect 2 "$brunt" run absent.yaml
says stderr "absent.yaml"
silent stdout
[ ! -e out ] || fail "a run that could not start left a folder"
expect 2 "$brunt" check absent.yaml
says stderr "absent.yaml"
expect 2 "$brunt" run -- --quiet
says stderr "--quiet"
mkdir empty
expect 2 "$brunt" check empty
says stderr "empty/scene.yaml"
expect 2 "$brunt" export empty --format vtu
says stderr "empty"
expect 2 "$brunt" view empty
says stderr "empty is neither a run folder (no trajectory.h5 in it) nor a scene (no scene.yaml in it)"
expect 2 "$brunt" view absent
says stderr "absent: there is no such file or folder"
expect 2 "$brunt" view "$1/README.md"
says stderr "README.md"
expect 2 "$brunt" info no_such_topic
says stderr "no_such_topic"

# ---- info and bench ------------------------------------------------------------------------------------------------------------
for topic in methods materials elements scene contact output time integrator; do
    expect 0 "$brunt" info $topic
    [ -s stdout ] || fail "brunt info $topic prints nothing"
done
expect 0 "$brunt" info
expect 0 "$brunt" bench --list
says stdout "parallel-for"
expect 0 "$brunt" bench --case parallel --repeat 1 --threads 2 --json
says stdout '"name": "parallel-for", "threads": 2'
says stdout '"repeats": 1'

# The contact table: a scene that is not there is named, one that is there gives its rows.
expect 0 "$brunt" bench --case ipc-chain --scenes "$scratch/nowhere" --json
says stdout '"value": null, "unit": "absent"'
mv stdout absent.json
expect 0 "$1/tools/contact_table" absent.json
says stdout "| chain | absent |"
expect 1 "$1/tools/contact_table" --check absent.json
says stderr "ipc-chain: absent"
expect 0 "$brunt" bench --case ipc-cube-stack-40 --scenes "$1/scenes" --repeat 1 --threads 2 --json
says stdout '"name": "2 thr, collision queries"'
mv stdout stack.json
expect 0 "$1/tools/contact_table" stack.json
says stdout "| cube-stack-40 | 20 | 40 | 150 |"
says stdout "| cube-stack-40, 2 threads |"

# A standard output that takes nothing is an error.
if [ -w /dev/full ]; then
    code=0
    "$brunt" info >/dev/full 2>"$scratch/stderr" || code=$?
    [ $code = 1 ] || fail "a full standard output gives exit code $code, wanted 1"
fi
finish
