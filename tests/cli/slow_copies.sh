#!/bin/sh
# What design.yaml leads to works as it is printed too: nine of eleven (as it is, and ten copies with deviations), and of its start none does.
# Usage: slow_copies.sh SOURCE_DIR BRUNT SCENE
. "$1/tests/lib.sh"
out=$scratch/$3
expect 0 "$2" sweep "$1/scenes/$3/copies.yaml" --out "$out" --quiet
# the column by its name: no expression of these files has a comma
worked=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "succeeded") c = i } NR > 1 { printf "%s ", $c }' "$out/table.csv")
echo "$3: of 11 work, start and design: $worked"
case $worked in
"0 9 " | "0 10 " | "0 11 ") ;;
*) fail "$3: $worked of 11 work, wanted 0 of the start and 9 of the design" ;;
esac
finish
