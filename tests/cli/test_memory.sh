#!/bin/sh
# Little address space (ulimit -v): every command ends by itself, with success or with a message. Usage: test_memory.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

# Fronts that go to BLAS; BLAS is where a process used to hang.
cat >block.yaml <<END
brunt: 1
time: {step: 1e-2, end: 0.02}
integrator: implicit_euler
materials: {soft: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}
meshes: {block: {box: {size: [0.1, 0.1, 0.1], cells: [12, 12, 12], element: tet4}}}
bodies: [{name: block, type: deformable, mesh: block, material: soft}]
fixed: [{body: block, where: {face: -z}}]
END

hash_of() {
    sed -n 's/.*"state_hash": *"\{0,1\}\([0-9a-fx]*\).*/\1/p' "$1/summary.json"
}

limited() { # MEGABYTES COMMAND...
    megabytes=$1
    shift
    (
        ulimit -v $((1024 * megabytes)) 2>/dev/null || exit 77
        exec timeout -s KILL 60 "$@" >stdout 2>stderr </dev/null
    ) 2>/dev/null
    code=$?
}

limited 100000 "$brunt" run block.yaml -o whole -q --threads 2
if [ $code = 77 ]; then
    echo "the address space cannot be limited here"
    exit 77
fi
[ $code = 0 ] || fail "a run with plenty of memory: exit code $code"
ended() { # COMMAND: done, or refused with a message
    case $code in
    0) ;;
    1 | 2 | 127) # 127: the system could not load the program
        [ -s stderr ] || fail "brunt $1 with $megabytes MB: exit code $code without a message"
        ;;
    *) fail "brunt $1 with $megabytes MB: exit code $code: $(head -n 3 stderr)" ;;
    esac
}

for limit in 50 150 225 300 450 1500; do
    limited $limit "$brunt" run block.yaml -o out --overwrite -q --threads 2
    ended run
    if [ $code = 0 ]; then
        [ "$(hash_of out)" = "$(hash_of whole)" ] || fail "$limit MB: another result"
    fi
    # Enough for the scene, not for BLAS: the message names the remedy.
    [ $limit != 300 ] || grep -q 'OpenBLAS needs 128 MB of address space for each of 2 threads (.* is 300 MB): raise' stderr ||
        fail "300 MB: exit code $code: $(cat stderr)"
    [ $limit != 1500 ] || [ $code = 0 ] || fail "1500 MB are not enough: $(cat stderr)"
done
limited 225 "$brunt" check block.yaml --threads 2
ended check
limited 225 "$brunt" export whole --format html --out page.html
ended export
finish
