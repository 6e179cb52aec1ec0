#include "profiler/gate/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "profiler/gate/doubts.h"
#include "profiler/gate/surplus.h"

namespace zerostall {
namespace {

struct ShareField {
  Counter counter;
  std::int64_t Shares::*member;
  std::string_view noun;
};

// In the order in which a difference is reported: the first that differs speaks for the others.
constexpr auto kFields = std::to_array<ShareField>({
    {Counter::waits, &Shares::waits, "wait"},
    {Counter::stream_syncs, &Shares::stream_syncs, "stream sync"},
    {Counter::event_syncs, &Shares::event_syncs, "event sync"},
    {Counter::h2d_stalls, &Shares::h2d_stalls, "H2D stall"},
});

void add(Shares& sum, const Shares& part, std::int64_t factor) {
  for (const ShareField& f : kFields) sum.*f.member += factor * part.*f.member;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What one part of each judged step must show: a region, or (region "") all that lies in none of the claimed regions.
struct Expectation {
  std::string region;
  Shares shares;
  bool judged = true;  // false: VerifyPlan::listed, whatever it shows
};

std::vector<Expectation> expectations(const VerifyPlan& plan, const std::vector<std::string>& fixes) {
  std::vector<Expectation> expected = {{plan.region, {}}};
  const auto shares_in = [&](const std::string& region) -> Shares& {
    auto found = std::find_if(expected.begin(), expected.end(), [&](auto& e) { return e.region == region; });
    if (found == expected.end()) found = expected.insert(expected.end(), {region, {}});
    return found->shares;
  };
  for (const FixClaim& claim : plan.claims) {
    if (claim.in_baseline) add(shares_in(claim.region), claim.removes, 1);
    if (contains(fixes, claim.name)) add(shares_in(claim.region), claim.removes, -1);
  }
  for (const RestClaim& rest : plan.rest) add(shares_in(rest.region), rest.stays, 1);
  for (const std::string& region : plan.listed) expected.push_back({region, {}, false});
  expected.push_back({"", {}});
  return expected;
}

std::int64_t counted_in(const StepRow& step, const std::string& region, Counter counter) {
  for (const RegionRow& row : step.regions)
    if (row.name == region) return row.counters[counter].value_or(0);
  return 0;
}

std::int64_t actual(const StepRow& step, const std::vector<Expectation>& expected, const std::string& region,
                    Counter counter) {
  if (!region.empty()) return counted_in(step, region, counter);
  std::int64_t rest = step.counters[counter].value_or(0);
  for (const Expectation& e : expected)
    if (!e.region.empty()) rest -= counted_in(step, e.region, counter);
  return rest;
}

// The first way in which a part of the judged steps of a run is not as claimed.
struct Difference {
  const StepRow* step = nullptr;  // the first step that differs; null = none does
  const ShareField* field = nullptr;
  std::int64_t expected = 0, actual = 0;
  std::int64_t other_steps = 0;  // judged steps after it that differ too
  bool surplus = false;          // some step shows more than claimed of something
};

Difference compare(const RunSummary& run, const std::vector<Expectation>& all, const Expectation& part) {
  Difference difference;
  for (const StepRow& step : run.steps) {
    if (!step.judged) continue;
    const ShareField* differing = nullptr;
    for (const ShareField& field : kFields) {
      const std::int64_t shown = actual(step, all, part.region, field.counter);
      difference.surplus |= shown > part.shares.*field.member;
      if (differing == nullptr && shown != part.shares.*field.member) differing = &field;
    }
    if (differing == nullptr) continue;
    if (difference.step != nullptr) {
      ++difference.other_steps;
      continue;
    }
    difference.step = &step;
    difference.field = differing;
    difference.expected = part.shares.*differing->member;
    difference.actual = actual(step, all, part.region, differing->counter);
  }
  return difference;
}

// "in `load`", or for what lies in none of the claimed regions "outside `train` and `load`".
std::string place(const VerifyPlan& plan, const std::string& region) {
  if (!region.empty()) return fmt::format("in `{}`", region);
  std::vector<std::string> names;
  for (const Expectation& e : expectations(plan, {}))
    if (!e.region.empty() && e.judged) names.push_back(fmt::format("`{}`", e.region));
  return "outside " + join(names, " and ");
}

// "3 = bn-pinning 2 + async-loss 1 + staying 0" for the run without fixes.
std::string parts_of(const VerifyPlan& plan, const std::string& region, const ShareField& field) {
  std::vector<std::string> parts;
  for (const FixClaim& claim : plan.claims)
    if (claim.in_baseline && claim.region == region)
      parts.push_back(fmt::format("{} {}", claim.name, claim.removes.*field.member));
  std::int64_t staying = 0;
  for (const RestClaim& rest : plan.rest)
    if (rest.region == region) staying += rest.stays.*field.member;
  parts.push_back(fmt::format("staying {}", staying));
  return join(parts, " + ");
}

std::string explain(const VerifyPlan& plan, const VerifyRun& run, const Expectation& part, const Difference& d) {
  const std::string setting = setting_name(run.fixes);
  const std::string noun = counted(d.actual, d.field->noun);
  const bool is_claimed = std::any_of(plan.claims.begin(), plan.claims.end(),
                                      [&](const FixClaim& claim) { return claim.region == part.region; });
  if (!is_claimed)
    return fmt::format("{}: {} {} in step {}, expected {}", setting, noun, place(plan, part.region), d.step->number,
                       d.expected);
  if (run.fixes.empty())
    return fmt::format("no fix: {} in `{}` in step {}, expected {} ({})", noun, part.region, d.step->number, d.expected,
                       parts_of(plan, part.region, *d.field));
  std::int64_t claimed = 0;
  for (const FixClaim& claim : plan.claims)
    if (claim.region == part.region && contains(run.fixes, claim.name)) claimed += claim.removes.*d.field->member;
  const std::int64_t removed = claimed + d.expected - d.actual;
  if (claimed <= 0 || removed < 0 || removed > claimed)
    return fmt::format("{}: {} in `{}` in step {}, expected {}", setting, noun, part.region, d.step->number,
                       d.expected);
  return fmt::format("{} removed {} of {} in step {}", setting, removed, counted(claimed, d.field->noun),
                     d.step->number);
}

// How far a part of a step is from what is claimed for it.
Shares excess_in(const StepRow& step, const std::vector<Expectation>& all, const Expectation& part) {
  Shares excess;
  for (const ShareField& f : kFields)
    excess.*f.member = actual(step, all, part.region, f.counter) - part.shares.*f.member;
  return excess;
}

Blame blame_for(const VerifyPlan& plan, const std::vector<VerifyRun>& runs, const VerifyRun& run,
                const Expectation& part, const StepRow& step, std::vector<std::string> regions) {
  Blame blame{run, step, part.region, std::move(regions), excess_in(step, expectations(plan, run.fixes), part), {}};
  for (const VerifyRun& other : runs) {
    const bool has_more = std::all_of(run.fixes.begin(), run.fixes.end(),
                                      [&](const std::string& fix) { return contains(other.fixes, fix); });
    if (&other == &run || !has_more) continue;
    const auto expected = expectations(plan, other.fixes);
    const auto same = std::find_if(expected.begin(), expected.end(), [&](auto& e) { return e.region == part.region; });
    for (const StepRow& row : other.summary.steps)
      if (row.number == step.number && same != expected.end())
        blame.others.push_back({row, excess_in(row, expected, *same).waits == 0});
  }
  return blame;
}

std::string reason_for(const VerifyPlan& plan, const std::vector<VerifyRun>& runs, const VerifyRun& run,
                       const Expectation& part, const Difference& d) {
  std::string reason = explain(plan, run, part, d);
  std::vector<std::string> regions;  // for the part outside of the claimed regions: those that are claimed
  for (const Expectation& e : expectations(plan, run.fixes))
    if (!e.region.empty()) regions.push_back(e.region);
  const std::string calls = calls_to_blame(blame_for(plan, runs, run, part, *d.step, std::move(regions)));
  if (!calls.empty()) reason += ": " + calls;
  if (d.other_steps > 0)
    reason += fmt::format(" (and in {} more of {} judged steps)", d.other_steps, run.summary.judged());
  return reason;
}

// Why the figures of a run cannot carry a pass. Empty = they can.
std::vector<std::string> doubts(const VerifyRun& run) {
  const Doubts doubts = doubts_of(run.summary, kFewestJudgedSteps, StepsWanted::inferred);
  std::vector<std::string> found;
  for (const auto& texts : {doubts.partial, doubts.hopeless})
    for (const std::string& text : texts) found.push_back(setting_name(run.fixes) + ": " + text);
  return found;
}

std::vector<std::string> notes_for(const std::vector<VerifyRun>& runs) {
  std::int64_t count = 0;
  std::map<std::string, std::int64_t> how;
  for (const VerifyRun& run : runs) {
    count += run.summary.unreal_readbacks.judged;
    for (const auto& [text, n] : run.summary.unreal_readbacks.how) how[text] += n;
  }
  if (count == 0) return {};
  std::vector<std::string> sites;
  for (const auto& [text, n] : how) sites.push_back(fmt::format("{} × {}", n, text.empty() ? "unnamed" : text));
  return {fmt::format("{} in judged steps had no real value ({}); waits behind branches on them were not seen",
                      counted(count, "read-back"), join(sites, ", "))};
}

void judge_run(const VerifyPlan& plan, const std::vector<VerifyRun>& runs, const VerifyRun& run,
               std::vector<std::string>& violations, std::vector<std::string>& uncertain) {
  if (is_inferred(run.summary.steps_from)) {
    uncertain.push_back(setting_name(run.fixes) + ": no step is marked, and inferred steps prove nothing");
    return;
  }
  const auto doubtful = doubts(run);
  uncertain.insert(uncertain.end(), doubtful.begin(), doubtful.end());
  const auto expected = expectations(plan, run.fixes);
  for (const Expectation& part : expected) {
    if (!part.judged) continue;
    const Difference difference = compare(run.summary, expected, part);
    if (difference.step == nullptr) continue;
    auto& list = doubtful.empty() || difference.surplus ? violations : uncertain;
    list.push_back(reason_for(plan, runs, run, part, difference));
  }
}

bool removes_nothing(const Shares& s) {
  return s.waits == 0 && s.stream_syncs == 0 && s.event_syncs == 0 && s.h2d_stalls == 0;
}

}  // namespace

std::string setting_name(const std::vector<std::string>& fixes) {
  return fixes.empty() ? "no fix" : join(fixes, " + ");
}

Judgement judge_verify(const VerifyPlan& plan, const std::vector<VerifyRun>& runs) {
  std::vector<std::string> violations, uncertain;
  for (const VerifyRun& run : runs) judge_run(plan, runs, run, violations, uncertain);
  for (const FixClaim& claim : plan.claims) {
    const bool used =
        std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return contains(run.fixes, claim.name); });
    // A fix with nothing to do has one claim, an empty one.
    if (used && removes_nothing(claim.removes))
      uncertain.push_back(fmt::format("{} has nothing to remove from {} {}", claim.name, plan.scenario, plan.size));
  }
  if (runs.empty()) uncertain.push_back("nothing was run");

  Judgement judgement;
  for (std::string& text : violations) judgement.reasons.push_back({Verdict::violation, std::move(text)});
  for (std::string& text : uncertain) judgement.reasons.push_back({Verdict::cannot_tell, std::move(text)});
  judgement.notes = notes_for(runs);
  judgement.verdict = !violations.empty()  ? Verdict::violation
                      : !uncertain.empty() ? Verdict::cannot_tell
                                           : Verdict::pass;
  return judgement;
}

}  // namespace zerostall
