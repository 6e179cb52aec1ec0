#!/bin/bash
# What clean_root.sh does inside a root: inside_root.sh deb|archive. Everything to try lies in /try.
set -euo pipefail
cd /try
shown() { printf '$ %s\n' "$*"; "$@"; }
fail() { echo "FAILED: $*"; exit 1; }

# Everything but what apt and dpkg keep for themselves.
files() {
  find / -xdev \( -path /try -o -path /tmp -o -path /proc -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /sys \) -prune -o -print | sort
}

use_program() {
  shown zerostall --version
  shown zerostall doctor --device sim >doctor.txt || fail "doctor: $(cat doctor.txt)"
  head -n 12 doctor.txt
  shown zerostall stat trace/* >stat.txt
  head -n 6 stat.txt
}

# A program that was built against the package; it loads the CUDA runtime, of which there is only the simulated one.
record_program() {  # PROGRAM
  rm -f run.zstall
  shown zerostall record --device sim -o run.zstall -- "$1" waits
  shown zerostall stat run.zstall | head -n 8
  local code=0
  shown zerostall check --max waits=0 run.zstall >check.txt || code=$?
  [ $code = 1 ] || fail "check: exit code $code instead of 1: $(cat check.txt)"
  shown zerostall check --max waits=1 run.zstall | head -n 2
}

install_it() { apt-get install -y -qq --no-install-recommends "$@" >apt.log 2>&1 || { cat apt.log; fail "apt-get install $*"; }; }
purge_it() { apt-get purge -y -qq --autoremove zerostall >apt.log 2>&1 || { cat apt.log; fail "apt-get purge"; }; }

deb() {
  apt-get update -qq
  files >before.txt
  shown install_it ./zerostall.deb
  shown dpkg-query -W -f='${Package} ${Version}, ${Installed-Size} KiB, needs ${Depends}\n' zerostall
  use_program
  shown purge_it
  files >after.txt
  diff before.txt after.txt || fail "the package leaves files behind"
  echo "nothing is left behind"

  echo "with a compiler, CMake, Python and man"
  install_it gcc g++ cmake make python3 man-db ./zerostall.deb
  [ ! -e /usr/share/man/man1/zerostall.1 ] && [ ! -e /usr/share/man/man1/zerostall.1.gz ] || { shown man -P cat zerostall | head -n 5; }
  shown cmake -S consumer -B build -DCMAKE_BUILD_TYPE=Release >cmake.log || { cat cmake.log; fail "find_package"; }
  shown cmake --build build >build.log 2>&1 || { cat build.log; fail "build"; }
  (cd build && shown ctest --output-on-failure --no-tests=error) || fail "tests of the project"
  record_program build/train
  cat >train.py <<'PY'
import ctypes
cuda = ctypes.CDLL("libcudart.so.13")
mark = ctypes.CDLL(open("build/mark_library.txt").read().strip())
for step in range(6):
    mark.zerostall_step_begin(ctypes.c_long(step))
    cuda.cudaDeviceSynchronize()
    mark.zerostall_step_end()
PY
  shown zerostall record --device sim -o python.zstall -- python3 train.py
  shown zerostall check --max waits=1 python.zstall | head -n 2
  purge_it
  if find / -xdev -name '*zerostall*' -not -path '/try/*' -not -path '/tmp/*' -not -path '/proc/*' | grep .; then fail "left behind"; fi
}

archive() {
  shown tar xzf zerostall.tar.gz
  mkdir -p /elsewhere/deep /usr/local/bin
  mv zerostall-*/ /elsewhere/deep/tool
  ln -sf /elsewhere/deep/tool/bin/zerostall /usr/local/bin/zerostall
  export PATH=/usr/local/bin:$PATH
  mount --bind /elsewhere /elsewhere && mount -o remount,bind,ro /elsewhere
  ! touch /elsewhere/deep/tool/x 2>/dev/null || fail "the folder was to be read-only"
  use_program
  record_program ./train
}

"$@"
