#!/usr/bin/env bash
# install.sh DIR: an nginx with HTTP/3 in DIR, started as DIR/nginx. `install.sh --check DIR` says whether there is one,
# there or in the system.
#
# Debian 12 and Ubuntu 24.04 have no nginx with HTTP/3; newer suites of the same mirror have. Their packages (nginx and
# the libraries it needs, libc too) are unpacked below DIR with apt lists of our own and run through their own loader, so
# the system stays as it is. The mirror is the one that this machine's apt uses. Ubuntu's suites were not tried yet.
set -euo pipefail

has_http3() { case $("$1" -V 2>&1) in *http_v3_module*) ;; *) return 1 ;; esac; }

# The same order as src/find-nginx.ts.
if [ "${1:-}" = --check ]; then
  if [ -n "${PRONGHORN_NGINX:-}" ]; then [ -x "$PRONGHORN_NGINX" ]; exit; fi
  [ ! -x "$2/nginx" ] || exit 0
  system=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v nginx) && has_http3 "$system"
  exit
fi

dir=$1
mkdir -p "$dir" && dir=$(cd "$dir" && pwd)

# shellcheck disable=SC1091
. /etc/os-release
case $ID in
  debian) suites='sid trixie' component=main keyring=/usr/share/keyrings/debian-archive-keyring.gpg ;;
  ubuntu) suites='resolute questing' component='main universe' keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg ;;
  *) echo "no nginx packages are known for $ID" >&2; exit 1 ;;
esac

machine=$(uname -m)
# Others name their own sites so too (…/linux/debian): the label is the distribution's, where apt has read it already.
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(SITE) $(LABEL)' 'Created-By: Packages' 2> /dev/null |
  awk -v id="$ID" '$1 == "main" && $2 !~ /-security$/ && (tolower($4) == id || ($4 == "" && $3 ~ "/" id "(-ports)?/?$")) && site == "" { site = $3 } END { print site }')
[ -n "$mirror" ] || { echo "no $ID mirror in this machine's apt sources" >&2; exit 1; }

fetch() { # fetch SUITE: its nginx below $dir/root
  local suite=$1 apt=$dir/apt
  rm -rf "$apt" "$dir/root" "$dir/nginx"
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts} "$dir/root"
  echo "deb [signed-by=$keyring] $mirror $suite $component" > "$apt/sources.list"
  : > "$apt/status"
  cat > "$apt/apt.conf" << C
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/parts";
Dir::Etc::preferencesparts "$apt/parts";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "3";
C
  local APT_CONFIG=$apt/apt.conf
  export APT_CONFIG
  apt-get -qq update || return 1
  # nginx's own dependencies, as that suite names them, without the scripts and services around them.
  local libraries
  libraries=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances nginx |
    grep -E '^(lib[a-z0-9.+-]+|zlib1g|openssl-provider-legacy|gcc-[0-9]+-base)$' | grep -vE '^(libpam|libselinux|libsystemd|libmount|libblkid|libsemanage|libdebconf)' | sort -u) || return 1
  # shellcheck disable=SC2086
  (cd "$apt" && apt-get -qq download nginx $libraries) || return 1
  local deb
  for deb in "$apt"/*.deb; do dpkg -x "$deb" "$dir/root" || return 1; done
  rm -rf "$apt"
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
