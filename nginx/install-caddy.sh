#!/usr/bin/env bash
# install-caddy.sh DIR [VERSION]: a Caddy in DIR, started as DIR/caddy. `install-caddy.sh --check DIR [VERSION]` says whether there is
# one that the origin can use, there or, when no version is asked for, in the system.
#
# Without a version it is a package of a newer suite. Caddy is one Go program that needs nothing but libc, so the machine's own libc
# will do. DIR/built-with says with which Go and QUIC it was built: the program from a distribution doesn't know.
#
# A version is built by Go from the module of that version: the machine's Go from 1.21 on, which brings the one that the module asks for, or
# else one of a newer suite. Two versions that one Go built differ by what their sources differ by.
set -euo pipefail

# shellcheck source=nginx/go.sh
. "$(dirname "$(readlink -f "$0")")/go.sh"

is_new_enough() { # 2.10, as src/servers/find-server.ts wants it
  local version
  version=$("$1" version 2> /dev/null) || return 1
  version=${version%% *} version=${version#v}
  [ "$(printf '%s\n' 2.10 "$version" | sort -V | head -n 1)" = 2.10 ]
}

# The same order as src/servers/find-server.ts.
if [ "${1:-}" = --check ]; then
  if [ -n "${3:-}" ]; then [ -x "$2/caddy" ]; exit; fi
  if [ -n "${PRONGHORN_CADDY:-}" ]; then [ -x "$PRONGHORN_CADDY" ]; exit; fi
  [ ! -x "$2/caddy" ] || exit 0
  system=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v caddy) && is_new_enough "$system"
  exit
fi

dir=$1 version=${2:-}
mkdir -p "$dir" && dir=$(cd "$dir" && pwd)

# What Go downloads and compiles on the way, 1.5 GB, is not kept.
build() { # build VERSION
  local go
  use_go "$dir/go" "Caddy $1" || return 1
  echo "Caddy $1 by $go" >&2
  (cd "$dir" && GOBIN=$dir CGO_ENABLED=0 "$go" install "github.com/caddyserver/caddy/v2/cmd/caddy@v$1")
}

if [ -n "$version" ]; then
  mkdir -p "$dir/go"
  trap 'remove_go "$dir/go"; rm -d "$dir/go"' EXIT
  rm -f "$dir/caddy"
  build "$version"
  "$dir/caddy" build-info | grep -E '^go|quic-go'
  exit
fi

find_suites
fetch() { # fetch SUITE: its Caddy below $dir/root
  rm -rf "$dir/root" "$dir/caddy" "$dir/built-with"
  use_suite "$1" "$dir" || return 1
  unpack "$dir" caddy || return 1
  dpkg-deb -f "$dir"/apt/caddy_*.deb Static-Built-Using Built-Using | sed -E 's/^[A-Za-z-]+: //; s/, */\n/g' | sort -u > "$dir/built-with"
  rm -rf "$dir/apt"
}

# shellcheck disable=SC2154
for suite in $suites; do
  echo "Caddy from $ID $suite" >&2
  if (fetch "$suite") && is_new_enough "$dir/root/usr/bin/caddy"; then
    ln -s root/usr/bin/caddy "$dir/caddy"
    "$dir/caddy" version
    exit 0
  fi
  echo "Caddy from $ID $suite is not here, does not run here, or is older than 2.10" >&2
done
exit 1
