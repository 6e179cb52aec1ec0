#!/bin/bash
# The packages of `./dev package`, tried in bare Debian roots: clean_root.sh PACKAGES CONSUMER TRACE [WORK]
#   PACKAGES  folder with one zerostall_*.deb and one zerostall-*.tar.gz
#   CONSUMER  tests/package/consumer
#   TRACE     a trace of another tool, for `stat`
#   WORK      folder for the roots; a base root in it is used again (default: a new one, removed at the end)
# Downloads about 60 MB for the base and 130 MB for the compiler. Exit code 77 and the reason where it cannot be tried here.
set -euo pipefail
packages=$(realpath "$1") consumer=$(realpath "$2") trace=$(realpath "$3")
mirror=${ZEROSTALL_MIRROR:-http://deb.debian.org/debian}
here=$(dirname "$(realpath "$0")")
skip() { echo "skipped: $*"; exit 77; }
say() { printf '== %s\n' "$*"; }

[ "$(id -u)" -eq 0 ] || skip "making a root needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
unshare --mount true 2>/dev/null || skip "no mount namespaces here"
timeout 60 bash -c "exec 3<>/dev/tcp/$(echo "$mirror" | sed -E 's|https?://([^/]+).*|\1|')/80" 2>/dev/null || skip "$mirror cannot be reached"
if [ $# -gt 3 ]; then
  work=$(realpath "$4"); mkdir -p "$work"
else
  work=$(mktemp -d /var/tmp/zerostall-roots-XXXXXX); trap 'rm -rf --one-file-system "$work"' EXIT
fi

# Runs a script of this folder inside a root; what is mounted is gone with its end.
inside() {  # ROOT SCRIPT [ARG...]
  local root=$1 script=$2; shift 2
  cp "$here/inside_root.sh" "$root/tmp/inside_root.sh"
  unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 http_proxy="$HTTP_PROXY_OF_ROOT" bash /tmp/inside_root.sh "$@"' "$root" "$script" "$@"
}
export HTTP_PROXY_OF_ROOT=${http_proxy:-}

fresh_root() {  # NAME BASE
  rm -rf --one-file-system "${work:?}/$1"
  cp -a --reflink=auto "$work/$2" "$work/$1"
  cp /etc/resolv.conf "$work/$1/etc/resolv.conf"
  mkdir -p "$work/$1/try"
  mkdir "$work/$1/try/trace"
  cp "$trace" "$work/$1/try/trace/"
}

if [ ! -e "$work/base/.ready" ]; then
  say "a bare Debian 12 root"
  rm -rf --one-file-system "$work/base"
  debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/debootstrap.log" 2>&1 || { tail -n 3 "$work/debootstrap.log"; skip "debootstrap failed"; }
  touch "$work/base/.ready"
fi

say "the Debian package"
fresh_root deb base
cp "$packages"/zerostall_*.deb "$work/deb/try/zerostall.deb"
cp -r "$consumer" "$work/deb/try/consumer"
inside "$work/deb" deb

say "the archive, where nothing was installed: Debian 12"
try_archive() {  # ROOT
  cp "$packages"/zerostall-*.tar.gz "$work/$1/try/zerostall.tar.gz"
  cp "$work"/deb/try/build/train "$work/$1/try/"
  inside "$work/$1" archive
}
fresh_root archive base
try_archive archive

keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
if [ -e "$work/jammy/.ready" ] || [ -f $keys ]; then
  say "the archive, where nothing was installed: Ubuntu 22.04"
  if [ ! -e "$work/jammy/.ready" ]; then
    rm -rf --one-file-system "$work/jammy"
    debootstrap --variant=minbase --keyring=$keys jammy "$work/jammy" http://archive.ubuntu.com/ubuntu >"$work/debootstrap.log" 2>&1
    touch "$work/jammy/.ready"
  fi
  fresh_root archive jammy
  try_archive archive
else
  echo "skipped: Ubuntu 22.04 (package ubuntu-keyring is not installed)"
fi
say "all passed"
