# shellcheck shell=bash
# go.sh, for install-caddy.sh and the scripts of packages/transaction to source: a Go to build with, brought into a folder where this machine has none.

# shellcheck source=nginx/debian-packages.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/debian-packages.sh"

# use_go DIR WHAT: sets `go` to one that can bring a newer one of itself. All that it downloads, compiles or notes is in DIR, whose name is absolute.
use_go() {
  go=$(find_go || kept_go "$1" || fetch_go "$1") || {
    echo "no Go to build $2 with: this machine has none from 1.21 on, and no newer suite of its distribution was found to take one from" >&2
    return 1
  }
  # Go's own settings are the user's still; what it counts of its use is not kept among them.
  export GOENV=${GOENV-${XDG_CONFIG_HOME:-${HOME:-/root}/.config}/go/env}
  export XDG_CONFIG_HOME=$1/config GOPATH=$1/path GOMODCACHE=$1/path/pkg/mod GOCACHE=$1/cache GOTOOLCHAIN=auto GOFLAGS='-modcacherw -buildvcs=false'
}

# remove_go DIR: all of that. A toolchain that Go brought may not be written to.
remove_go() {
  chmod -R u+w "$1/path" 2> /dev/null || true
  rm -rf "$1"/{path,cache,config,root,apt}
}

find_go() { # prints the machine's own, from 1.21 on
  local go version
  go=$(command -v go) || return 1
  version=$(cd / && GOTOOLCHAIN=local "$go" env GOVERSION)
  if [ "$(printf '%s\n' 1.21 "${version#go}" | sort -V | head -n 1)" = 1.21 ]; then echo "$go"; return; fi
  echo "$go is $version, and 1.21 or newer is needed" >&2
  return 1
}

kept_go() { compgen -G "$1/root/usr/lib/go-*/bin/go"; }

fetch_go() { # fetch_go DIR: prints the one of a newer suite, unpacked below DIR/root
  local suite package
  find_suites || return 1
  # shellcheck disable=SC2154
  for suite in $suites; do
    rm -rf "$1/root"
    use_suite "$suite" "$1" >&2 || continue
    package=$(apt-cache depends golang-go | sed -nE 's/^ *Depends: (golang-[0-9.]+)-go$/\1/p')
    if [ -z "$package" ] || ! unpack "$1" "$package-go" "$package-src" >&2; then continue; fi
    rm -rf "$1/apt"
    kept_go "$1"
    return
  done
  return 1
}
