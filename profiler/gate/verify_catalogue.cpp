#include "profiler/gate/verify_catalogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/strings.h"
#include "profiler/gate/doubts.h"

namespace zerostall {
namespace {

std::string many(std::int64_t n, std::string_view what) { return counted(n, std::string(what)); }

// The first judged step in which a counter is not as claimed; "" = none. `more`: it is more there, for certain.
std::string wrong_count(const RunSummary& run, Counter counter, std::int64_t claimed, std::string_view what,
                        bool* more) {
  std::int64_t wrong = 0;
  const StepRow* first = nullptr;
  for (const StepRow& step : run.steps) {
    if (!step.judged || step.counters[counter] == claimed) continue;
    ++wrong;
    if (first == nullptr) first = &step;
    *more = *more || step.counters[counter].value_or(0) > claimed;
  }
  if (first == nullptr) return {};
  const Count found = first->counters[counter];
  return fmt::format("{} in step {} in place of {}, not as expected in {} of {} judged steps",
                     found ? many(*found, what) : fmt::format("an unknown number of {}s", what), first->number, claimed,
                     wrong, run.judged());
}

void add_causes(const std::vector<Site>& sites, std::vector<CauseFound>& found) {
  for (const Site& site : sites) {
    if (site.judged == 0 || site.of_the_tool) continue;
    auto at = std::find_if(found.begin(), found.end(), [&](const auto& c) { return c.kind == site.cause.kind; });
    if (at == found.end())
      at = found.insert(found.end(), {site.cause.kind, site.cause.confidence, site.cause.evidence, 0});
    if (site.cause.confidence > at->confidence)
      at->confidence = site.cause.confidence, at->evidence = site.cause.evidence;
    at->judged += site.judged;
  }
}

}  // namespace

std::vector<CauseFound> causes_found(const RunSummary& run) {
  std::vector<CauseFound> found;
  add_causes(run.sites, found);
  add_causes(run.implicit_sites, found);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.judged > b.judged; });
  return found;
}

Judgement judge_catalogue_run(const CatalogueClaim& claim, const RunSummary& run) {
  Judgement judgement;
  const auto add = [&](Verdict verdict, std::string text) { judgement.reasons.push_back({verdict, std::move(text)}); };
  const Doubts doubts = doubts_of(run, kFewestJudgedSteps, StepsWanted::marked);
  for (const std::string& doubt : doubts.hopeless) add(Verdict::cannot_tell, doubt);
  if (doubts.hopeless.empty()) {
    // What is missing from an incomplete run may be what differs; what is too much is too much all the same.
    const bool whole = doubts.partial.empty();
    for (const auto& [counter, claimed, what] : {std::tuple(Counter::waits, claim.waits, "host wait"),
                                                 {Counter::implicit, claim.memory_calls, "memory call"}}) {
      bool more = false;
      if (std::string wrong = wrong_count(run, counter, claimed, what, &more); !wrong.empty())
        add(whole || more ? Verdict::violation : Verdict::cannot_tell, std::move(wrong));
    }
    for (const CauseFound& cause : causes_found(run))
      if (const std::string_view slug = info_of(cause.kind).slug; slug != claim.cause && !claim.cause.empty())
        add(Verdict::violation, fmt::format("{} found as {} ({}: {}), expected {}", many(cause.judged, "wait"), slug,
                                            name_of(cause.confidence), cause.evidence, claim.cause));
    for (const std::string& doubt : doubts.partial) add(Verdict::cannot_tell, doubt);
  }
  std::stable_sort(judgement.reasons.begin(), judgement.reasons.end(), [](const Reason& a, const Reason& b) {
    return a.verdict == Verdict::violation && b.verdict != Verdict::violation;
  });
  if (!judgement.reasons.empty()) judgement.verdict = judgement.reasons.front().verdict;
  return judgement;
}

Verdict verdict_of(const CatalogueReport& report) {
  Verdict worst = report.verdicts.empty() ? Verdict::cannot_tell : Verdict::pass;
  for (const Judgement& one : report.verdicts) {
    if (one.verdict == Verdict::violation) return Verdict::violation;
    if (one.verdict == Verdict::cannot_tell) worst = Verdict::cannot_tell;
  }
  return worst;
}

}  // namespace zerostall
