#include "profiler/gate/allow.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

namespace zerostall {
namespace {

bool is_glob(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

// "src/a/trainer.py:f" -> itself, "a/trainer.py:f", "trainer.py:f".
template <class Each>
void each_ending(std::string_view key, const Each& each) {
  for (;;) {
    each(key);
    const auto slash = key.find('/');
    if (slash == std::string_view::npos) return;
    key.remove_prefix(slash + 1);
  }
}

// For each site the allowances that fit it as far as the site alone can tell, in their order.
class SiteMatches {
 public:
  explicit SiteMatches(std::span<const Allowance> allowances) : allowances_(allowances) {
    for (std::uint32_t a = 0; a < allowances.size(); ++a) {
      const std::string& site = allowances[a].site;
      if (!site.empty() && !is_glob(site))
        exact_[site].push_back(a);
      else
        others_.push_back(a);
    }
  }

  std::vector<std::uint32_t> of(const Site& site) const {
    const std::string key = site_key(site);
    std::vector<std::uint32_t> found;
    const auto look_up = [&](std::string_view text) {
      if (const auto exact = exact_.find(std::string(text)); exact != exact_.end())
        for (const std::uint32_t a : exact->second)
          if (fits_but_for_site(allowances_[a], site)) found.push_back(a);
    };
    each_ending(key, look_up);
    if (site.place != key) look_up(site.place);
    for (const std::uint32_t a : others_) {
      const Allowance& allowance = allowances_[a];
      if (fits_but_for_site(allowance, site) && (allowance.site.empty() || is_at(site, allowance.site)))
        found.push_back(a);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  static bool fits_but_for_site(const Allowance& allowance, const Site& site) {
    if (!allowance.cause.empty() && allowance.cause != info_of(site.cause.kind).slug) return false;
    return allowance.kernel.empty() || (!site.kernel.empty() && glob_matches(allowance.kernel, site.kernel));
  }

  std::span<const Allowance> allowances_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> exact_;
  std::vector<std::uint32_t> others_;
};

bool is_in_region(const Allowance& allowance, const WaitSeen& wait) {
  return allowance.region.empty() ||
         std::any_of(wait.regions.begin(), wait.regions.end(),
                     [&](const std::string& region) { return glob_matches(allowance.region, region); });
}

// How often an allowance was used, and when.
struct Budgeted {
  std::optional<std::int64_t> last_step;  // that used it
  std::int64_t in_step = 0;               // how often, there
};

// Takes one, if the allowance has one left for this step.
bool take(const Allowance& allowance, std::int64_t step, Budgeted& state) {
  if (state.last_step != step) {
    if (state.last_step && step - *state.last_step < allowance.every) return false;
    if (allowance.waits_per_step <= 0) return false;
    state = {step, 0};
  }
  if (state.in_step >= allowance.waits_per_step) return false;
  ++state.in_step;
  return true;
}

bool numbers_rise(const RunSummary& run) {
  return std::adjacent_find(run.steps.begin(), run.steps.end(),
                            [](const StepRow& a, const StepRow& b) { return a.number >= b.number; }) == run.steps.end();
}

}  // namespace

AllowedWaits apply_allowances(const RunSummary& run, std::span<const Allowance> allowances, const Date& today) {
  AllowedWaits allowed;
  allowed.by_step.resize(run.steps.size());
  allowed.uses.resize(allowances.size());
  for (std::size_t a = 0; a < allowances.size(); ++a)
    allowed.uses[a].expired = allowances[a].expires && *allowances[a].expires <= today;
  std::vector<std::optional<std::vector<std::uint32_t>>> of_site(run.sites.size());
  const SiteMatches matches(allowances);
  std::vector<Budgeted> states(allowances.size());
  const bool by_number = numbers_rise(run);
  for (std::size_t s = 0; s < run.steps.size(); ++s) {
    const StepRow& step = run.steps[s];
    if (!step.judged) continue;
    const std::int64_t at = by_number ? step.number : static_cast<std::int64_t>(s);
    auto& passes = allowed.by_step[s];
    passes.resize(step.waits.size());
    for (std::size_t w = 0; w < step.waits.size(); ++w) {
      const WaitSeen& wait = step.waits[w];
      if (wait.site >= run.sites.size()) continue;
      auto& candidates = of_site[wait.site];
      if (!candidates) candidates = matches.of(run.sites[wait.site]);
      for (const std::uint32_t a : *candidates) {
        if (!is_in_region(allowances[a], wait)) continue;
        AllowanceUse& use = allowed.uses[a];
        if (!take(allowances[a], at, states[a])) {
          ++use.refused;
          continue;
        }
        ++use.waits;
        if (!use.expired) {
          passes[w].allowed_by = a;
          break;
        }
        if (passes[w].expired == kNoAllowance) passes[w].expired = a;
      }
    }
  }
  return allowed;
}

bool is_at(const Site& site, std::string_view glob) {
  const std::string key = site_key(site);
  return glob_matches(glob, key) || glob_matches(glob, site.place) || glob_matches("*/" + std::string(glob), key);
}

std::string site_key(const Site& site) {
  if (site.file.empty() || site.from == SiteFrom::native) return site.place;
  return fmt::format("{}:{}", site.file, site.function);
}

}  // namespace zerostall
