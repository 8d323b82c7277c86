#!/bin/sh
# tools/check_bundle accepts the bundle that the sources give and refuses any other; tools/viewer_packages asks npm only when it
# must and tells a registry out of reach from a lock file that does not fit. Usage: test_bundle.sh SOURCE_DIR
. "$1/tests/lib.sh"
check=$1/tools/check_bundle
packages=$1/tools/viewer_packages
tree=$scratch/tree
fake=$scratch/bin
mkdir -p "$tree/viewer/dist" "$tree/viewer/node_modules" "$fake"

# Not even Node: skipped, and it says so.
for name in sh dirname cat cmp grep head mktemp cp rm mkdir flock; do
    ln -s "$(command -v $name)" "$fake/$name"
done
cd "$tree" || exit 1
expect 77 env PATH="$fake" "$packages" "$tree"
says stderr 'node is not installed'

command -v node >/dev/null 2>&1 || { echo "no node: the rest cannot be tried"; exit 77; }
ln -s "$(command -v node)" "$fake/node"

# A made-up npm: writes down that it was called, prints $scratch/npm-says, ends with the code in $scratch/npm-code.
cat >"$fake/npm" <<END
#!/bin/sh
echo "npm \$*" >>"$scratch/calls"
mkdir -p node_modules
cat "$scratch/npm-says" >&2
exit \$(cat "$scratch/npm-code")
END
chmod +x "$fake/npm"
npm_will() { # exit code, text
    echo "$1" >"$scratch/npm-code"
    echo "$2" >"$scratch/npm-says"
    : >"$scratch/calls"
}

echo '{}' >"$tree/viewer/package-lock.json"
npm_will 1 'npm ERR! code EAI_AGAIN'
expect 77 env PATH="$fake" "$packages" "$tree"
says stderr 'could not fetch the packages'
npm_will 1 'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync'
expect 1 env PATH="$fake" "$packages" "$tree"
says stderr 'npm ci failed'
npm_will 0 ''
expect 0 env PATH="$fake" "$packages" "$tree"
grep -q 'npm ci' "$scratch/calls" || fail 'npm ci was not called'

# What is there is not fetched again, until the lock file changes.
npm_will 1 'must not be called'
expect 0 env PATH="$fake" "$packages" "$tree"
echo '{"changed": true}' >"$tree/viewer/package-lock.json"
expect 1 env PATH="$fake" "$packages" "$tree"
npm_will 0 ''
expect 0 env PATH="$fake" "$packages" "$tree"

# The bundle itself.
cat >"$tree/viewer/build.mjs" <<'END'
import { copyFileSync } from "node:fs";
copyFileSync(new URL("source", import.meta.url), process.argv[2]);
END
echo one >"$tree/viewer/source"
expect 1 env PATH="$fake" "$check" "$tree"
says stderr "'make viewer' makes it anew"
echo one >"$tree/viewer/dist/viewer.html"
expect 0 env PATH="$fake" "$check" "$tree"
echo two >"$tree/viewer/source"
expect 1 env PATH="$fake" "$check" "$tree"
says stderr "'make viewer' makes it anew"
echo 'not a program' >"$tree/viewer/build.mjs"
expect 1 env PATH="$fake" "$check" "$tree"
says stderr 'cannot be bundled'
finish
