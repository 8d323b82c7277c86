#!/bin/sh
# Installs into a scratch prefix, moves it, and builds C and C++ programs against it through pkg-config and find_package, with
# the shared and the static library. Usage: test_install.sh SOURCE_DIR BINARY_DIR CC CXX
. "$1/tests/lib.sh"
source=$1/tests/repo/consumer
binary=$2
cc=$3
cxx=$4

cmake --install "$binary" --prefix "$scratch/first" >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "cmake --install"
    finish
}
# The prefix may be moved, so nothing in it may remember where it was, or where it was built.
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
for word in "$scratch/first" "$binary" "$1/"; do
    found=$(find "$prefix" \( -name '*.pc' -o -name '*.cmake' \) -exec grep -lF -e "$word" {} +)
    [ -z "$found" ] || fail "$found names $word"
done
pc=$(find "$prefix" -name brunt.pc)
[ -n "$pc" ] || fail "no brunt.pc"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
library=$(dirname "$PKG_CONFIG_PATH")

expect 0 "$prefix/bin/brunt" --version
expect 0 pkg-config --exists 'brunt >= 0.1'

# ---- gmsh is in brunt-fill alone, which the moved tree finds -----------------------------------------------------------------
for file in "$prefix/bin/brunt" "$library/libbrunt.so"; do
    ! ldd "$file" | grep -qi gmsh || fail "$file is linked with gmsh"
done
! pkg-config --static --libs brunt | grep -qi gmsh || fail "brunt.pc names gmsh"
! grep -rqi gmsh "$library/cmake" || fail "the CMake package names gmsh"
cat >"$scratch/box.obj" <<END
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 1 4 3
END
cat >"$scratch/box.yaml" <<END
brunt: 1
materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}
meshes: {a: {surface: box.obj, resolution: 0.5}}
bodies: [{name: box, type: deformable, mesh: a, material: m}]
END
if [ -x "$binary/brunt-fill" ]; then
    expect 0 "$prefix/bin/brunt" check "$scratch/box.yaml"
    [ -x "$prefix/libexec/brunt/brunt-fill" ] || fail "brunt-fill is not installed"
    mv "$prefix/libexec" "$scratch/elsewhere"
    expect 0 env BRUNT_FILL="$scratch/elsewhere/brunt/brunt-fill" "$prefix/bin/brunt" check "$scratch/box.yaml"
fi
expect 2 "$prefix/bin/brunt" check "$scratch/box.yaml"
says stderr 'box.yaml:3: meshes.a: filling a surface with tets needs'

# ---- MPI is in brunt-mpi.so alone, which the moved tree finds ------------------------------------------------------------------
for file in "$prefix/bin/brunt" "$library/libbrunt.so"; do
    ! ldd "$file" | grep -q libmpi || fail "$file is linked with MPI"
done
[ ! -d "$scratch/elsewhere" ] || mv "$scratch/elsewhere" "$prefix/libexec"
cat >"$scratch/sweep.yaml" <<END
brunt: 1
time: {step: 0.01, end: 0.01}
method: none
materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}
meshes: {a: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}
bodies: [{name: box, type: deformable, mesh: a, material: m}]
END
sweep() { # CODE
    expect "$1" "$prefix/bin/brunt" sweep "$scratch/sweep.yaml" --vary time.step=0.01,0.005 --figure status --mpi \
        -o "$scratch/swept" --overwrite
}
if [ -e "$binary/brunt-mpi.so" ]; then
    [ -e "$prefix/libexec/brunt/brunt-mpi.so" ] || fail "brunt-mpi.so is not installed"
    exported=$(nm -D --defined-only "$prefix/libexec/brunt/brunt-mpi.so" | awk '{print $3}' | grep -v -x -e _init -e _fini -e _edata -e _end -e __bss_start)
    [ "$exported" = brunt_mpi_table ] || fail "brunt-mpi.so exports $exported"
    sweep 0
    says stderr 'in 1 rank on 1 machine'
    mv "$prefix/libexec/brunt/brunt-mpi.so" "$scratch/"
fi
sweep 1
says stderr '--mpi needs'

# ---- pkg-config ------------------------------------------------------------------------------------------------------------
build_with_pkgconfig() { # COMPILER FLAGS SOURCE
    expect 0 "$1" $2 -Wall -Werror -Wpedantic "$3" -o "$scratch/shared" $(pkg-config --cflags --libs brunt)
    expect 0 env LD_LIBRARY_PATH="$library" "$scratch/shared"
    # -l:libbrunt.a: the archive, although the shared library lies beside it.
    static=$(pkg-config --static --cflags --libs brunt | sed 's/-lbrunt/-l:libbrunt.a/')
    expect 0 "$1" $2 -Wall -Werror -Wpedantic "$3" -o "$scratch/static" $static
    expect 0 "$scratch/static"
}
build_with_pkgconfig "$cc" -std=c17 "$source/consumer.c"
build_with_pkgconfig "$cxx" -std=c++11 "$source/consumer.cpp"

# ---- find_package -------------------------------------------------------------------------------------------------------------
expect 0 cmake -S "$source" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx"
expect 0 cmake --build "$scratch/build"
for program in c_shared c_static cpp_shared cpp_static; do
    expect 0 "$scratch/build/$program"
done

# ---- the shared library shows its interface and nothing else -----------------------------------------------------------------------
exported=$(nm -D --defined-only "$library/libbrunt.so" | awk '{print $3}' | grep -v '^brn_' | grep -v -x -e _init -e _fini -e _edata -e _end -e __bss_start)
[ -z "$exported" ] || fail "libbrunt.so exports $exported"
finish
