#include "profiler/analyze/causes.h"

#include <array>

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
  return causes;
}

}  // namespace zerostall
