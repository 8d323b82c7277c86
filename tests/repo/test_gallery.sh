#!/bin/sh
# tools/check_gallery accepts a good tree and refuses each kind of bad one. Usage: test_gallery.sh SOURCE_DIR
. "$1/tests/lib.sh"
tool=$1/tools/check_gallery
tree=$scratch/tree

# A good tree, to be spoilt in one place by each case.
fresh() {
    rm -rf "$tree"
    mkdir -p "$tree/scenes/ball" "$tree/tools"
    echo 'brunt: 1' >"$tree/scenes/ball/scene.yaml"
    echo '- {figure: status, is: done}' >"$tree/scenes/ball/expected.yaml"
    printf '# ball\n\n![A ball](picture.png)\n\nIt falls.\n' >"$tree/scenes/ball/README.md"
    printf '\211PNG\r\n\032\n0123456789' >"$tree/scenes/ball/picture.png"
    echo '| [ball](scenes/ball) | falls |' >"$tree/README.md"
    echo 'draw ball ball -- --time 1' >"$tree/tools/gallery_pictures"
}

refused() { # TEXT
    expect 1 "$tool" "$tree"
    says stderr "$1"
}

fresh
expect 0 "$tool" "$tree"
silent stderr

for file in scene.yaml expected.yaml README.md picture.png; do
    fresh
    rm "$tree/scenes/ball/$file"
    refused "scenes/ball has no $file"
done

fresh
echo 'GIF89a' >"$tree/scenes/ball/picture.png"
refused 'scenes/ball/picture.png is not a PNG'

fresh
head -c 200000 /dev/zero >>"$tree/scenes/ball/picture.png"
refused 'scenes/ball/picture.png has 200018 bytes'

fresh
printf '# ball\n\nIt falls.\n\nIt bounces.\n\n![A ball](picture.png)\n' >"$tree/scenes/ball/README.md"
refused 'scenes/ball/README.md does not start with its picture'

fresh
: >"$tree/README.md"
refused 'README.md does not list scenes/ball'

fresh
echo 'draw balloon balloon -- --time 1' >"$tree/tools/gallery_pictures"
refused 'tools/gallery_pictures does not draw ball'

fresh
rm -r "$tree/scenes/ball"
mkdir "$tree/scenes/empty"
refused 'scenes/empty has no scene.yaml'
finish
