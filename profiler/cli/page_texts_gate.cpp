// Pages of the gate: judging runs, and the files around it.
#include <fmt/format.h>

#include "profiler/cli/page.h"
#include "profiler/gate/policy_file.h"

namespace zerostall::cli {
namespace {

Page check_page() {
  Page page{"check", TakesCommand::optional};
  page.sections = {
      {"",
       "Runs the command of the policy (or the one behind `--`, or reads traces), judges each step, and says pass, "
       "violation or cannot tell, with the reasons. `zerostall init -- COMMAND` writes a policy to start from; "
       "`zerostall "
       "init --help` tells its keys. A baseline (`zerostall baseline update`) holds what was agreed to: it must not "
       "get "
       "more.\n\n"
       "Counts are judged exactly. Times fail only where they were measured, and are significantly more (p < 0.01)."},
      {"Formats of --out",
       "",
       {{"text", "for people (what is printed without --out)"},
        {"md", "pull request comment, $GITHUB_STEP_SUMMARY"},
        {"github", "annotations at file and line"},
        {"gitlab", "code quality report"},
        {"junit", "one test case for each limit"},
        {"sarif", "code scanning (2.1.0)"},
        {"json", "schema zerostall/check/1; --schema prints its JSON Schema"},
        {"bencher", "Bencher Metric Format"},
        {"html", "one page to open in a browser"}}}};
  page.examples = {
      {"zerostall check", "all from zerostall.toml"},
      {"zerostall check --max waits=0 --device sim -- python train.py", "no file needed, no GPU either",
       "violation: 1 of 1 budget exceeded in 5 judged steps (simulated H200), at most 1 wait per step\n"
       "  error    waits: at most 0 in each step; found 1 in step 2, over in 5 of 5 judged steps:\n"
       "           train.py:6 in log_metrics (scalar-read)"},
      {"zerostall check run.zstall --policy gate.toml --baseline zerostall.baseline.json",
       "a trace that is there, against what was agreed to"},
      {"zerostall check --out junit=waits.xml --out md=- >> $GITHUB_STEP_SUMMARY", "in CI, for machines and people"},
      {"zerostall check --before-rev origin/main --max step_time.median=40ms -- python train.py",
       "against another revision, in the same job"}};
  page.exit_codes = {{"0", "pass"},
                     {"1", "violation"},
                     {"2", "bad option, policy or file"},
                     {"3", "cannot tell (0 with cannot_tell = \"warn\")"},
                     {"4", "the command failed or could not be recorded"}};
  page.see_also = {"init", "baseline", "history", "record"};
  return page;
}

Page baseline_page() {
  Page page{"baseline"};
  page.sections = {
      {"",
       "A baseline is a file for your repository, one waiting place a line: `zerostall check --baseline FILE` fails a "
       "run "
       "that waits at another place, more at once or more often than it says. Line numbers are not in it, and the "
       "number "
       "of steps of a run need not be the same. `update` takes over what improved by itself; what got worse only with "
       "--accept-more."}};
  page.examples = {{"zerostall baseline update run.zstall", "the first time: writes zerostall.baseline.json"},
                   {"zerostall baseline update", "runs the command of zerostall.toml"},
                   {"zerostall baseline show", "what was agreed to, as a table"}};
  page.exit_codes = {{"0", "written, shown or still true"},
                     {"1", "something got worse, nothing was written"},
                     {"2", "bad option, policy or file"},
                     {"3",
                      "the run cannot be a baseline (cut off, records lost, no marked steps), or is of another "
                      "device or size"},
                     {"4", "environment, or the command failed"}};
  page.see_also = {"check", "history"};
  return page;
}

Page history_page() {
  Page page{"history"};
  page.sections = {{"",
                    "One SQLite file with the counts of each commit, by device, program, number of ranks and branch. "
                    "Adding a commit "
                    "again replaces it; several jobs may add at the same time."}};
  page.examples = {
      {"zerostall history add run.zstall", "HEAD of the repository here"},
      {"zerostall history add run.zstall --commit \"$CI_COMMIT_SHA\" --branch main", "in CI"},
      {"zerostall history show --metric stream_syncs", "a row for each commit, and the first one with more"},
      {"zerostall history plot", "the same as a line, in the terminal"}};
  page.exit_codes = {{"0", "added or shown"},
                     {"2", "bad option, missing or damaged file, no commit"},
                     {"3", "the run has no counts to keep (cut off, records lost, no marked steps)"}};
  page.see_also = {"check", "baseline"};
  return page;
}

// Every key of a policy, from where they are read.
Section policy_section() {
  Section section{"Keys of a policy", "TOML; unknown keys are refused."};
  for (const PolicyKey& key : policy_keys())
    section.terms.push_back({std::string(key.key), fmt::format("{}: {}; {} = {}", key.type, key.meaning,
                                                               key.key.substr(key.key.rfind('.') + 1), key.example)});
  return section;
}

Page init_page() {
  Page page{"init", TakesCommand::optional};
  page.sections = {
      {"",
       "The command is run and recorded as `record` does it; what it prints goes to standard error. The policy limits "
       "each "
       "step to the counts that were seen, so that `zerostall check` fails when a change adds a wait, and says where "
       "the "
       "waits come from. Read it, lower what can be lower, and keep it beside the code. A policy that is there is "
       "never "
       "overwritten without --force."},
      {"Limits",
       "A limit on counts is hard. A limit on times is broken only by measured times that are significantly more, by "
       "least_effect too; on the simulated GPU times are modelled, and limits on them refused. A limit is a number "
       "(the "
       "most in any judged step), a time (\"2 ms\"), or a table:\n"
       "  waits = { max = 2, p95 = 1, level = \"warn\" }    several figures at once\n"
       "  waits = { at_most = 1, every = 50 }             at most 1 in any 50 judged\n"
       "                                                  steps in a row\n"
       "Files are named relative to the policy's folder."},
      policy_section()};
  page.examples = {{"zerostall init --device sim -- python train.py --steps 20", "writes zerostall.toml"},
                   {"zerostall init run.zstall -o -", "from a trace, shown only"}};
  page.exit_codes = {{"0", "written"},
                     {"2", "bad option, or a policy is there"},
                     {"3", "no steps to judge, or the program made no CUDA call"},
                     {"4", "the program failed or could not be recorded"},
                     {"N", "128 + n when signal n stopped it"}};
  page.see_also = {"check", "record"};
  return page;
}

}  // namespace

std::vector<Page> gate_pages() { return {check_page(), baseline_page(), history_page(), init_page()}; }

}  // namespace zerostall::cli
