#!/bin/sh
# Runs the demo on a fresh clone: installs what is missing, then lets an order outlive two crashes.
# Needs Node 20 or newer and npm. Options are those of examples/demo/run-demo.ts.
set -eu
cd "$(dirname "$0")/.."
. bin/launch/ensure-installed.sh

exec "$NODE" examples/demo/run-demo.ts "$@"
