# Helpers of the shell tests; source it. Each test has its own scratch folder, removed at the end.
set -u
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE COMMAND...: runs it, keeps what it prints in $scratch/stdout and $scratch/stderr, checks the exit code.
expect() {
    wanted=$1
    shift
    ran=$*
    code=0
    "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null || code=$?
    if [ "$code" != "$wanted" ]; then
        fail "$ran: exit code $code, wanted $wanted"
        sed 's/^/  out: /' "$scratch/stdout" | head -20
        sed 's/^/  err: /' "$scratch/stderr" | head -20
    fi
}

# says stdout|stderr TEXT: the last command printed that text (a fixed string).
says() {
    if ! grep -qF -e "$2" "$scratch/$1"; then
        fail "$ran: no '$2' on $1"
        sed 's/^/  /' "$scratch/$1" | head -20
    fi
}

# silent stdout|stderr: the last command printed nothing there.
silent() {
    if [ -s "$scratch/$1" ]; then
        fail "$ran: printed to $1"
        sed 's/^/  /' "$scratch/$1" | head -20
    fi
}

finish() {
    if [ "$failures" -gt 0 ]; then
        echo "$failures failed"
        exit 1
    fi
    echo "passed"
}
