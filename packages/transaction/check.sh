#!/usr/bin/env bash
# check.sh lint GO: format, vet and staticcheck of this folder. `check.sh unit GO`: its tests, by the race detector. GO is the folder that install.sh
# kept Go's things in. `check.sh has-compiler`: whether there is what the race detector needs.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
# shellcheck source=nginx/go.sh
. "$here/../../nginx/go.sh"

# Its runtime is C.
has_compiler() { command -v gcc > /dev/null && [ -e /usr/include/stdlib.h ]; }

lint() {
  local unformatted failed=0
  unformatted=$("$("$go" env GOROOT)/bin/gofmt" -l .)
  if [ -n "$unformatted" ]; then printf 'Go files that gofmt writes otherwise (gofmt -w packages/transaction):\n%s\n' "$unformatted" >&2; failed=1; fi
  "$go" vet ./... || failed=1
  # Of a module file of its own: what the linter needs decides nothing of what is built.
  STATICCHECK_CACHE=$kept/cache/staticcheck "$go" tool -modfile=go.tool.mod staticcheck ./... || failed=1
  return $failed
}

unit() {
  if ! has_compiler; then
    echo 'The tests of packages/transaction run WITHOUT THE RACE DETECTOR: it needs a C compiler (apt-get install gcc libc6-dev).' >&2
    CGO_ENABLED=0 "$go" test -vet=off ./...
  elif [ -z "$(find "$("$go" env GOROOT)/src/runtime/race/" -name '*linux*.syso')" ]; then
    echo "The tests of packages/transaction run WITHOUT THE RACE DETECTOR: $("$go" env GOROOT) has no runtime of it." >&2
    "$go" test -vet=off ./...
  else
    "$go" test -race -vet=off ./...
    # Those of unraced_test.go.
    CGO_ENABLED=0 "$go" test -vet=off -run 'TestMemoryOfTheServer|TestEarlyData' ./internal/workload
  fi
}

# What passed is not repeated while nothing of it has changed. Go itself knows that, but not of the same files elsewhere, as in a fresh clone.
content() {
  { find . -type f -print0 | sort -z | xargs -0 sha256sum; "$go" version; has_compiler && echo race; echo "${PRONGHORN_THOROUGH:-}"; } | sha256sum
}

case ${1:-} in
  has-compiler) has_compiler; exit ;;
  lint | unit) ;;
  *) echo 'check.sh: expected lint or unit, and a folder' >&2; exit 64 ;;
esac
mkdir -p "$2" && kept=$(cd "$2" && pwd)
use_go "$kept" 'the client of REST calls'
cd "$here"
now=$(content)
if [ "$(cat "$kept/passed-$1" 2> /dev/null)" = "$now" ]; then echo "packages/transaction: $1 passed, and nothing has changed since (to repeat it: rm $kept/passed-$1)"; exit; fi
"$1"
echo "$now" > "$kept/passed-$1"
