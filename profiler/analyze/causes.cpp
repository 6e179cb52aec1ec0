#include "profiler/analyze/causes.h"

#include <array>
#include <map>
#include <tuple>

#include "profiler/analyze/cause_rules.h"

namespace zerostall {
namespace {

Cause best_of(const Evidence& evidence) {
  Cause best{CauseKind::unknown, Confidence::low, ""};
  for (const CauseRule rule : cause_rules()) {
    auto cause = rule(evidence);
    if (cause && (best.kind == CauseKind::unknown || cause->confidence > best.confidence)) best = std::move(*cause);
  }
  return best;
}

// Outside of steps (before the first, in one that never closed) less can be told. The same line that does the same
// within steps does it for the same reason: the surest that is told there, the first of those.
void take_from_steps(const std::vector<Evidence>& waits, std::vector<Cause>& causes) {
  using Same = std::tuple<const StackEvidence*, StringId, Bytes, CopyDirection>;
  const auto what = [](const Evidence& e) { return Same{e.stack, e.copy ? e.copy->name : 0, e.bytes, e.direction}; };
  std::map<Same, const Cause*> in_steps;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (!waits[i].place || !waits[i].stack || causes[i].kind == CauseKind::unknown) continue;
    const Cause*& told = in_steps[what(waits[i])];
    if (told == nullptr || causes[i].confidence > told->confidence) told = &causes[i];
  }
  for (std::size_t i = 0; i < waits.size(); ++i)
    if (const auto told = in_steps.find(what(waits[i])); !waits[i].place && told != in_steps.end())
      causes[i] = *told->second;
}

}  // namespace

std::string_view name_of(Confidence confidence) {
  constexpr std::array<std::string_view, 3> kNames = {"low", "medium", "high"};
  return kNames[static_cast<std::size_t>(confidence)];
}

std::vector<Cause> find_causes(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                               const SourceTexts& sources, const FrameNames& names) {
  std::vector<Cause> causes;
  causes.reserve(waits.size());
  const AllEvidence all = gather_evidence(trace, steps, waits, sources, names);
  for (const Evidence& evidence : all.waits) causes.push_back(best_of(evidence));
  take_from_steps(all.waits, causes);
  return causes;
}

}  // namespace zerostall
