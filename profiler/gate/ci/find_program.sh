#!/bin/sh
# Prints "program=PATH": $ZEROSTALL, else what PATH has, else one that is built from the sources beside this script.
set -eu
program=${ZEROSTALL:-}
if [ -z "$program" ]; then
  program=$(command -v zerostall || true)
fi
if [ -z "$program" ]; then
  root=$(cd "$(dirname "$0")/../../.." && pwd)
  echo "zerostall is not in PATH: building it from $root" >&2
  "$root/dev" product >&2
  program=$root/build/product/bin/zerostall
fi
if ! "$program" --version >&2; then
  echo "::error::zerostall cannot be run: $program" >&2
  exit 4
fi
echo "program=$program"
