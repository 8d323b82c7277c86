#!/bin/sh
# Runs one test of the viewer. Exit code 77: something that it needs is missing, and it says what.
# Usage: run.sh SOURCE_DIR npm:SCRIPT               a script of viewer/package.json
#        run.sh SOURCE_DIR FILE.mjs BRUNT RUNS      the page in a browser: the command, and the folder with runs that make_runs.sh made
set -u
root=$1
what=$2
"$root/tools/viewer_packages" "$root" || exit $?
case $what in
npm:*)
    cd "$root/viewer" && exec npm run --silent "${what#npm:}"
    ;;
esac

export BRUNT="$3" BRUNT_RUNS="$4"
if [ -z "${BRUNT_CHROMIUM:-}" ]; then
    for name in chromium chromium-browser google-chrome; do
        BRUNT_CHROMIUM=$(command -v $name) && break
    done
fi
if [ -z "${BRUNT_CHROMIUM:-}" ] || [ ! -x "$BRUNT_CHROMIUM" ]; then
    echo "no Chromium: 'tools/setup --tests' installs it, BRUNT_CHROMIUM names another"
    exit 77
fi
export BRUNT_CHROMIUM
exec node "$root/tests/viewer/$what"
