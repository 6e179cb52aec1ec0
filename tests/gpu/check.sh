#!/usr/bin/env bash
# What can be learned only on a machine with a GPU, in one run of at most 8 minutes. Build first (./dev build), then:
#   tests/gpu/check.sh [RESULTS_FOLDER]
# Contracts; one size of each model with all fix settings; unmodified PyTorch programs; a table of real against simulated for
# every count; what the tracer costs on real steps. Everything printed is also kept in RESULTS_FOLDER.
#
# CUDART names a real libcudart.so.13 if the dynamic linker does not find one. CHECK_PYTHON is a Python with torch (default: that of
# the build). CHECK_DEVICE=sim runs the whole script on the simulated GPU, to know that it works. CHECK_BUDGET_S, CHECK_BUILD.
# Exit codes: 0 all alike, 1 something failed or differs, 4 no GPU at hand or nothing built.
# shellcheck disable=SC2317  # functions are called by name, in shells of their own
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 4
build=${CHECK_BUILD:-build}
results=${1:-$build/gpu-check}
device=${CHECK_DEVICE:-gpu}
budget_s=${CHECK_BUDGET_S:-480}
python=${CHECK_PYTHON:-$build/venv/bin/python}
bin=$build/bin/zerostall
contracts=$build/tests/gpu/gpu_contracts
scenario=$build/lib/zerostall/zerostall-scenario
if [ -n "${CUDART:-}" ]; then
  LD_LIBRARY_PATH=$(dirname "$CUDART")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi

for part in "$bin" "$contracts"; do
  [ -x "$part" ] || { echo "check.sh: $part is not built: run ./dev build" >&2; exit 4; }
done
if [ "$device" = gpu ] && ! why=$("$bin" doctor --device gpu); then
  echo "check.sh: no GPU at hand:$(sed -n 's/^problem *GPU */ /p' <<<"$why") (CHECK_DEVICE=sim tries the script without one)" >&2
  exit 4
fi
mkdir -p "$results"
rm -rf "$results"/{real,simulated,overhead}
mkdir -p "$results"/{real,simulated,overhead}
failed=0

left() { echo $((budget_s - SECONDS)); }

# NAME SECONDS COMMAND...: runs it within that time and within what is left of all, keeps what it says, goes on.
part() {
  local name=$1 most=$2 start=$SECONDS code=0 remaining
  shift 2
  remaining=$(left)
  if [ "$remaining" -lt 5 ]; then
    printf 'FAIL  %s: not run, the %d s are used up\n' "$name" "$budget_s"
    failed=1
    return 1
  fi
  timeout --kill-after=5 $((most < remaining ? most : remaining)) "$@" >"$results/$name.log" 2>&1 || code=$?
  if [ $code -eq 0 ]; then
    printf 'ok    %s (%d s)\n' "$name" $((SECONDS - start))
    return 0
  fi
  [ "$code" = 124 ] && code=timeout
  printf 'FAIL  %s (%d s): exit %s; end of %s:\n' "$name" $((SECONDS - start)) "$code" "$results/$name.log"
  tail -n 8 "$results/$name.log" | sed 's/^/        /'
  failed=1
  return 1
}

# The contracts decide by asking, not by linking: on the simulated GPU they need its libraries.
run_contracts() {
  part contracts 60 env ${sim_libraries:+LD_LIBRARY_PATH="$sim_libraries"} "$contracts"
  grep -E '^(FAIL|OPEN)' "$results/contracts.log"
  part contracts-traced 60 "$bin" record --quiet --device "$device" -o "$results/contracts.zstall" -- "$contracts"
  part contracts-stat 30 "$bin" stat "$results/contracts.zstall" --json
}

# verify_one SCENARIO "SIZES" DEVICE FOLDER SECONDS: the largest size that fits, the same on both sides. Its exit code 1 (a fix does not
# do what it claims) is a result to compare, not a failure of the run.
verify_one() {
  local size code file
  for size in $2; do
    file=$4/$1-$size
    timeout --kill-after=5 "$5" "$bin" verify "$1" --size "$size" --fix all --device "$3" --out json="$file.json" >/dev/null 2>"$file.err"
    code=$?
    [ "$code" -le 1 ] && return 0
    rm -f "$file.json"
    grep -qi 'out of memory' "$file.err" || { cat "$file.err"; return "$code"; }
    echo "$1 $size does not fit into this GPU's memory"
  done
  return 4
}

# verify DEVICE FOLDER SECONDS: one size of each model, with every fix that applies.
verify() {
  local failed=0
  verify_one flux2 "${CHECK_SIZE:-klein-9b klein-4b tiny}" "$1" "$2" "$3" || failed=$?
  verify_one ideogram4 "${CHECK_SIZE:-ideogram4 tiny}" "$1" "$2" "$3" || failed=$?
  verify_one ernie "${CHECK_SIZE:-ernie-image tiny}" "$1" "$2" "$3" || failed=$?
  return "$failed"
}

programs() {  # DEVICE FOLDER SECONDS JOBS
  "$python" -B tests/gpu/run_both.py --build "$build" --python "$python" --device "$1" --out "$2" --budget "$3" --jobs "$4" \
    tests/pytorch/programs/*.py
}

# Needs CPUs only: runs beside the real side.
simulated_side() {
  [ -x "$scenario" ] && verify sim "$results/simulated" 200
  [ "$torch_is_here" = 1 ] && programs sim "$results/simulated" $((budget_s - 130)) $(($(nproc) > 4 ? $(nproc) / 4 : 1))
}

sim_libraries=
[ "$device" = gpu ] || sim_libraries=$build/lib/zerostall/simgpu
nvidia-smi -L 2>/dev/null || echo 'no nvidia-smi'
part doctor 30 "$bin" doctor --device "$device"
run_contracts

# On a real GPU torch needs CUDA's real libraries as well, which the build's own environment lacks.
torch_is_here=0
asked='import torch; assert torch.cuda.is_available()'
[ "$device" = gpu ] || asked='import importlib.util; assert importlib.util.find_spec("torch")'
[ -x "$python" ] && "$python" -c "$asked" 2>"$results/torch.log" && torch_is_here=1
export -f verify verify_one programs simulated_side
export bin build python results scenario torch_is_here budget_s
setsid bash -c simulated_side >"$results/simulated-side.log" 2>&1 &
simulated=$!
if [ -x "$scenario" ]; then
  part verify 180 bash -c "verify $device $results/real 170"
  cat "$results/verify.log"
else
  echo 'skipped  verify: built without LibTorch'
fi
if [ $torch_is_here = 1 ]; then
  programs_s=$(($(left) - 125))  # what the overhead and the table need is kept
  part programs $programs_s bash -c "programs $device $results/real $((programs_s - 5)) 3"
  grep -v ': ran in' "$results/programs.log"
else
  echo "skipped  PyTorch programs and overhead: $python has no torch that works here (CHECK_PYTHON names another): $(tail -n 1 "$results/torch.log")"
fi
# In peace: the overhead is measured when nothing else runs.
while kill -0 "$simulated" 2>/dev/null && [ "$(left)" -gt 60 ]; do sleep 1; done
if kill -0 "$simulated" 2>/dev/null; then
  echo 'FAIL  simulated side: not finished'
  kill -- "-$simulated"
  failed=1
fi
if [ $torch_is_here = 1 ] && part overhead 110 "$python" -B tests/gpu/overhead.py --build "$build" --python "$python" --device "$device" \
  --out "$results/overhead" --budget 105; then
  echo "the tracer's cost on training steps:"
  sed 's/^/  /' "$results/overhead.log"
fi
[ "$device" = gpu ] && first=real || first="again"
python3 -B tests/gpu/compare_counts.py "$results/real" "$results/simulated" --first "$first" >"$results/table.txt" || failed=1
cat "$results/table.txt"
printf 'check.sh: %s after %d s; all of it is in %s\n' "$([ $failed = 0 ] && echo 'all well' || echo 'NOT all well')" $SECONDS "$results"
exit $failed
