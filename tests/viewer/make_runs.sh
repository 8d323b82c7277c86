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

# All stages of a launch, and one that does not get off the ground.
"$brunt" compare "$1/tests/viewer/scenes/stages" --out "$runs/stages" --overwrite --quiet --variant base \
    --variant 'weak:loads[0].force=[0,0,-2],time.end=0.25'

# Modes of vibration, held (the others overdamped) and free.
"$brunt" modes "$scenes/cantilever" --modes 4 --out "$runs/modes" --overwrite --quiet
"$brunt" modes "$scenes/cantilever" --modes 3 --free --out "$runs/modes-free" --overwrite --quiet

make_run two-squares 0.30 0.01 # 2D
make_run cube-stack 0.30 0.01  # soft bodies, contacts with friction
make_run rigid-mix 0.20 0.01   # rigid bodies, a half-space

make_run rubber-block 1 0.05    # equilibria, a hold that is moved; plots that the scene asks for
make_run cylinder-press 1 0.05  # a plot with points
"$brunt" run "$scenes/rubber-block" --out "$runs/rubber-block-unasked" --overwrite --quiet --set 'output.plot=[]'

# A comparison: another load on the same mesh; another mesh that is run for a shorter time and recorded less often.
"$brunt" compare "$scenes/cube-stack" --out "$runs/compare" --overwrite --quiet --set time.end=0.3 --set output.every=0.01 \
    --set 'output.fields=[stress,velocity,contact]' --reference base --variant 'light:gravity=[0,0,-4]' --variant base \
    --variant 'fine:meshes.cube.box.cells=[4,4,4],time.end=0.2,output.every=0.02'
# Another step in 2D: small differences between bodies that move far; and the same run with fewer frames.
"$brunt" compare "$scenes/two-squares" --out "$runs/compare-2d" --overwrite --quiet --set time.end=0.2 --set output.every=0.02 \
    --set 'output.fields=[stress,velocity,contact]' --variant base --variant half:time.step=0.005 --variant rare:output.every=0.04
for run in compare/base compare/light compare/fine compare-2d/base compare-2d/half; do
    "$brunt" export "$runs/$run" --format csv --quiet
done
