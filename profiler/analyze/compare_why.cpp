// Whether two sides did the same work, as far as their traces tell, and what else to keep in mind.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/analyze/compare_parts.h"
#include "profiler/base/strings.h"

namespace zerostall::compare {
namespace {

constexpr std::int64_t kFewestJudged = 3;  // metrics.md: for a verdict
constexpr double kSameWork = 0.1;          // kernels that a fix may add or remove: a tenth of all

using Texts = std::vector<std::string>;

bool any_run(Side side, bool (*is)(const RunSummary&)) { return std::any_of(side.begin(), side.end(), is); }

// Both sides, and what they are called.
struct Sides {
  Side a, b;
  const SideWords& words;

  // "A", "B", "A and B"; "" = neither.
  std::string who(bool of_a, bool of_b) const {
    return std::string(of_a && of_b ? words.both : of_a ? words.a : of_b ? words.b : "");
  }
  std::string with(bool (*is)(const RunSummary&)) const { return who(any_run(a, is), any_run(b, is)); }
};

std::string texts_of(Side side, std::string (*text)(const RunSummary&)) {
  std::set<std::string> texts;
  for (const RunSummary& run : side) texts.insert(text(run));
  texts.erase("");
  return join(Texts(texts.begin(), texts.end()), ", ");
}

void if_different(Side a, Side b, std::string (*text)(const RunSummary&), std::string_view what, Texts& to) {
  const std::string of_a = texts_of(a, text), of_b = texts_of(b, text);
  if (!of_a.empty() && !of_b.empty() && of_a != of_b) to.push_back(fmt::format("{}: {} → {}", what, of_a, of_b));
}

std::int64_t judged_of(Side side) {
  std::int64_t judged = 0;
  for (const RunSummary& run : side) judged += run.judged();
  return judged;
}

double mean(const CountFigure& figure) {
  return figure.samples == 0 ? 0 : static_cast<double>(figure.sum) / static_cast<double>(figure.samples);
}

// Of several micro-steps each step has several times the kernels.
std::string multiple(double a, double b) {
  const double ratio = std::max(a, b) / std::max(1.0, std::min(a, b));
  const double whole = std::round(ratio);
  if (whole < 2 || whole > 64 || std::abs(ratio - whole) > 0.03 * whole) return "";
  return fmt::format(", {:.0f} times as many: accumulated gradients?", whole);
}

void compare_work(const Sides& sides, Comparison& comparison) {
  const auto &a = comparison.kernels.a, &b = comparison.kernels.b;
  if (!a || !b) {
    comparison.notes.push_back(fmt::format(
        "how many kernels ran is not known of {}: whether both do the same work cannot be told", sides.who(!a, !b)));
    return;
  }
  const double of_a = mean(*a), of_b = mean(*b);
  if (std::abs(of_a - of_b) <= kSameWork * std::max(of_a, of_b)) return;
  const bool steps = comparison.basis == Basis::step;
  comparison.reasons.push_back(fmt::format("kernels per {}: {:.0f} → {:.0f}{}", steps ? "step" : "run", of_a, of_b,
                                           steps ? multiple(of_a, of_b) : ""));
}

Confidence least_confidence(Side a, Side b) {
  Confidence least = Confidence::high;
  for (const Side side : {a, b})
    for (const RunSummary& run : side) least = std::min(least, run.steps_confidence.value_or(least));
  return least;
}

void look_at_steps(const Sides& sides, Comparison& comparison) {
  const auto [a, b, words] = sides;
  if (comparison.basis == Basis::run) {
    const auto without_steps = [](const RunSummary& run) { return run.steps.empty(); };
    const auto all_warm = [](const RunSummary& run) { return !run.steps.empty() && run.judged() == 0; };
    if (const auto who = sides.with(without_steps); !who.empty())
      comparison.reasons.push_back(
          fmt::format("no steps in {}: whole runs are compared, and a longer run has more of everything", who));
    if (const auto who = sides.with(all_warm); !who.empty())
      comparison.reasons.push_back(
          fmt::format("all steps of {} are warm-up: whole runs are compared (--warmup 0 judges every step)", who));
    return;
  }
  const bool few_a = judged_of(a) < kFewestJudged, few_b = judged_of(b) < kFewestJudged;
  if (few_a || few_b)
    comparison.notes.push_back(fmt::format("fewer than {} judged steps in {}", kFewestJudged, sides.who(few_a, few_b)));
  const auto inferred = [](const RunSummary& run) { return run.steps_from > StepsFrom::profiler; };
  if (const auto who = sides.with(inferred); !who.empty())
    comparison.notes.push_back(
        fmt::format("steps of {} are inferred, with {} confidence: nothing in the trace marks them", who,
                    name_of(least_confidence(a, b))));
  if_different(
      a, b, [](const RunSummary& run) { return std::string(name_of(run.steps_from)); }, "steps were found differently",
      comparison.notes);
}

void look_at_losses(const Sides& sides, Comparison& comparison) {
  if (const auto who = sides.with([](const RunSummary& run) { return run.truncated; }); !who.empty())
    if (comparison.basis == Basis::run || sides.words.losses)
      (comparison.basis == Basis::run ? comparison.reasons : comparison.notes)
          .push_back(fmt::format("the trace of {} is not complete: what comes after its end is not counted", who));
  if (const auto who = sides.with([](const RunSummary& run) { return run.lost > 0; });
      !who.empty() && sides.words.losses)
    comparison.notes.push_back(fmt::format("records of GPU work are lost in {}", who));
  const auto unsupported = [](const RunSummary& run) {
    return std::any_of(run.steps.begin(), run.steps.end(),
                       [](const StepRow& step) { return step.judged && !step.unsupported.empty(); });
  };
  if (const auto who = sides.with(unsupported); !who.empty())
    comparison.reasons.push_back(
        fmt::format("judged steps of {} made calls that the simulated GPU does not support", who));
  if (const auto who = sides.with([](const RunSummary& run) { return !run.unknown.empty(); }); !who.empty())
    comparison.notes.push_back(fmt::format("{} made calls of which it is not known whether they wait", who));
  const auto unreal = [](const RunSummary& run) { return run.unreal_readbacks.judged > 0; };
  if (const auto who = sides.with(unreal); !who.empty())
    comparison.notes.push_back(fmt::format(
        "read-backs of {} had no real value (simulated GPU): waits behind branches on them were not seen", who));
}

std::string waits_per_step(const RunSummary& run) {
  const auto& waits = run.per_step[Counter::waits];
  return waits ? fmt::format("{}", waits->median) : "";
}

// Runs of one side that do not agree say that the program does not do the same each time.
void look_at_runs(Side side, std::string_view runs, Comparison& comparison) {
  std::set<std::string> medians;
  for (const RunSummary& run : side) medians.insert(waits_per_step(run));
  medians.erase("");
  if (comparison.basis == Basis::step && medians.size() > 1)
    comparison.notes.push_back(fmt::format("{} differ among themselves in waits per step: {}", runs,
                                           join(Texts(medians.begin(), medians.end()), ", ")));
}

}  // namespace

void say_why(Side a, Side b, const SideWords& words, Comparison& comparison) {
  const Sides sides{a, b, words};
  look_at_steps(sides, comparison);
  compare_work(sides, comparison);
  if (!comparison.simulated_against_measured)
    if_different(
        a, b, [](const RunSummary& run) { return run.meta.device_name; }, "device", comparison.reasons);
  if_different(
      a, b, [](const RunSummary& run) { return run.meta.world_size ? fmt::format("{}", *run.meta.world_size) : ""; },
      "processes of the job", comparison.reasons);
  look_at_losses(sides, comparison);
  if_different(
      a, b, [](const RunSummary& run) { return run.meta.script; }, "program", comparison.notes);
  if (!comparison.waits.resized.empty())
    comparison.notes.push_back("some copies have other sizes: other shapes or batches, or data of varying size");
  look_at_runs(a, words.runs_of_a, comparison);
  look_at_runs(b, words.runs_of_b, comparison);
}

}  // namespace zerostall::compare
