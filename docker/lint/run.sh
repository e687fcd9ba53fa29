#!/usr/bin/env bash
# Lints what no program of Node's reads: the Dockerfile, shell scripts, the manifests of Kubernetes. run.sh DIR, where install.sh put its linters.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
linters=$1/bin
cd "$here/../.."

if ! "$here/install.sh" --check "$1"; then
  echo "Dockerfile, shell scripts and manifests are not linted: $1 has no linters of $here/requirements.txt. Why is in $1.log; remove $1.failed to try again." >&2
  exit 0
fi

failed=0
"$linters/hadolint" --config "$here/hadolint.yaml" docker/Dockerfile || failed=1

mapfile -t scripts < <(grep -rlIE --exclude-dir={node_modules,.tools,.pronghorn,.git} --exclude='*.md' '^#!(/usr/bin/env bash|/bin/sh)$' .)
"$linters/shellcheck" --external-sources "${scripts[@]}" || failed=1

# By Python's -m: the scripts that pip writes name the folder in which they were written, which may have moved since.
# From the oldest Kubernetes that has all that they name to the newest whose schemas are here.
for version in 1.30 1.37; do
  "$linters/python" -m kubernetes_validate --strict --quiet --kubernetes-version "$version" docker/kubernetes/*.yaml || failed=1
done
exit $failed
