#!/usr/bin/env bash
# install.sh DIR [GO]: builds the program of this folder as DIR/transaction. `install.sh --check DIR` says whether it is there and of these sources.
#
# With the machine's Go from 1.21 on, which brings the one that go.mod asks for, or else one of a newer suite. GOARCH builds it for another machine.
# What Go downloads and compiles on the way is removed, unless a folder GO is named to keep it in, as for check.sh.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
# shellcheck source=nginx/go.sh
. "$here/../../nginx/go.sh"

sources() { (cd "$here" && find . \( -name '*.go' ! -name '*_test.go' -o -name go.mod -o -name go.sum \) | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1); }

if [ "${1:-}" = --check ]; then
  if [ -n "${PRONGHORN_TRANSACTION:-}" ]; then [ -x "$PRONGHORN_TRANSACTION" ]; exit; fi
  [ -x "$2/transaction" ] && [ "$(cat "$2/sources" 2> /dev/null)" = "$(sources)" ]
  exit
fi

mkdir -p "$1" "${2:-$1/go}" && dir=$(cd "$1" && pwd) kept=$(cd "${2:-$1/go}" && pwd)
[ -n "${2:-}" ] || trap 'remove_go "$kept"; rmdir "$kept"' EXIT
use_go "$kept" 'the client of REST calls'
(cd "$here" && CGO_ENABLED=0 "$go" build -trimpath -o "$dir/transaction.new" ./cmd/transaction)
mv "$dir/transaction.new" "$dir/transaction"
sources > "$dir/sources"
[ -n "${GOARCH:-}" ] || "$dir/transaction" version
