#include "profiler/gate/allow.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

namespace zerostall {
namespace {

// A native module is no file of the program's.
bool has_file(const Site& site) { return !site.file.empty() && site.from != SiteFrom::native; }

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

// All that a glob may mean a place by.
template <class Each>
void each_name(const Site& site, const Each& each) {
  each_ending(site_key(site), each);
  if (has_file(site)) each_ending(site.file, each);
  each(site.place);
}

// For each site the allowances that fit it as far as the site alone can tell, in their order. A glob is found by the
// text in front of its first star: trying each on each place would take seconds where both are many.
class SiteMatches {
 public:
  explicit SiteMatches(std::span<const Allowance> allowances) : allowances_(allowances) {
    for (std::uint32_t a = 0; a < allowances.size(); ++a) {
      const std::string& site = allowances[a].site;
      const std::string prefix = site.substr(0, site.find_first_of("*?"));
      by_prefix_[prefix].push_back(a);
      lengths_.insert(prefix.size());
    }
  }

  std::vector<std::uint32_t> of(const Site& site) const {
    std::vector<std::uint32_t> found;
    each_name(site, [&](std::string_view text) { look_up(text, site, found); });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  void look_up(std::string_view text, const Site& site, std::vector<std::uint32_t>& found) const {
    for (const std::size_t length : lengths_) {
      if (length > text.size()) return;
      const auto candidates = by_prefix_.find(std::string(text.substr(0, length)));
      if (candidates == by_prefix_.end()) continue;
      for (const std::uint32_t a : candidates->second)
        if (fits(allowances_[a], site, text)) found.push_back(a);
    }
  }

  static bool fits(const Allowance& allowance, const Site& site, std::string_view text) {
    if (!allowance.site.empty() && !glob_matches(allowance.site, text)) return false;
    if (!allowance.cause.empty() && allowance.cause != info_of(site.cause.kind).slug) return false;
    return allowance.kernel.empty() || (!site.kernel.empty() && glob_matches(allowance.kernel, site.kernel));
  }

  std::span<const Allowance> allowances_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_prefix_;
  std::set<std::size_t> lengths_;  // of those prefixes, short ones first
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

// What becomes of one wait: the first candidate that has one left takes it.
WaitPass pass_of(const WaitSeen& wait, std::int64_t step, std::span<const std::uint32_t> candidates,
                 std::span<const Allowance> allowances, std::vector<Budgeted>& states,
                 std::vector<AllowanceUse>& uses) {
  WaitPass pass;
  for (const std::uint32_t a : candidates) {
    if (!is_in_region(allowances[a], wait)) continue;
    AllowanceUse& use = uses[a];
    if (!take(allowances[a], step, states[a])) {
      ++use.refused;
      continue;
    }
    ++use.waits;
    if (!use.expired) {
      pass.allowed_by = a;
      return pass;
    }
    if (pass.expired == kNoAllowance) pass.expired = a;
  }
  return pass;
}

// "" = the program does not let it pass. Of several regions the innermost says why.
std::string_view reason_in_program(const WaitSeen& wait) {
  for (auto region = wait.regions.rbegin(); region != wait.regions.rend(); ++region)
    if (region->starts_with(kAllowPrefix) && region->size() > kAllowPrefix.size())
      return std::string_view(*region).substr(kAllowPrefix.size());
  return {};
}

void add_in_program(std::string_view reason, const RunSummary& run, const WaitSeen& wait, AllowedWaits& allowed) {
  auto& all = allowed.in_program;
  auto entry = std::find_if(all.begin(), all.end(), [&](const AllowedInProgram& a) { return a.reason == reason; });
  if (entry == all.end()) entry = all.insert(entry, {std::string(reason), 0, {}});
  ++entry->waits;
  const std::string& place = run.sites[wait.site].place;
  if (std::find(entry->places.begin(), entry->places.end(), place) == entry->places.end())
    entry->places.push_back(place);
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
      if (const auto reason = reason_in_program(wait); !reason.empty()) {
        passes[w].allowed_by = kByProgram;
        add_in_program(reason, run, wait, allowed);
        continue;
      }
      auto& candidates = of_site[wait.site];
      if (!candidates) candidates = matches.of(run.sites[wait.site]);
      passes[w] = pass_of(wait, at, *candidates, allowances, states, allowed.uses);
    }
  }
  return allowed;
}

bool is_at(const Site& site, std::string_view glob) {
  bool is = false;
  each_name(site, [&](std::string_view text) { is = is || glob_matches(glob, text); });
  return is;
}

std::string site_key(const Site& site) {
  if (!has_file(site)) return site.place;
  return fmt::format("{}:{}", site.file, site.function);
}

}  // namespace zerostall
