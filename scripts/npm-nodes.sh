#!/usr/bin/env bash
# Installs what the npm packages are tested on (npm/nodes: versions of Node.js, and
# npm's kin) by the lock file there. What is in place already is not done again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../npm/nodes"

# npm keeps what it installed in this file. Nothing of a package is run.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
