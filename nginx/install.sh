#!/usr/bin/env bash
# install.sh DIR [VERSION]: an nginx with HTTP/3 in DIR, started as DIR/nginx. `install.sh --check DIR [VERSION]` says whether there is
# one, there or, when no version is asked for, in the system. A version is had where a suite has it: sid and trixie have one each.
#
# Debian 12 and Ubuntu 24.04 have no nginx with HTTP/3; newer suites of the same mirror have. Their packages (nginx and
# the libraries it needs, libc too) are unpacked below DIR and run through their own loader.
set -euo pipefail

# shellcheck source=nginx/debian-packages.sh
. "$(dirname "$(readlink -f "$0")")/debian-packages.sh"

has_http3() { case $("$1" -V 2>&1) in *http_v3_module*) ;; *) return 1 ;; esac; }

# The same order as src/servers/find-server.ts.
if [ "${1:-}" = --check ]; then
  if [ -n "${3:-}" ]; then [ -x "$2/nginx" ]; exit; fi
  if [ -n "${PRONGHORN_NGINX:-}" ]; then [ -x "$PRONGHORN_NGINX" ]; exit; fi
  [ ! -x "$2/nginx" ] || exit 0
  system=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v nginx) && has_http3 "$system"
  exit
fi

dir=$1 version=${2:-}
mkdir -p "$dir" && dir=$(cd "$dir" && pwd)
machine=$(uname -m)
find_suites

fetch() { # fetch SUITE: its nginx below $dir/root
  rm -rf "$dir/root" "$dir/nginx"
  use_suite "$1" "$dir" || return 1
  local offered
  offered=$(apt-cache show --no-all-versions nginx | sed -nE 's/^Version: ([0-9]+:)?([0-9.]+).*/\2/p')
  [ -z "$version" ] || [ "$version" = "$offered" ] || { echo "$ID $1 has nginx $offered, and $version was asked for" >&2; return 1; }
  # nginx's own dependencies, as that suite names them, without the scripts and services around them.
  local libraries
  libraries=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances nginx |
    grep -E '^(lib[a-z0-9.+-]+|zlib1g|openssl-provider-legacy|gcc-[0-9]+-base)$' | grep -vE '^(libpam|libselinux|libsystemd|libmount|libblkid|libsemanage|libdebconf)' | sort -u) || return 1
  # shellcheck disable=SC2086
  unpack "$dir" nginx $libraries || return 1
  rm -rf "$dir/apt"
}

wrap() { # the program DIR/nginx: that nginx through its own loader, wherever DIR is moved to
  local loader
  loader=$(cd "$dir" && find root/usr/lib root/lib -name 'ld-linux*.so.*' 2> /dev/null | head -n 1)
  [ -n "$loader" ] || return 1
  cat > "$dir/nginx" << W
#!/bin/sh
# nginx of another suite through its own loader and libraries; the machine's OpenSSL configuration is not for it.
here=\$(dirname "\$(readlink -f "\$0")")
OPENSSL_CONF=/dev/null exec "\$here/$loader" --library-path "\$here/root/usr/lib/$machine-linux-gnu" "\$here/root/usr/sbin/nginx" "\$@"
W
  chmod +x "$dir/nginx"
}

# shellcheck disable=SC2154
for suite in $suites; do
  echo "nginx from $ID $suite" >&2
  if (fetch "$suite") && wrap && has_http3 "$dir/nginx"; then
    "$dir/nginx" -v
    exit 0
  fi
  rm -f "$dir/nginx"
  echo "nginx from $ID $suite does not work here" >&2
done
exit 1
