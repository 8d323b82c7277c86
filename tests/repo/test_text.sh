#!/bin/sh
# tools/check_text accepts tidy sources of the viewer and refuses others. Usage: test_text.sh SOURCE_DIR
. "$1/tests/lib.sh"
tool=$1/tools/check_text
tree=$scratch/tree
mkdir -p "$tree/viewer/src" "$tree/viewer/node_modules/x" "$tree/viewer/dist"
file=$tree/viewer/src/a.ts
long=$(printf '%0201d' 0)

holds() { # exit code, exit code after --fix, text for printf
    printf "$3" >"$file"
    expect "$1" "$tool" "$tree"
    expect "$2" "$tool" --fix "$tree"
    expect "$2" "$tool" "$tree"
}

holds 0 0 'const a = 1;\nconst b = 2;\n'
holds 1 0 'const a = 1; \n'
holds 1 0 'const a = 1;\r\n'
holds 1 0 '\tconst a = 1;\n'
holds 1 0 '    \t\tconst a = 1;\n'
holds 1 0 'const a = 1;'
holds 0 0 "${long%0}\n"
holds 1 1 "$long\n"

# What tools made is not ours to tidy.
holds 0 0 'const a = 1;\n'
printf 'x \n' >"$tree/viewer/node_modules/x/x.mjs"
printf 'x \n' >"$tree/viewer/dist/viewer.html"
expect 0 "$tool" "$tree"
finish
