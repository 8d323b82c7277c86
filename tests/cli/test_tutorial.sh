#!/bin/sh
# docs/first-contact.md: its scene, commands and numbers are true. Usage: test_tutorial.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
page=$1/docs/first-contact.md
brunt=$2
cd "$scratch" || exit 1

# figure COLUMN ROW: of out/crate/series.csv, ROW counted from 0, -1 the last.
figure() {
    awk -F, -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) c = i; next }
        { v[NR - 2] = $c } END { printf "%.10g", v[row < 0 ? NR - 2 : row] }' "$series"
}
# near NAME VALUE WANTED TOLERANCE
near() {
    awk -v v="$2" -v w="$3" -v t="$4" 'BEGIN { d = v - w; exit !(d <= t && d >= -t) }' || fail "$1 is $2, the page says $3"
}

awk '/^```yaml/ { on = 1; next } /^```/ { on = 0 } on' "$page" >crate.yaml
expect 2 "$brunt" check crate.yaml
says stderr "lift 'crate' by 401 um along z"
grep -q "lift 'crate' by 401 um along z" "$page" || fail "the page shows another message"
sed -i 's/position: \[0, 0, 0.1\]/position: [0, 0, 0.1005]/' crate.yaml
expect 0 "$brunt" check crate.yaml
says stdout "  method          ipc (the scene names none, and there are obstacles), integrator turning_euler, 3D"
expect 0 "$brunt" run crate.yaml
[ -s out/crate/report.html ] || fail "no report.html"

# Rounded as on the page.
series=out/crate/series.csv
normal=$(figure crate.contact_z -1)
near "the normal force" "$normal" 73.74 0.01
near "friction over normal force" "$(echo "$(figure crate.contact_x -1) $normal" | awk '{ print -$1 / $2 }')" 0.2 1e-4
near "the acceleration" "$(echo "$(figure crate.vx -1) $(figure crate.vx 50)" | awk '{ print ($1 - $2) / 0.5 }')" 1.511 2e-3

expect 0 "$brunt" compare crate.yaml --variant slippery:contact.friction=0.2 --variant rough:contact.friction=0.5 \
    --set time.end=0.5 --out out/friction
[ -s out/friction/compare.html ] || fail "no compare.html"
series=out/friction/slippery/series.csv
near "the slippery crate's speed" "$(figure crate.vx -1)" 0.77 0.01
series=out/friction/rough/series.csv
near "the rough crate's speed" "$(figure crate.vx -1)" 0.0002 0.0005

finish
