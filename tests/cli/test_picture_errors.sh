#!/bin/sh
# brunt export --format png and mp4 where no picture can be made: wrong options, no browser, browsers that die, sleep or say
# something odd (shell scripts stand for them). Nothing may be left behind. Usage: test_picture_errors.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
source=$1 brunt=$2
cd "$scratch" || exit 1
mkdir tmp bin
export TMPDIR="$scratch/tmp"
unset BRUNT_CHROMIUM

expect 0 "$brunt" run "$source/scenes/two-squares" --out run --quiet

# browser WORDS...: what stands for the browser runs these shell words; the address is in $url, its token's in $page.
browser() {
    {
        echo '#!/bin/sh'
        echo 'for url in "$@"; do :; done'
        echo "echo \$\$ >>$scratch/pids"
        echo "printf '%s\n' \"\$@\" >$scratch/arguments"
        printf '%s\n' "$@"
    } >"$scratch/bin/chromium"
    chmod +x "$scratch/bin/chromium"
    BRUNT_CHROMIUM="$scratch/bin/chromium"
    export BRUNT_CHROMIUM
}

# tidy: no process and no file is left of the last command.
tidy() {
    for pid in $(cat "$scratch/pids" 2>/dev/null); do
        # One that has ended may wait for somebody to ask for its exit code (Z).
        case $(sed "s/.*) //" "/proc/$pid/stat" 2>/dev/null) in '' | Z*) ;; *) fail "$ran: process $pid still runs" ;; esac
    done
    rm -f "$scratch/pids"
    [ -z "$(ls "$scratch/tmp")" ] || fail "$ran: left $(ls "$scratch/tmp") in TMPDIR"
    [ -z "$(find run -name '*.tmp')" ] || fail "$ran: left $(find run -name '*.tmp')"
}

# ---- options --------------------------------------------------------------------------------------------------------------
for words in "--size 5x5" "--size 960" "--size 9e9x100" "--size 100.5x100" "--time x" "--time 0,," "--time nan" "--time 0x1" \
    "--frame 1.5" "--view 1" "--view 1,2,3" "--zoom 0" "--zoom inf" "--scale x" "--range 0,1" "--colour speed --range 2,1" \
    "--colour speed --range 2" "--time 0 --frame 0" "--fps 30" "--speed 2" "--theme blue" "--timeout 0"; do
    expect 2 "$brunt" export run --format png $words
    says stderr "--"
    silent stdout
done
for words in "--time 0" "--frame 1" "--fps 0" "--fps 2000" "--speed 0" "--speed -1" "--out film.avi" "--out tmp"; do
    expect 2 "$brunt" export run --format mp4 $words
done
expect 2 "$brunt" export run --format vtu --view 0,0
says stderr "--view is for --format png and mp4"
expect 2 "$brunt" export nowhere --format png
says stderr "nowhere"

# ---- what is not installed --------------------------------------------------------------------------------------------------
expect 1 env PATH="$scratch/bin" "$brunt" export run --format png
says stderr "apt install chromium"
expect 1 env PATH= "$brunt" export run --format png
says stderr "apt install chromium"
expect 1 env BRUNT_CHROMIUM=/nonexistent/browser "$brunt" export run --format png
says stderr "BRUNT_CHROMIUM is '/nonexistent/browser'"
expect 1 env BRUNT_CHROMIUM="$scratch" "$brunt" export run --format png
says stderr "not a program that can be run"
browser 'exit 0'
expect 1 env PATH="$scratch/bin" "$brunt" export run --format mp4
says stderr "apt install ffmpeg"
tidy

# ---- browsers that do not draw ------------------------------------------------------------------------------------------------
browser 'echo first words' 'echo its last words >&2' 'exit 3'
expect 1 "$brunt" export run --format png
says stderr "the browser ended (exit code 3)"
says stderr "its last words"
tidy
grep -qx -e '--no-sandbox' arguments && [ "$(id -u)" != 0 ] && fail "the sandbox is off"
grep -q "^--user-data-dir=$scratch/tmp/" arguments || fail "the browser uses a profile that is not its own"
grep -q '^http://127.0.0.1:[0-9]*/[0-9a-f]*#shoot=1&size=960x600$' arguments || fail "the address is $(tail -1 arguments)"
browser 'kill -SEGV $$'
expect 1 "$brunt" export run --format png
says stderr "(exit code 139)"
tidy
browser 'sleep 100 & echo $! >>'"$scratch/pids" 'wait'
expect 1 "$brunt" export run --format png --timeout 1
says stderr "no sign of life for 1 s"
says stderr "never opened the page"
tidy
browser 'trap "" TERM INT HUP' 'while :; do sleep 1; done'
expect 1 "$brunt" export run --format png --timeout 1
tidy

# A signal ends both.
browser 'sleep 100'
ran="a signal"
env "$brunt" export run --format png >stdout 2>stderr &
pid=$!
for wait in 1 2 3 4 5 6 7 8 9 10; do
    [ -s pids ] && break
    sleep 0.3
done
kill -TERM $pid
wait $pid
[ $? = 143 ] || fail "$ran: exit code"
tidy

# ---- pages that say something odd ----------------------------------------------------------------------------------------------
if command -v curl >/dev/null 2>&1; then
    page='page=$(curl -s -o /dev/null -w "%{redirect_url}" "${url%%#*}")'
    post='curl -s -o /dev/null -X POST --data-binary'
    browser "$page" "$post 'no body is named nobody' \"\${page}shot/0\"" 'sleep 100'
    expect 1 "$brunt" export run --format png --hide nobody
    says stderr "error: no body is named nobody"
    tidy
    # Done without a picture, a picture out of turn, and no end: none is taken for a picture.
    browser "$page" "$post 'done 1' \"\${page}shot/0\"" 'sleep 100'
    expect 1 "$brunt" export run --format png
    says stderr "done 1"
    tidy
    printf '\211PNG\r\n\032\nrest' >bytes
    browser "$page" "$post @$scratch/bytes \"\${page}shot/1\"" 'sleep 100'
    expect 1 "$brunt" export run --format png --timeout 2
    says stderr "no sign of life"
    tidy
    [ ! -e run/png/frame_1.png ] || fail "a picture that was not expected is there"
    # Bytes that only start as a PNG are kept as they came.
    browser "$page" "$post @$scratch/bytes \"\${page}shot/0\"" "$post 'done 1' \"\${page}shot/1\"" 'sleep 100'
    expect 0 "$brunt" export run --format png --time 0.5
    says stdout "run/png/frame_0.5.png written"
    cmp -s bytes run/png/frame_0.5.png || fail "the picture is not what was posted"
    tidy
    if command -v ffmpeg >/dev/null 2>&1; then
        browser "$page" "$post @$scratch/bytes \"\${page}shot/0\"" "$post 'done 1' \"\${page}shot/1\"" 'sleep 100'
        expect 1 "$brunt" export run --format mp4
        says stderr "ffmpeg could not make run/film.mp4"
        [ ! -e run/film.mp4 ] || fail "there is a film"
        tidy
    fi
fi

finish
