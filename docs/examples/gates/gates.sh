#!/bin/sh
# Three gates against the demo's origin: one passes, one fails, one can't be told. Their reports go to a folder.
#
#   docs/examples/gates/gates.sh FOLDER [OPTION of `pronghorn gate`…]
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
mkdir -p "$folder"

# $1: name of the gate's file; $2: the demo's site; then options.
ask() {
  name=$1 site=$2
  shift 2
  "${PRONGHORN:-$here/../../../pronghorn}" gate --config "$here/$name.json" --sites "$site" --data "$folder/data" \
    --json "$folder/$name.json" --junit "$folder/$name.xml" --markdown "$folder/$name.md" "$@"
}

ask fast article "$@"
fast=$?
ask slow truth-late-load "$@"
slow=$?
ask unsure article "$@"
unsure=$?
# A pipeline that wants to be stopped by failures alone says so.
ask unsure article --exit-on inconclusive=0 "$@"
mapped=$?

echo "exit codes: fast $fast, slow $slow, unsure $unsure, unsure with inconclusive=0 $mapped"
[ "$fast $slow $unsure $mapped" = '0 1 3 0' ]
