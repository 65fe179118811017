#!/usr/bin/env bash
# Makes the pages of widely used libraries that the end-to-end tests drive
# (e2e/libraries): installs the packages that its lock file names, and builds
# the pages. What is in place already is not done again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../e2e/libraries"

# npm keeps what it installed in this file. Nothing of a package is run.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
exec node build.mjs
