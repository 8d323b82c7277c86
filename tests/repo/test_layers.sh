#!/bin/sh
# tools/check_layers accepts a good tree and refuses each kind of bad one. Usage: test_layers.sh SOURCE_DIR
. "$1/tests/lib.sh"
tool=$1/tools/check_layers

# A good tree, to be spoilt in one place by each case.
fresh() {
    tree=$scratch/tree
    rm -rf "$tree"
    mkdir -p "$tree/src/base" "$tree/src/geom/deep" "$tree/src/step/ipc" "$tree/src/step/sap" "$tree/cli" "$tree/examples"
    printf '# ranks\nbase\ngeom\nstep\nstep/ipc step/sap\n' >"$tree/src/LAYERS"
    echo '#include <stdio.h>' >"$tree/src/base/text.h"
    echo '#include "base/text.h"' >"$tree/src/geom/mesh.h"
    printf '#include "geom/mesh.h"\n  #  include "base/text.h"\n' >"$tree/src/geom/deep/tree.c"
    echo '#include "geom/mesh.h"' >"$tree/src/step/method.h"
    echo '#include "step/method.h"' >"$tree/src/step/ipc/ipc_step.h"
    echo '#include "step/method.h"' >"$tree/src/step/sap/sap_step.c"
    printf '#include "options.h"\n#include <brunt/brunt.h>\n' >"$tree/cli/main.c"
    echo '#include <brunt/brunt.h>' >"$tree/cli/options.h"
    echo '#include <brunt/brunt.h>' >"$tree/examples/minimal.c"
}

refused() { # TEXT
    expect 1 "$tool" "$tree"
    says stdout "$1"
}

fresh
expect 0 "$tool" "$tree"
silent stdout

fresh
echo '#include "geom/mesh.h"' >>"$tree/src/base/text.h"
refused 'src/base/text.h:2: base/ includes "geom/mesh.h" from the higher layer geom'

fresh
echo '#include "step/ipc/ipc_step.h"' >>"$tree/src/step/method.h"
refused 'from the higher layer step/ipc'

fresh
echo '#include "step/ipc/ipc_step.h"' >>"$tree/src/step/sap/sap_step.c"
refused 'from its sibling step/ipc'

fresh
echo '# include "step/method.h"' >>"$tree/src/geom/deep/tree.c"
refused 'src/geom/deep/tree.c:3'

fresh
echo '#include "../base/text.h"' >>"$tree/src/geom/mesh.h"
refused 'includes are written from there'

fresh
echo '#include "mesh.h"' >>"$tree/src/geom/deep/tree.c"
refused 'is not a file below src/'

fresh
touch "$tree/src/base/mesh.h"
refused 'src/geom/mesh.h: has the same name as src/base/mesh.h'

fresh
mkdir "$tree/src/other"
touch "$tree/src/other/new.c"
refused 'src/other/new.c: its folder is not listed in src/LAYERS'

fresh
echo '#include "../src/base/text.h"' >>"$tree/cli/main.c"
refused 'cli/main.c:3: cli/ includes "../src/base/text.h"'

fresh
echo '#include <base/text.h>' >>"$tree/cli/main.c"
refused '<base/text.h> is an internal header'

fresh
echo '#include "../src/base/text.h"' >>"$tree/examples/minimal.c"
refused 'an example includes'

fresh
rm "$tree/src/LAYERS"
expect 1 "$tool" "$tree"
finish
