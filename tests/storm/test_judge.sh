# The judge of random scenes, with commands that behave badly in place of brunt: each way is found out.
# usage: test_judge.sh SOURCE STORM
. "$1/tests/lib.sh"
storm=$2
cd "$scratch" || exit 1

# What every such command starts with: its folder, and the figures of a run of two steps.
cat >good <<'END'
#!/bin/sh
out=$4
mkdir -p "$out"
threads=$5
status=done
hash=0123456789abcdef
contacts=0
elastic=1
code=0
summary() {
    echo "{\"status\": \"$status\", \"reason\": \"$reason\", \"state_hash\": \"$hash\"}" >"$out/summary.json"
    echo "step,contacts,kinetic,elastic,gravity,contact,work,wall_s" >"$out/series.csv"
    echo "0,$contacts,5,0,3,0,0,0" >>"$out/series.csv"
    echo "1,0,4,$elastic,3,0,0,0.5" >>"$out/series.csv"
    exit $code
}
END
scene=3 # without contact: there is no trajectory to look at
command() { # NAME LINES...
    name=$1
    shift
    cp good "$name"
    printf '%s\n' "$@" summary >>"$name"
    chmod +x "$name"
}

command fine
expect 0 "$storm" ./fine $scene
says stdout "done"
command crashes 'kill -SEGV $$'
expect 1 "$storm" ./crashes $scene
says stdout CRASHED
command sanitized 'echo "x.c:1:2: runtime error: applying zero offset" >&2'
expect 1 "$storm" ./sanitized $scene
says stdout CRASHED
command silent 'exit 1'
expect 1 "$storm" ./silent $scene
says stdout SILENT
command fails 'echo "error: the simulation could not go on: step 1 failed for a reason" >&2' 'status=failed; code=1'
expect 0 "$storm" ./fails $scene
says stdout "failed, 0 contacts"
says stdout "step 1 failed for a reason"
command spins 'while :; do :; done'
expect 1 "$storm" ./spins $scene $((scene + 1)) 1
says stdout OVER
command threads '[ "$threads" = --threads=2 ] && hash=2'
expect 1 "$storm" ./threads $scene
says stdout RESOLVED
command resumes '[ "$6" = --resume ] && hash=2'
expect 1 "$storm" ./resumes $scene
says stdout RESUMED
command touches contacts=3
expect 1 "$storm" ./touches $scene
says stdout CONTACT
command gains elastic=9
expect 1 "$storm" ./gains $scene
says stdout RISE
command suspect elastic=9 'reason="energy came from nowhere"; status=suspect; code=1'
expect 0 "$storm" ./suspect $scene
says stdout "energy came from nowhere"
expect 1 "$storm" ./fine 4 # with contact, and no trajectory
says stdout MEETING
finish
