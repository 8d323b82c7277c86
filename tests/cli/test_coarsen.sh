#!/bin/sh
# brunt coarsen: its table, its files, a scene whose comments stay, errors that say what to do. Usage: test_coarsen.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cat >"$scratch/beam.yaml" <<END
# a beam that is coarsened
brunt: 1
time: {step: 0.01, end: 0.01} # short
method: {type: none}
materials: {m: {type: neo_hookean, young: 1.0e+6, poisson: 0.3, density: 1000}} # soft
meshes:
  a:
    box: # three numbers
      size: [1, 0.13, 0.2]
      cells: [10, 2, 3] # here
      element: hex8
bodies: [{name: beam, type: deformable, mesh: a, material: m}]
fixed: [{body: beam, where: {face: -x}}]
END
cd "$scratch" || exit 1
expect 0 "$brunt" coarsen beam.yaml --limit 500 --spread 0.2 --shape 0.2 --out coarse --set time.end=0.02
says stdout '480 -> 10, edges x 2 of'
says stdout 'meshes.a.box.cells='
says stderr 'has not converged'
for file in scene.yaml coarsen.csv coarsen.json coarsen.html; do
    [ -s "coarse/$file" ] || fail "no coarse/$file"
done
[ "$(wc -l <coarse/coarsen.csv)" -eq 11 ] || fail "coarsen.csv has not ten modes"
grep -q '"converged": false' coarse/coarsen.json || fail "coarsen.json does not say that it has not converged"
# Three lines of the scene changed, and no comment.
[ "$(diff beam.yaml coarse/scene.yaml | grep -c '^>')" -eq 3 ] || fail "not three lines changed: $(diff beam.yaml coarse/scene.yaml)"
[ "$(grep -c '#' coarse/scene.yaml)" -eq "$(grep -c '#' beam.yaml)" ] || fail "comments were lost"
grep -q 'end: 0.02} # short' coarse/scene.yaml || fail "--set was lost"
expect 0 "$brunt" run coarse/scene.yaml --out run --quiet
# One file, no request to elsewhere.
! grep -qE 'src=|href=|https?:' coarse/coarsen.html || fail "the page asks for other files"

expect 0 "$brunt" coarsen beam.yaml --limit 500 --out measured --frequency 5 --decay 3 --held
says stdout 'beta 0.00602'
grep -q 'beta: 0.00602' measured/scene.yaml || fail "no damping in the scene"

expect 0 "$brunt" coarsen beam.yaml --limit 500 --out load --match load --set integrator=static
says stdout 'J in both; by the first frequency'
expect 0 "$brunt" coarsen beam.yaml --limit 500 --out first --set integrator=static
says stderr '--match load makes the energy'
grep -q '"load": [0-9]' load/coarsen.json || fail "no load in coarsen.json"
grep -q 'load of the scene stores' load/coarsen.html || fail "no load in the page"
expect 2 "$brunt" coarsen beam.yaml --match load --limit 500
says stderr 'no load in equilibrium to match'
expect 2 "$brunt" coarsen beam.yaml --match weight
says stderr '--match weight: must be frequency or load'

expect 2 "$brunt" coarsen
expect 2 "$brunt" coarsen beam.yaml --limit many
says stderr '--limit many: must be a number above 0'
expect 2 "$brunt" coarsen beam.yaml --decay 3
says stderr 'decay is of a measured frequency'
expect 2 "$brunt" coarsen beam.yaml --body roof
says stderr "no deformable body 'roof'"
expect 1 "$brunt" coarsen beam.yaml --limit 20
says stderr '60 cells, more than the limit of 20'
expect 2 "$brunt" coarsen nowhere.yaml
[ ! -e out/beam-coarse ] || fail "what failed left a folder"

# The folder: neither one where a run is, nor the scene's own, nor one that somebody else has taken, which is told at once.
expect 2 "$brunt" coarsen beam.yaml --limit 500 --out run
says stderr 'run holds a run: a coarse scene needs a folder of its own'
mkdir own
cp beam.yaml own/scene.yaml
for command in coarsen run modes; do
    expect 2 "$brunt" $command own --out own
    says stderr 'choose another folder'
    cmp -s beam.yaml own/scene.yaml || fail "brunt $command replaced its own scene"
done
mkdir taken
(
    flock 9
    expect 2 "$brunt" coarsen beam.yaml --limit 500 --out taken
    says stderr 'is writing there'
    silent stdout
    exit $failures
) 9>taken/brunt.lock || fail "a folder that somebody else writes to"
finish
