#!/bin/sh
# Pictures and films drawn by a real browser: files, sizes, what is seen where. Usage: test_picture.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
source=$1 brunt=$2
skip() {
    echo "skipped: $*"
    exit 77
}
command -v node >/dev/null 2>&1 || skip "needs node, which reads the pictures"
command -v ffmpeg >/dev/null 2>&1 && command -v ffprobe >/dev/null 2>&1 || skip "needs ffmpeg"
[ -n "${BRUNT_CHROMIUM:-}" ] || command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || skip "needs chromium"
cd "$scratch" || exit 1
mkdir tmp
export TMPDIR="$scratch/tmp"
see() {
    expect 0 node "$source/tests/cli/picture_check.mjs" "$@"
}

expect 0 "$brunt" run "$source/scenes/two-squares" --out run --quiet

# ---- pictures -----------------------------------------------------------------------------------------------------------------
# Two squares of 2D: the upper one blue, the lower one orange, painted to be sure; the last frame by default.
paint='upper:#ff0000,lower:#0000ff'
grep -q 'name: upper' run/scene.yaml && grep -q 'name: lower' run/scene.yaml || fail "two-squares has other names"
expect 0 "$brunt" export run --format png --size 301x401 --fit upper,lower --paint "$paint"
says stdout "run/png/frame_1.png written"
see run/png/frame_1.png 301x401 'ff0000:0.1-0.45@0.35,0.35' '0000ff:0.1-0.45@0.65,0.65' 'ffffff:0.05-0.7'
expect 0 "$brunt" export run --format png --size 300x400 --fit upper,lower --paint "$paint" --time 0,0.5 --hide lower --quiet
silent stdout
see run/png/frame_0.png 300x400 'ff0000:0.1-0.45@0.5,0.2' '0000ff:0-0'
see run/png/frame_0.5.png 300x400 'ff0000:0.1-0.45' '0000ff:0-0'
expect 0 "$brunt" export run --format png --size 200x200 --frame all --out sequence --quiet
[ "$(ls sequence | wc -l)" = "$(ls sequence/frame_0*.png | wc -l)" ] && [ -e sequence/frame_0000.png ] || fail "names of frames"
# One file: the moments side by side.
expect 0 "$brunt" export run --format png --size 600x300 --fit upper --paint "$paint" --time 0,1 --out deep/er/both.png
says stdout "deep/er/both.png written"
see deep/er/both.png 600x300 'ff0000:0.03-0.6@0.25,0.25' 'ff0000:0.03-0.6@0.75,0.63'
# Two runs: beside each other, named.
cp -r run "two & <i>"
expect 0 "$brunt" export run --beside "two & <i>" --format png --size 600x300 --fit upper,lower --paint "$paint" --label one --out pair.png
see pair.png 600x300 'ff0000:0.02-0.4@0.25,0.29' 'ff0000:0.02-0.4@0.75,0.29'
# Dark.
expect 0 "$brunt" export run --format png --size 200x200 --theme dark --out dark.png --quiet
see dark.png 200x200 'ffffff:0-0.01'

# 3D: a cube above a plate, in the light of a sun: its shadow is on the plate, whose own colour is far from it.
expect 0 "$brunt" run "$source/scenes/tunnel" --out tunnel --quiet
expect 0 "$brunt" export tunnel --format png --frame 0 --size 400x300 --fit cube --zoom 0.45 --paint 'cube:#ff0000' --out shadow.png
see shadow.png 400x300 'ff3030:0.01-0.2@0.5,0.5' '606870:0.005-0.1' 'bcc4cf:0.3-0.95'

# ---- what the page refuses --------------------------------------------------------------------------------------------------------
expect 1 "$brunt" export run --format png --hide nobody
says stderr "no body is named nobody"
expect 1 "$brunt" export run --format png --colour nonsense
says stderr "nonsense"
expect 1 "$brunt" export run --format png --time 7
says stderr "after the last frame"

# ---- films --------------------------------------------------------------------------------------------------------------------------
film() {
    ffprobe -v error -count_packets -select_streams v:0 -show_entries "stream=$2" -of csv=p=0 "$1"
}
expect 0 "$brunt" export run --format mp4 --size 161x121 --fps 10 --speed 0.5
says stdout "run/film.mp4: 21 pictures, 2.1 s of film"
[ "$(film run/film.mp4 nb_read_packets)" = 21 ] || fail "film: $(film run/film.mp4 nb_read_packets) pictures"
[ "$(film run/film.mp4 codec_name,width,height,pix_fmt)" = h264,162,122,yuv420p ] || fail "film: $(film run/film.mp4 codec_name,width,height,pix_fmt)"
expect 0 "$brunt" export run --format mp4 --size 160x120 --fps 5 --out other.mp4 --quiet --paint "$paint" --fit upper,lower
[ "$(film other.mp4 nb_read_packets)" = 26 ] || fail "film of 4 s or more: $(film other.mp4 nb_read_packets) pictures" # 1 s, 0.2 times as fast
ffmpeg -loglevel error -y -i other.mp4 -frames:v 1 first.png
see first.png 160x120 'ff0000:0.03-0.5' '0000ff:0.03-0.5'
[ -z "$(ls tmp)" ] || fail "left $(ls tmp) in TMPDIR"

finish
