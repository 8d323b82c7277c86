#!/bin/sh
# tools/setup with made-up dpkg, apt, id and sudo: what it installs, when it fetches the lists, what it says without root.
# Usage: test_setup.sh SOURCE_DIR
. "$1/tests/lib.sh"
tool=$1/tools/setup
fake=$scratch/bin
calls=$scratch/calls
mkdir "$fake"

# A command that runs the given shell text; what it is called with goes to $calls.
make_fake() { # NAME TEXT
    printf '#!/bin/sh\necho "%s $*" >>"%s"\n%s\n' "$1" "$calls" "$2" >"$fake/$1"
    chmod +x "$fake/$1"
}

# Everything there and root; each case changes one of them. Only the plain tools of the system are visible besides.
fresh() {
    rm -rf "$fake" "$calls"
    mkdir "$fake"
    : >"$calls"
    for name in sh env cat printf command; do
        path=$(command -v $name)
        [ ! -x "$path" ] || ln -s "$path" "$fake/$name"
    done
    make_fake id 'echo 0'
    make_fake dpkg-query 'echo installed'
    make_fake apt-get 'exit 0'
    make_fake apt-cache 'exit 0'
}

run() { # exit code, arguments
    wanted_code=$1
    shift
    expect "$wanted_code" env PATH="$fake" "$tool" "$@"
}

called() {
    grep -q "$1" "$calls" || fail "$tool did not call '$1': $(cat "$calls")"
}

not_called() {
    ! grep -q "$1" "$calls" || fail "$tool called '$1'"
}

# Nothing is missing: silent, and apt is left alone.
fresh
run 0
silent stdout
silent stderr
not_called apt

# One is missing: only that one is installed, and the lists are not fetched.
fresh
make_fake dpkg-query 'case "$*" in *libyaml-dev*) exit 1 ;; esac; echo installed'
run 0 --missing
says stdout libyaml-dev
run 0
called 'apt-get .*install -y --no-install-recommends libyaml-dev$'
not_called 'apt-get .*update'

# What pictures need is a group of its own.
fresh
make_fake dpkg-query 'case "$*" in *chromium*|*libyaml-dev*) exit 1 ;; esac; echo installed'
run 0 --pictures --missing
says stdout chromium
run 0 --pictures
called 'apt-get .*install -y --no-install-recommends chromium$'

# What the tests need is another, MPI among it, without which building does; Node and npm are left alone where they are, whoever installed them.
fresh
make_fake dpkg-query 'exit 1'
run 0 --tests --missing
says stdout chromium
says stdout ffmpeg
says stdout openmpi
says stdout nodejs
says stdout npm
run 0 --viewer
called 'apt-get .*install -y --no-install-recommends ca-certificates nodejs npm$'
make_fake node 'exit 0'
make_fake npm 'exit 0'
run 0 --tests
called 'apt-get .*install -y --no-install-recommends ca-certificates chromium ffmpeg fonts-dejavu-core libopenmpi-dev openmpi-bin$'

# Removed with its settings kept is missing as well.
fresh
make_fake dpkg-query 'case "$*" in *cmake*) echo config-files ;; *) echo installed ;; esac'
run 0
called 'install .* cmake$'

# No package lists: fetched first.
fresh
make_fake dpkg-query 'exit 1'
make_fake apt-cache 'exit 100'
run 0
called 'apt-get .*update'
called 'install .*build-essential .*libhdf5-dev'

# Stale lists: the first attempt fails, then fetched, then again.
fresh
make_fake dpkg-query 'exit 1'
make_fake apt-get "case \"\$*\" in *update*) >'$scratch/updated' ;; *) [ -e '$scratch/updated' ] ;; esac"
run 0
called 'apt-get .*update'

# A failure is passed on.
fresh
make_fake dpkg-query 'exit 1'
make_fake apt-get 'exit 100'
run 100

# Not root, no sudo: the exact command.
fresh
make_fake id 'echo 1000'
make_fake dpkg-query 'case "$*" in *libyaml-dev*) exit 1 ;; esac; echo installed'
run 1
says stderr 'apt-get update && apt-get install --no-install-recommends libyaml-dev'
not_called 'apt-get'

# Not root, sudo without a password.
make_fake sudo 'exec "$@"'
printf '#!/bin/sh\n[ "$1" = -n ] && exit 0\nexec "$@"\n' >"$fake/sudo"
run 0
called 'apt-get .*install'

# Not root, sudo would ask and nobody is there to answer.
fresh
make_fake id 'echo 1000'
make_fake dpkg-query 'exit 1'
make_fake sudo 'exit 1'
run 1
says stderr 'As root, run'

# Not Debian: silent where the tools are there, a list of what is needed otherwise.
fresh
rm "$fake/dpkg-query"
for name in cc cmake ninja pkg-config; do
    make_fake $name 'exit 0'
done
run 0
silent stderr
rm "$fake/ninja"
run 1
says stderr 'missing: ninja'
says stderr 'libyaml'
run 1 --tests
says stderr 'missing: node npm chromium ffmpeg'
finish
