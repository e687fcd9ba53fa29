#!/usr/bin/env bash
# install.sh DIR: a User-Mode Linux guest with netem in DIR, for machines whose kernel has none. `install.sh --check DIR` says
# whether it is there, as this script would make it, or isn't needed.
#
# Kernel and its libc are packages of a newer Debian suite, unpacked with apt lists of our own; tc, ip and ethtool are this
# machine's. The system stays as it is. DIR may be moved; DIR/linux is started with DIR as working directory.
set -euo pipefail

PATH=$PATH:/usr/sbin:/sbin
here=$(dirname "$(readlink -f "$0")")
stamp() { cat "$here/install.sh" "$here/init" | sha256sum; }

# Without namespaces there is no link, and nothing to shape.
has_namespaces() { unshare --net true > /dev/null 2>&1; }
has_netem() { unshare --net sh -c 'tc qdisc add dev lo root netem delay 1ms' > /dev/null 2>&1; }

if [ "${1:-}" = --check ]; then
  { [ -x "$2/linux" ] && [ "$(cat "$2/stamp" 2> /dev/null)" = "$(stamp)" ]; } || ! has_namespaces || has_netem
  exit
fi

fail() {
  echo "The guest for the link was not installed: $1" >&2
  exit 1
}

# In the order in which they need each other.
modules=({llc,stp,bridge,veth,dummy,sch_netem,sch_tbf,sch_mqprio_lib,sch_taprio}'.ko*')

fetch() { # fetch SUITE MIRROR: its kernel, libc and busybox below root/
  mkdir -p apt/{lists/partial,cache/archives/partial,parts} root
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $2 $1 main" > apt/sources.list
  : > apt/status
  cat > apt/apt.conf << C
Dir::Etc::sourcelist "$PWD/apt/sources.list";
Dir::Etc::sourceparts "$PWD/apt/parts";
Dir::Etc::preferencesparts "$PWD/apt/parts";
Dir::State::lists "$PWD/apt/lists";
Dir::State::status "$PWD/apt/status";
Dir::Cache "$PWD/apt/cache";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "3";
C
  export APT_CONFIG=$PWD/apt/apt.conf
  apt-get -qq update
  (cd apt && apt-get -qq download user-mode-linux libc6 busybox-static)
  # Of the modules only those that are wanted: all of them are 140 MB.
  dpkg --fsys-tarfile apt/user-mode-linux_*.deb | tar -x -C root --wildcards './usr/bin/linux*' "${modules[@]/#/*/}"
  dpkg -x apt/libc6_*.deb root
  dpkg -x apt/busybox-static_*.deb root
  (cd apt && ls -- *.deb) > packages
}

# The kernel's own libc stands beside it. Its loader is named by a path of the same length, relative to the working
# directory: started through the loader instead, it would lay out its memory wrongly.
build_kernel() {
  mkdir lib
  cp -L root/usr/lib/x86_64-linux-gnu/{ld-linux-x86-64.so.2,libc.so.6} lib/
  LC_ALL=C sed 's#/lib64/ld-linux-x86-64\.so\.2#./lib//ld-linux-x86-64.so.2#' root/usr/bin/linux.uml > linux
  chmod 755 linux
}

build_initrd() {
  local tree=$PWD/initrd.tree program library module file folder number=10
  mkdir -p "$tree"/{bin,sbin,proc,sys,dev,modules}
  cp root/usr/bin/busybox "$tree/bin/busybox"
  ln -s busybox "$tree/bin/sh"
  install -m 755 "$here/init" "$tree/init"
  for program in tc ip ethtool; do
    cp -L "$(command -v "$program")" "$tree/sbin/$program"
    for library in $(ldd "$(command -v "$program")" | grep -oE '/[^ ]+'); do
      mkdir -p "$tree${library%/*}"
      [ -e "$tree$library" ] || cp -L "$library" "$tree$library"
    done
  done
  for folder in /usr/lib/x86_64-linux-gnu/tc /usr/lib/tc; do # of tables of delay distributions
    compgen -G "$folder/*.dist" > /dev/null || continue
    mkdir -p "$tree$folder"
    cp "$folder"/*.dist "$tree$folder/"
  done
  for module in "${modules[@]}"; do
    file=$(find root/usr/lib/uml -name "$module")
    [ -n "$file" ] || { echo "the package has no module $module" >&2; exit 1; }
    case $file in
      *.xz) xz -dc "$file" > "$tree/modules/$number.ko" ;;
      *) cp "$file" "$tree/modules/$number.ko" ;;
    esac
    number=$((number + 1))
  done
  (cd "$tree" && find . | sort | ./bin/busybox cpio -o -H newc 2> /dev/null) > initrd
}

starts() { # without a network; the only thing that it is asked is to go
  local said
  # With the memory that links give it: where addresses can't be kept from being random, as in the build of an image, it keeps books on up
  # to 1 GB more, for which 64 MB were too few in 9 of 14 starts.
  said=$(echo 'end busybox poweroff -f' | timeout 20 env LD_LIBRARY_PATH=lib ./linux mem=256M seccomp=on initrd=initrd uml_dir=/proc/ \
    con=null con0=null,fd:2 ssl=null ssl0=fd:0,fd:1 console=tty0 panic=-1 2> console) || true
  ! grep -q '^ready ' <<< "$said" || return 0
  { tail -n 20 console; tail -n 20 <<< "$said"; } >&2
  return 1
}

if [ "${1:-}" = --from ]; then # install.sh --from SUITE MIRROR DIR: a process of its own, so that any failure ends it
  rm -rf "$4"
  mkdir -p "$4"
  cd "$4"
  fetch "$2" "$3"
  build_kernel
  build_initrd
  starts
  rm -rf root apt initrd.tree console
  installed=$(stamp)
  echo "$installed" > stamp
  chmod -R a+rX . # the guest runs as a user that owns nothing
  exit
fi

dir=${1:?'usage: install.sh DIR'}
mkdir -p "$(dirname "$dir")"
dir=$(cd "$(dirname "$dir")" && pwd)/$(basename "$dir")

[ "$(uname -m)" = x86_64 ] || fail "Debian has the package user-mode-linux for amd64 and i386 only, and this machine is $(uname -m). A kernel with sch_netem does without it."
# shellcheck disable=SC1091
[ "$(. /etc/os-release && echo "$ID")" = debian ] || fail "only Debian has a kernel for it. Other systems have sch_netem in a package of their kernel: on Ubuntu, linux-modules-extra-$(uname -r)."
for program in tc ip ethtool; do command -v "$program" > /dev/null || fail "it needs tc, ip and ethtool, and $program is missing: install iproute2 and ethtool."; done

# Others name their own sites so too (…/linux/debian): the label is the distribution's, where apt has read it already.
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(SITE) $(LABEL)' 'Created-By: Packages' 2> /dev/null |
  awk '$1 == "main" && $2 !~ /-security$/ && (tolower($4) == "debian" || ($4 == "" && $3 ~ "/debian/?$")) && site == "" { site = $3 } END { print site }')
[ -n "$mirror" ] || fail "there is no Debian mirror in this machine's apt sources."

for suite in sid testing; do
  echo "user-mode-linux from Debian $suite" >&2
  if "$here/install.sh" --from "$suite" "$mirror" "$dir.new"; then
    rm -rf "$dir"
    mv "$dir.new" "$dir"
    exit 0
  fi
  echo "user-mode-linux from Debian $suite does not work here" >&2
done
rm -rf "$dir.new"
fail 'no Debian suite has one that works here.'
