#!/bin/sh
# Runs the tests on both stores on a fresh clone: installs what is missing, then `npm test`. `--all`: the slowest too.
# Needs Node 20 or newer and npm. Arguments are those of `npm test --`.
set -eu
cd "$(dirname "$0")/.."
. bin/launch/ensure-installed.sh

exec npm test -- "$@"
