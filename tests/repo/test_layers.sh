#!/bin/sh
# tools/check_layers accepts a good tree and refuses each kind of bad one. Usage: test_layers.sh SOURCE_DIR
. "$1/tests/lib.sh"
tool=$1/tools/check_layers

# A good tree, to be spoilt in one place by each case.
fresh() {
    tree=$scratch/tree
    rm -rf "$tree"
    mkdir -p "$tree/src/base" "$tree/src/geom/deep" "$tree/src/step/ipc" "$tree/src/step/sap" \
        "$tree/cli/server" "$tree/cli/live" "$tree/examples"
    printf '# ranks\nbase\ngeom\nstep\nstep/ipc step/sap\n' >"$tree/src/LAYERS"
    echo '#include <stdio.h>' >"$tree/src/base/text.h"
    echo '#include "base/text.h"' >"$tree/src/geom/mesh.h"
    printf '#include "geom/mesh.h"\n  #  include "base/text.h"\n' >"$tree/src/geom/deep/tree.c"
    echo '#include "geom/mesh.h"' >"$tree/src/step/method.h"
    echo '#include "step/method.h"' >"$tree/src/step/ipc/ipc_step.h"
    echo '#include "step/method.h"' >"$tree/src/step/sap/sap_step.c"
    printf '# ranks\nserver live\n.\n' >"$tree/cli/LAYERS"
    printf '#include "server/server.h"\n#include <brunt/brunt.h>\n' >"$tree/cli/main.c"
    echo '#include <brunt/brunt.h>' >"$tree/cli/server/server.h"
    echo '#include <brunt/brunt.h>' >"$tree/cli/live/live.c"
    # Each type has one meaning; an opaque handle is announced in a second place, and names of .c files are theirs alone.
    cat >>"$tree/src/geom/mesh.h" <<'EOF'
typedef struct brn_mesh brn_mesh;
typedef enum brn_cell { BRN_TET, BRN_HEX } brn_cell;
typedef double brn_lanes __attribute__((vector_size(32)));
typedef void (*brn_cell_fn)(void *arg,
                            int cell);
EOF
    printf 'struct brn_mesh {\n    int n;\n};\ntypedef struct job {\n    int n;\n} job;\n' >>"$tree/src/geom/deep/tree.c"
    printf 'typedef struct job {\n    int m;\n} job;\n' >>"$tree/src/step/sap/sap_step.c"
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
refused 'src/base/text.h:2: src/base/ includes "geom/mesh.h" from the higher layer src/geom'

fresh
echo '#include "step/ipc/ipc_step.h"' >>"$tree/src/step/method.h"
refused 'from the higher layer src/step/ipc'

fresh
echo '#include "step/ipc/ipc_step.h"' >>"$tree/src/step/sap/sap_step.c"
refused 'from its sibling src/step/ipc'

fresh
echo '# include "step/method.h"' >>"$tree/src/geom/deep/tree.c"
refused 'src/geom/deep/tree.c:9: src/geom/ includes "step/method.h"'

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
echo '#include "live/live.h"' >>"$tree/cli/server/server.h"
touch "$tree/cli/live/live.h"
refused 'cli/server/server.h:2: cli/server/ includes "live/live.h" from its sibling cli/live'

fresh
touch "$tree/cli/top.h"
echo '#include "top.h"' >>"$tree/cli/live/live.c"
refused 'from the higher layer cli'

fresh
mkdir "$tree/cli/other"
touch "$tree/cli/other/new.c"
refused 'cli/other/new.c: its folder is not listed in cli/LAYERS'

# A second meaning of a type, however it is defined.
for text in 'struct brn_mesh {' 'typedef struct brn_cell {' 'typedef float brn_lanes;' 'enum brn_cell { BRN_ONE };' \
    'typedef int (*brn_cell_fn)(int);' '} brn_cell;' 'typedef float brn_lanes[3];'; do
    fresh
    echo "$text" >>"$tree/src/step/ipc/ipc_step.h"
    refused 'src/step/ipc/ipc_step.h:2: the type brn_'
done

fresh
echo 'typedef struct job {' >>"$tree/src/step/method.h"
refused 'the type job has another meaning at src/geom/deep/tree.c:'

fresh
rm "$tree/cli/LAYERS"
expect 1 "$tool" "$tree"

fresh
rm "$tree/src/LAYERS"
expect 1 "$tool" "$tree"
finish
