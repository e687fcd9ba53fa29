#!/usr/bin/env bash
# install.sh DIR: browsertime in DIR, as pinned/package-lock.json has it. `install.sh --check DIR` says whether it is there.
#
# What packages would build or download while they are installed is not wanted: drivers are the distribution's, and what only phones and USB meters
# need is left out. npm knows where its registry is.
set -euo pipefail
pinned=$(dirname "$(readlink -f "$0")")/pinned

if [ "${1:-}" = --check ]; then
  cmp -s "$pinned/package-lock.json" "$2/package-lock.json" && [ -e "$2/node_modules/browsertime/package.json" ]
  exit
fi

dir=$1
# Into a folder beside, then renamed: an interrupted npm leaves files that the next one takes for whole.
rm -rf "$dir" "$dir.new"
mkdir -p "$dir.new"
cp "$pinned"/package*.json "$dir.new/"
export CHROMEDRIVER_SKIP_DOWNLOAD=1 GECKODRIVER_SKIP_DOWNLOAD=1 EDGEDRIVER_SKIP_DOWNLOAD=1
npm ci --prefix "$dir.new" --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error --prefer-offline
mv "$dir.new" "$dir"
