#!/bin/sh
# Builds the contents of the container image in an empty folder: the program under opt/svc, with its
# production dependencies and its Node, and its three commands under usr/local/bin.
#
#   deploy/build-image-root.sh <folder>
#
# The Dockerfile runs it, and so does test/deploy/image.test.ts, in a copy of the tree: the test covers
# exactly what the image runs. It needs npm and any Node from 20 on. It works in its own tree, and
# leaves node_modules and dist there.
set -eu

if [ $# -ne 1 ]; then
  echo "usage: $0 <empty folder for the root of the image>" >&2
  exit 2
fi
mkdir -p "$1"
root=$(cd "$1" && pwd)
if [ -n "$(ls -A "$root")" ]; then
  echo "$0: $root is not empty: name another folder, or empty it" >&2
  exit 2
fi
cd "$(dirname "$0")/.."

# Includes the development dependencies, because the compiler is one.
npm ci --prefer-offline --ignore-scripts

# Only the published package, which `npm pack` builds; then the production dependencies, as locked.
mkdir -p "$root/opt/svc" "$root/usr/local/bin" "$root/var/lib/svc"
package=$(npm pack --silent --pack-destination "$root")
tar -xzf "$root/$package" -C "$root/opt/svc" --strip-components=1
rm "$root/$package"
cp package-lock.json .npmrc "$root/opt/svc/"
(cd "$root/opt/svc" && npm ci --prefer-offline --ignore-scripts --omit=dev)
rm "$root/opt/svc/.npmrc"

# The image does not need the headers and manuals of Node.
rm -rf "$root"/opt/svc/node_modules/node-linux-*/include "$root"/opt/svc/node_modules/node-linux-*/share

for program in svc svc-api svc-scheduler; do
  chmod 755 "$root/opt/svc/bin/$program.js"
  ln -s "../../../opt/svc/bin/$program.js" "$root/usr/local/bin/$program"
done
ln -s ../../../opt/svc/node_modules/.bin/node "$root/usr/local/bin/node"
# Everyone may read and run it, and only its owner may change it.
chmod -R u=rwX,go=rX "$root"
echo "built $root: $(du -sm "$root" | cut -f1) MiB"
