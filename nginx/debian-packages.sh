# shellcheck shell=bash
# debian-packages.sh, for install.sh and install-caddy.sh to source: packages of newer suites of this machine's own
# distribution, with apt lists of our own, unpacked into a folder; the system stays as it is.
#
# The mirror is the one that this machine's apt uses. Ubuntu's suites were not tried yet.

# Sets: suites, component, keyring, mirror.
# shellcheck disable=SC2034
find_suites() {
  # shellcheck disable=SC1091
  . /etc/os-release
  case $ID in
    debian) suites='sid trixie' component=main keyring=/usr/share/keyrings/debian-archive-keyring.gpg ;;
    ubuntu) suites='resolute questing' component='main universe' keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg ;;
    *) echo "no packages of newer suites are known for $ID" >&2; return 1 ;;
  esac
  # Others name their own sites so too (…/linux/debian): the label is the distribution's, where apt has read it already.
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(SITE) $(LABEL)' 'Created-By: Packages' 2> /dev/null |
    awk -v id="$ID" '$1 == "main" && $2 !~ /-security$/ && (tolower($4) == id || ($4 == "" && $3 ~ "/" id "(-ports)?/?$")) && site == "" { site = $3 } END { print site }')
  [ -n "$mirror" ] || { echo "no $ID mirror in this machine's apt sources" >&2; return 1; }
}

# use_suite SUITE DIR: from here on apt-get and apt-cache see that suite alone, with all they keep in DIR/apt.
use_suite() {
  local apt=$2/apt
  rm -rf "$apt"
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts}
  # shellcheck disable=SC2154
  echo "deb [signed-by=$keyring] $mirror $1 $component" > "$apt/sources.list"
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
  export APT_CONFIG=$apt/apt.conf
  apt-get -qq update
}

# unpack DIR PACKAGE…: those packages of the suite in use, below DIR/root; the downloads stay in DIR/apt.
unpack() {
  local dir=$1 deb; shift
  mkdir -p "$dir/root"
  (cd "$dir/apt" && apt-get -qq download "$@") || return 1
  for deb in "$dir"/apt/*.deb; do dpkg -x "$deb" "$dir/root" || return 1; done
}
