# Sourced by scripts in the root of the repository: runs `npm ci` unless node_modules is what the lock
# file says, and sets NODE to the Node that runs the project.

fail() {
  echo "$1" >&2
  exit 1
}

for program in node npm; do
  command -v "$program" >/dev/null || fail "$program was not found: install Node 20 or newer with npm"
done
[ "$(node -p 'parseInt(process.versions.node)')" -ge 20 ] ||
  fail "Node $(node -p process.versions.node) is too old: install Node 20 or newer"

if ! reason=$(node bin/launch/check-installed.js); then
  echo "Installing the dependencies ($reason); this takes about a quarter of a minute …"
  started=$(date +%s)
  npm ci --ignore-scripts
  echo "Installed in $(($(date +%s) - started)) s."
fi

# The project brings its Node for Linux on x64 and arm64.
NODE=node
[ ! -x node_modules/.bin/node ] || NODE=node_modules/.bin/node
"$NODE" -e 'const [major, minor] = process.versions.node.split(".").map(Number);
  process.exit(major > 24 || (major === 24 && minor >= 12) ? 0 : 1)' ||
  fail "Node $("$NODE" -p process.versions.node) is too old, and none comes with the project for this system: install Node 24.12 or newer"
