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
"$dir/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir --only-binary :all: --requirement "$requirements"
cp "$requirements" "$dir/installed"
