#!/bin/sh
# tools/check_symbols accepts a clean library and refuses each kind of bad one. Usage: test_symbols.sh SOURCE_DIR CC AR
. "$1/tests/lib.sh"
tool=$1/tools/check_symbols
cc=$2
ar=$3

library() { # C text -> $scratch/test.a
    rm -f "$scratch/test.a"
    printf '%s\n' '#include <assert.h>' '#include <stdio.h>' '#include <stdlib.h>' "$1" >"$scratch/test.c"
    "$cc" -O0 -c "$scratch/test.c" -o "$scratch/test.o" && "$ar" rc "$scratch/test.a" "$scratch/test.o" ||
        fail "cannot compile: $1"
}

refused() { # C text, what is said
    library "$1"
    expect 1 "$tool" "$scratch/test.a"
    says stdout "$2"
}

library 'static int plain; int brn_ok(char *s, size_t n) { return snprintf(s, n, "%d", plain); }'
expect 0 "$tool" "$scratch/test.a"
silent stdout
refused 'int helper(void) { return 1; }' 'defines helper'
refused 'int brn_a; double table[4];' 'defines table'
refused 'void brn_a(void) { abort(); }' 'uses abort'
refused 'void brn_a(void) { exit(1); }' 'uses exit'
refused 'void brn_a(int n) { printf("%d %d", n, n); }' 'uses printf'
refused 'void brn_a(void) { printf("hello\n"); }' 'uses puts'
refused 'void brn_a(int n) { fprintf(stderr, "%d", n); }' 'uses stderr'
refused 'void brn_a(int n) { fprintf(stdout, "%d", n); }' 'uses stdout'
refused 'int brn_a(void) { return rand(); }' 'uses rand'
refused 'void brn_a(int n) { assert(n > 0); }' 'uses __assert_fail'
refused 'static int nothing;' 'defines nothing'
expect 1 "$tool" "$scratch/absent.a"
finish
