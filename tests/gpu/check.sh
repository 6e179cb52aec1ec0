#!/usr/bin/env bash
# What can be learned only on a machine with a GPU, in one short run. Build first (./dev build), then:
#   tests/gpu/check.sh [RESULTS_FOLDER]
# CUDART names a real libcudart.so.13 if the dynamic linker does not find one. Everything printed is also kept in RESULTS_FOLDER.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
results=${1:-build/gpu-check}
mkdir -p "$results"
bin=build/bin/zerostall contracts=build/tests/gpu/gpu_contracts
[ -n "${CUDART:-}" ] && export LD_LIBRARY_PATH="$(dirname "$CUDART")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
failed=0

step() {  # NAME COMMAND...: runs it, keeps what it says, goes on
  local name=$1 start=$SECONDS
  shift
  if timeout 240 "$@" >"$results/$name.log" 2>&1; then
    printf 'ok    %s (%d s)\n' "$name" $((SECONDS - start))
  else
    printf 'FAIL  %s: exit %d; end of %s:\n' "$name" $? "$results/$name.log"
    tail -n 12 "$results/$name.log"
    failed=1
  fi
}

nvidia-smi -L 2>/dev/null || echo 'no nvidia-smi'
step contracts "$contracts"
grep -E '^(FAIL|OPEN)' "$results/contracts.log"
step contracts-traced "$bin" record --device gpu -o "$results/contracts.zstall" -- "$contracts"
step contracts-stat "$bin" stat "$results/contracts.zstall" --json
step doctor "$bin" doctor --device gpu
[ -x build/lib/zerostall/zerostall-scenario ] && step verify-gpu "$bin" verify flux2 --size tiny --device gpu --json
exit $failed
