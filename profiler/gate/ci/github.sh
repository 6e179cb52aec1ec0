#!/bin/sh
# `zerostall check` as a step of a GitHub workflow. In: ZEROSTALL, INPUT_* (action.yml), GITHUB_* of the runner.
# Its exit code is that of the check, whatever becomes of the comment.
set -eu

report=$(mktemp -d "${RUNNER_TEMP:-/tmp}/zerostall-report.XXXXXXXX")

set -- check --out "github=$report/annotations.txt" --out "md=$report/report.md" --out "json=$report/report.json" \
  --out "junit=$report/junit.xml" --out "sarif=$report/report.sarif"
[ -z "${INPUT_POLICY:-}" ] || set -- "$@" --policy "$INPUT_POLICY"
[ -z "${INPUT_BASELINE:-}" ] || set -- "$@" --baseline "$INPUT_BASELINE"
[ -z "${INPUT_DEVICE:-}" ] || set -- "$@" --device "$INPUT_DEVICE"
while IFS= read -r limit; do
  [ -z "$limit" ] || set -- "$@" --max "$limit"
done <<LIMITS
${INPUT_MAX:-}
LIMITS
if [ -n "${INPUT_ARGS:-}" ]; then
  eval "set -- \"\$@\" $INPUT_ARGS"
fi
if [ -n "${INPUT_TRACE:-}" ]; then
  set -- "$@" "$INPUT_TRACE"
elif [ -n "${INPUT_COMMAND:-}" ]; then
  set -- "$@" -- sh -c "$INPUT_COMMAND"
fi

code=0
"$ZEROSTALL" "$@" || code=$?

verdict=
if [ -s "$report/report.json" ]; then
  verdict=$(sed -n 's/^ *"verdict": *"\([a-z-]*\)".*/\1/p' "$report/report.json" | head -n 1)
fi
{
  echo "exit-code=$code"
  echo "verdict=$verdict"
  echo "report=$report"
} >>"$GITHUB_OUTPUT"

if [ -s "$report/annotations.txt" ]; then cat "$report/annotations.txt"; fi
if [ ! -s "$report/report.md" ]; then
  echo "::error title=zerostall::check ended with code $code and judged nothing"
  exit "$code"
fi
cat "$report/report.md" >>"$GITHUB_STEP_SUMMARY"

# One comment on a pull request, found again by the marker in its last line.
comment() {
  number=$(sed -n 's/.*"number": *\([0-9]*\).*/\1/p' "$GITHUB_EVENT_PATH" | head -n 1)
  [ -n "$number" ] || return 1
  old=$(gh api "repos/$GITHUB_REPOSITORY/issues/$number/comments" --paginate \
    --jq '.[] | select(.body | contains("<!-- zerostall:check -->")) | .id' | head -n 1) || return 1
  if [ -n "$old" ]; then
    gh api --silent -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$old" -F "body=@$report/report.md"
  else
    gh api --silent -X POST "repos/$GITHUB_REPOSITORY/issues/$number/comments" -F "body=@$report/report.md"
  fi
}
case "${GITHUB_EVENT_NAME:-}" in
pull_request | pull_request_target)
  if [ "${INPUT_COMMENT:-true}" = true ] && ! comment 2>"$report/comment.log"; then
    echo "::notice title=zerostall::the comment could not be written (from a fork it may not be): the job summary has the same text"
  fi
  ;;
esac
exit "$code"
