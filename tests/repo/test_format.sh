#!/bin/sh
# tools/check_format accepts formatted sources and refuses others. Usage: test_format.sh SOURCE_DIR
. "$1/tests/lib.sh"
tool=$1/tools/check_format
mkdir -p "$scratch/tree/src"
cp "$1/.clang-format" "$scratch/tree"
printf 'int brn_a;\n' >"$scratch/tree/src/a.c"
code=0
"$tool" "$scratch/tree" 2>/dev/null || code=$?
[ $code != 77 ] || exit 77
expect 0 "$tool" "$scratch/tree"
printf 'int   brn_a ;\n' >"$scratch/tree/src/a.c"
expect 1 "$tool" "$scratch/tree"
expect 0 "$tool" --fix "$scratch/tree"
expect 0 "$tool" "$scratch/tree"
finish
