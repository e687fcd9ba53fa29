# shellcheck shell=bash
# go.sh, for install-caddy.sh and packages/transaction/install.sh to source: a Go to build with, below $dir where this machine has none.

# shellcheck source=nginx/debian-packages.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/debian-packages.sh"

some_go() { # some_go WHAT: prints one that can bring a newer one of itself, to build that with
  find_go || fetch_go || { echo "no Go to build $1 with: this machine has none from 1.21 on, and no newer suite of its distribution was found to take one from" >&2; return 1; }
}

find_go() { # prints the machine's own, from 1.21 on
  local go version
  go=$(command -v go) || return 1
  version=$(cd / && GOTOOLCHAIN=local "$go" env GOVERSION)
  if [ "$(printf '%s\n' 1.21 "${version#go}" | sort -V | head -n 1)" = 1.21 ]; then echo "$go"; return; fi
  echo "$go is $version, and 1.21 or newer is needed" >&2
  return 1
}

fetch_go() { # prints the one of a newer suite, unpacked below $dir/root
  local suite package
  find_suites || return 1
  # shellcheck disable=SC2154
  for suite in $suites; do
    rm -rf "$dir/root"
    use_suite "$suite" "$dir" >&2 || continue
    package=$(apt-cache depends golang-go | sed -nE 's/^ *Depends: (golang-[0-9.]+)-go$/\1/p')
    if [ -z "$package" ] || ! unpack "$dir" "$package-go" "$package-src" >&2; then continue; fi
    echo "$dir/root/usr/lib/${package/golang-/go-}/bin/go"
    return
  done
  return 1
}
