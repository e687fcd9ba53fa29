#!/usr/bin/env bash
# install.sh DIR: the linters of lint/run.sh in DIR, a virtual environment of Python. `install.sh --check DIR` says whether they are there.
set -euo pipefail
requirements=$(dirname "$(readlink -f "$0")")/requirements.txt

if [ "${1:-}" = --check ]; then
  cmp -s "$requirements" "$2/installed"
  exit
fi

dir=$1
python3 -m venv --clear "$dir"
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --only-binary :all: --requirement "$requirements"

# promtool reads alert rules (docker/monitoring). No package index of Python has it: it is Debian's, and its test is skipped where apt-get has none.
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
if (cd "$unpacked" && apt-get download prometheus && dpkg -x prometheus_*.deb .); then
  cp "$unpacked/usr/bin/promtool" "$dir/bin/promtool"
else
  echo 'install.sh: apt-get has no package prometheus; rules of alerts are not checked by promtool' >&2
fi
cp "$requirements" "$dir/installed"
