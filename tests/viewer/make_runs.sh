#!/bin/sh
# The runs that the browser tests look at, made by the command itself. Usage: make_runs.sh SOURCE_DIR BRUNT RUNS
set -eu
scenes=$1/scenes
brunt=$2
runs=$3
mkdir -p "$runs"

# A folder's name is shown too.
"$brunt" run "$1/tests/viewer/scenes/names" --out "$runs/names <img src=x onerror=hacked=1>" --overwrite --quiet

make_run() { # NAME END EVERY
    "$brunt" run "$scenes/$1" --out "$runs/$1" --overwrite --quiet --set time.end=$2 --set output.every=$3 \
        --set 'output.fields=[stress,velocity,contact]'
    # What the page shows is compared with this: another reader of the same trajectory.
    "$brunt" export "$runs/$1" --format csv --quiet
}

make_run two-squares 0.30 0.01 # 2D
make_run cube-stack 0.30 0.01  # soft bodies, contacts with friction
make_run rigid-mix 0.20 0.01   # rigid bodies, a half-space
