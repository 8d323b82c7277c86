#!/bin/sh
# tools/check_words accepts clean files and refuses each kind of leftover. Usage: test_words.sh SOURCE_DIR
. "$1/tests/lib.sh"
tool=$1/tools/check_words
command -v git >/dev/null 2>&1 || exit 77

tree=$scratch/tree
mkdir "$tree"
expect 77 "$tool" "$tree"
git -C "$tree" init -q

holds() { # exit code, text of the only file
    printf '%s\n' "$2" >"$tree/file.c"
    git -C "$tree" add file.c
    expect "$1" "$tool" "$tree"
}

# Words are put together here, so that the check does not find them in this file.
holds 0 'a hackle, XXXXXX, workflow, https://example.org/home/page, for nowhere, src/home/x'
holds 1 "/* TO""DO: more */"
holds 1 "// fix""me"
holds 1 "works for"" now"
holds 1 "an X""XX here"
holds 1 "a place""holder value"
holds 0 '<input place''holder="name">'
holds 0 'element({place''holder: "name"}); .field::place''holder { color: red }'
holds 0 'three numbers: "x''xx"'
holds 1 "see /ho""me/someone/file"
holds 1 "cd '/wo""rk/main'"

# The viewer's bundle and lock file are made by tools, from texts of others; but the lock file names no registry.
holds 0 'clean'
mkdir -p "$tree/viewer/dist"
echo "/* TO""DO: theirs */" >"$tree/viewer/dist/viewer.html"
echo '"integrity": "sha512-a+TO''DO/b=="' >"$tree/viewer/package-lock.json"
git -C "$tree" add viewer
expect 0 "$tool" "$tree"
echo '"resolved": "https://example.org/a.tgz"' >"$tree/viewer/package-lock.json"
expect 1 "$tool" "$tree"
finish
