#include "profiler/gate/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/base/strings.h"

namespace zerostall {
namespace {

constexpr auto kMetrics = std::to_array<Metric>({
    {"waits", "wait", MetricKind::counter, Counter::waits, false},
    {"drains", "time the GPU ran dry", MetricKind::counter, Counter::drains, false},
    {"stream_syncs", "stream sync", MetricKind::counter, Counter::stream_syncs, false},
    {"event_syncs", "event sync", MetricKind::counter, Counter::event_syncs, false},
    {"device_syncs", "device sync", MetricKind::counter, Counter::device_syncs, false},
    {"blocking_copies", "blocking copy", MetricKind::counter, Counter::blocking_copies, false},
    {"blocking_memsets", "blocking memset", MetricKind::counter, Counter::blocking_memsets, false},
    {"h2d_stalls", "H2D stall", MetricKind::counter, Counter::h2d_stalls, false},
    {"implicit", "implicit call", MetricKind::counter, Counter::implicit, false},
    {"spins", "polling loop", MetricKind::counter, Counter::spins, false},
    {"queue_full", "launch into a full queue", MetricKind::counter, Counter::queue_full, false},
    {"failed", "failed wait", MetricKind::counter, Counter::failed, false},
    {"step_time", "step time", MetricKind::step_time, Counter::waits, true},
    {"blocked_time", "blocked time", MetricKind::counter, Counter::blocked_ns, true},
    {"h2d_stall_time", "time in H2D stalls", MetricKind::counter, Counter::h2d_stall_ns, true},
    {"avoidable_idle_time", "avoidable idle time of the GPU", MetricKind::avoidable_idle, Counter::waits, true},
});

std::string limit_words(const Limit& limit, bool is_time) {
  if (limit.slower) return fmt::format("at most {:g} % more than before", *limit.slower * 100);
  const std::string amount =
      is_time ? fmt::format("{:g} ms", static_cast<double>(limit.at_most) / 1e6) : fmt::format("{}", limit.at_most);
  switch (limit.of) {
    case Statistic::max:
      return fmt::format("at most {} in each step", amount);
    case Statistic::median:
      return fmt::format("median at most {} per step", amount);
    case Statistic::p95:
      return fmt::format("95th percentile at most {} per step", amount);
    case Statistic::total:
      return fmt::format("at most {} in all", amount);
    case Statistic::window:
      break;
  }
  return fmt::format("at most {} in every {} steps", amount, limit.steps);
}

}  // namespace

std::string_view name_of(Level level) {
  return level == Level::error ? "error" : level == Level::warn ? "warn" : "off";
}

std::span<const Metric> all_metrics() { return kMetrics; }

const Metric* find_metric(std::string_view key) {
  const auto found = std::find_if(kMetrics.begin(), kMetrics.end(), [&](const Metric& m) { return m.key == key; });
  return found == kMetrics.end() ? nullptr : &*found;
}

std::string_view name_of(Statistic statistic) {
  switch (statistic) {
    case Statistic::max:
      return "max";
    case Statistic::median:
      return "median";
    case Statistic::p95:
      return "p95";
    case Statistic::total:
      return "total";
    case Statistic::window:
      break;
  }
  return "window";
}

Statistic usual_statistic(const Metric& metric) { return metric.is_time ? Statistic::median : Statistic::max; }

std::string describe(const Scope& scope) {
  std::vector<std::string> parts;
  if (scope.part == Scope::Part::background) parts.push_back("on other threads");
  if (scope.part == Scope::Part::outside) parts.push_back("outside of steps");
  if (!scope.region.empty()) parts.push_back("region " + scope.region);
  if (!scope.cause.empty()) parts.push_back("cause " + scope.cause);
  if (!scope.site.empty()) parts.push_back("at " + scope.site);
  if (!scope.device.empty()) parts.push_back("device " + scope.device);
  if (scope.rank) parts.push_back(fmt::format("rank {}", *scope.rank));
  return join(parts, ", ");
}

std::string describe(const Budget& budget) {
  const std::string scope = describe(budget.scope);
  return fmt::format("{}{}: {}", budget.metric->key, scope.empty() ? "" : " (" + scope + ")",
                     limit_words(budget.limit, budget.metric->is_time));
}

std::string describe(const Allowance& allowance) {
  std::vector<std::string> parts;
  if (!allowance.site.empty()) parts.push_back(allowance.site);
  if (!allowance.cause.empty()) parts.push_back("cause " + allowance.cause);
  if (!allowance.kernel.empty()) parts.push_back("after kernel " + allowance.kernel);
  if (!allowance.region.empty()) parts.push_back("region " + allowance.region);
  return join(parts, ", ");
}

std::string why_no_place(std::string_view glob) {
  const std::size_t colon = glob.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == glob.size()) return {};
  if (glob.substr(colon + 1).find_first_not_of("0123456789") != std::string_view::npos) return {};
  return fmt::format("lines move: name the function, \"{}:FUNCTION\", or the file alone, \"{}\"", glob.substr(0, colon),
                     glob.substr(0, colon));
}

void name_regions(Policy& policy) {
  auto& regions = policy.run.regions;
  const auto add = [&](const std::string& name) {
    const bool glob = name.find_first_of("*?") != std::string::npos;  // of our own regions only
    if (!name.empty() && !glob && std::find(regions.begin(), regions.end(), name) == regions.end())
      regions.push_back(name);
  };
  for (const Budget& budget : policy.budgets) add(budget.scope.region);
  for (const Allowance& allowance : policy.allow) add(allowance.region);
}

// Greedy with one point to come back to: what the last star took is enlarged where the rest does not match.
bool glob_matches(std::string_view glob, std::string_view text) {
  std::size_t g = 0, t = 0, star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      taken = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g, ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

}  // namespace zerostall
