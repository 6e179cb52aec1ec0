#!/bin/sh
# man_pages_test.sh ZEROSTALL_PAGES: no formatter of man pages that is here warns of ours. Exit code 77: none is.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" man "$folder"
checked=
if command -v groff >/dev/null && [ -d /usr/share/groff ]; then
  checked=1
  for page in "$folder"/*.1; do groff -man -Tutf8 -ww "$page" >/dev/null 2>>"$folder/warnings" || true; done
fi
if command -v mandoc >/dev/null; then
  checked=1
  mandoc -Tlint -W warning "$folder"/*.1 >>"$folder/warnings" 2>&1 || true
fi
[ -n "$checked" ] || { echo "skipped: neither groff nor mandoc here"; exit 77; }
[ ! -s "$folder/warnings" ] || { cat "$folder/warnings"; exit 1; }
