// What a user of the gate asks for: budgets, waits that are let pass, and the run that is judged. Plain data; it is
// written by hand in a TOML file (policy_file.h), proposed by `zerostall init`, or given by options of `check`.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analyze/counters.h"
#include "profiler/base/units.h"

namespace zerostall {

using Date = std::chrono::year_month_day;

// What a broken rule does to the verdict.
enum class Level : std::uint8_t {
  error,  // a violation
  warn,   // said, and nothing else
  off,    // not even looked at
};
std::string_view name_of(Level level);  // "error"

// A figure of a step that a budget can limit: a counter of metrics.md, or a time that is no counter.
enum class MetricKind : std::uint8_t { counter, step_time, avoidable_idle };
struct Metric {
  std::string_view key;   // in a policy, --max and output: "waits", "h2d_stalls", "blocked_time", "step_time"
  std::string_view noun;  // "wait", "H2D stall": one of it; of times the name: "blocked time"
  MetricKind kind = MetricKind::counter;
  Counter counter = Counter::waits;  // of kind `counter`
  bool is_time = false;              // nanoseconds
};
// Every metric, in the order of output.
std::span<const Metric> all_metrics();
const Metric* find_metric(std::string_view key);  // null: no such metric

// Of the judged steps' figures, which one is limited.
enum class Statistic : std::uint8_t {
  max,     // the largest: every step is within the limit
  median,  // by nearest rank
  p95,
  total,   // the sum over all judged steps
  window,  // the largest sum of `Limit::steps` judged steps in a row: "at most N in every K steps"
};
std::string_view name_of(Statistic statistic);  // "max"
// What a bare number means: the maximum of a count; the median of a time, since one slow step is noise.
Statistic usual_statistic(const Metric& metric);

// Of counts: at most so many. Of times: metrics.md, "Runs": fails only when significantly more, by `least_effect` too.
struct Limit {
  Statistic of = Statistic::max;
  std::int64_t at_most = 0;        // a count, or nanoseconds
  std::int64_t steps = 0;          // of `window`: K
  std::optional<double> slower{};  // of times: instead of `at_most`, by how much more than before, 0.05 = 5 %
};

// What a budget looks at. Empty texts, and nullopt: everything.
struct Scope {
  enum class Part : std::uint8_t {
    steps,       // what works for the judged steps
    background,  // other threads during judged steps
    outside,     // all that is in no step, of the whole run; of it only Statistic::total makes sense
  };
  Part part = Part::steps;
  std::string region{};  // name, as the program marks it; exact
  std::string cause{};   // slug
  std::string site{};    // glob, see Allowance::site
  std::string device{};  // glob on the model's name: runs on other devices are not judged by this budget
  std::optional<std::int64_t> rank{};
  bool operator==(const Scope&) const = default;
};
// "in region train, cause scalar-read"; "" = everything.
std::string describe(const Scope& scope);

struct Budget {
  Scope scope;
  const Metric* metric = nullptr;  // of all_metrics()
  Limit limit;
  Level level = Level::error;
  std::uint32_t line = 0;  // in the policy file; 0 = from the command line
};
// "waits in region train: at most 0 in each step".
std::string describe(const Budget& budget);

// Waits that are let pass. All texts that are not empty must match.
struct Allowance {
  std::string site{};    // glob (* and ?) on "path:function" of the place, or on what `stat` shows of it
  std::string cause{};   // slug
  std::string kernel{};  // glob on the kernel launched last before the wait
  std::string region{};  // glob on one of the regions around it
  std::int64_t waits_per_step = 1;
  std::int64_t every = 1;  // steps: after a step that used it, the next that may is so many steps on
  std::string reason{};
  std::optional<Date> expires{};  // the first day on which it no longer holds
  std::uint32_t line = 0;         // in the policy file
};
// "trainer.py:log_metrics".
std::string describe(const Allowance& allowance);

enum class StepsWanted : std::uint8_t {
  marked,    // inferred steps are "cannot tell"
  inferred,  // they are good enough
};

// How to run what is judged; of a trace only what follows `device` means anything.
struct RunSettings {
  std::vector<std::string> command{};  // empty: there must be a trace
  std::string device = "auto";
  std::int64_t gpus = 1;     // simulated
  std::string sim_values{};  // file; "" = none
  std::optional<std::int64_t> seed{};
  std::int64_t warmup = 2;
  std::int64_t fewest_steps = 3;  // judged; never less than kFewestJudgedSteps
  StepsWanted steps = StepsWanted::marked;
  std::string step_pattern{};          // "" = the default
  std::vector<std::string> regions{};  // that rules name: ranges of these texts are regions, whoever made them
};

struct Policy {
  std::string file{};  // as the user named it; "" = there is none
  RunSettings run{};
  std::string baseline{};  // file, relative to that of the policy; "" = none
  std::vector<Budget> budgets{};
  std::vector<Allowance> allow{};
  Level cannot_tell = Level::error;    // warn: the exit code is 0 then, the verdict stays what it is
  bool unreal_is_cannot_tell = false;  // judged steps with read-backs without real values
  bool improved_is_violation = false;  // fewer waits than the baseline has
  Nanos least_effect_ns = 0;           // of time budgets
};

// Why a glob on places can match none; "" = it can. "train.py:31": line numbers are shown, and never compared.
std::string why_no_place(std::string_view glob);

// Sets RunSettings::regions by what the rules name.
void name_regions(Policy& policy);

// Whether a glob (* any text, ? any character, nothing else is special) matches all of a text. Linear in the text for
// each star.
bool glob_matches(std::string_view glob, std::string_view text);

}  // namespace zerostall
