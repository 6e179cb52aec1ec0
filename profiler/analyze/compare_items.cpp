// Waits and copies of two sides: what there is, by what it is and where it comes from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "profiler/analyze/compare_parts.h"

namespace zerostall::compare {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "cudaMemcpyAsync 512 B host to device" -> "cudaMemcpyAsync # B host to device", and "512".
std::pair<std::string, std::string> split_size(const std::string& what) {
  const std::size_t end = what.find(" B ");
  std::size_t begin = end == std::string::npos ? 0 : end;
  while (begin > 0 && is_digit(what[begin - 1])) --begin;
  if (end == std::string::npos || begin == end) return {what, ""};
  return {what.substr(0, begin) + "#" + what.substr(end), what.substr(begin, end - begin)};
}

bool is_own(const SourceLine& line) { return !line.library && !line.file.empty(); }

// Whether the text of the line is known wherever a line of the user's own waits.
bool knows_lines(const RunSummary& run) {
  return std::all_of(run.sites.begin(), run.sites.end(),
                     [](const Site& site) { return site.from != SiteFrom::own_line || !site.source.empty(); });
}

Places level_of(const WaitStack& stack) {
  if (std::any_of(stack.python.begin(), stack.python.end(), is_own)) return Places::functions;
  return stack.python.empty() ? Places::none : Places::operators;
}

// Nullopt: no waits, so that any places will do.
std::optional<Places> level_of(const RunSummary& run) {
  if (run.waits_by_what.empty()) return std::nullopt;
  Places best = Places::none;
  for (const WaitStack& stack : run.stacks) best = std::max(best, level_of(stack));
  return best == Places::functions && !run.sites.empty() && knows_lines(run) ? Places::lines : best;
}

struct Place {
  std::string identity, words;
};

// As find_sites names it, so that what is known of the site can be found.
Place place_of(const RunSummary& run, const WaitStack& stack, Places places) {
  if (places == Places::none || stack.python.empty()) return {};
  if (places == Places::operators) return {stack.python.back().function, stack.python.back().function};
  const auto own = std::find_if(stack.python.begin(), stack.python.end(), is_own);
  if (own == stack.python.end()) return {};
  const std::string line = own->line > 0 ? fmt::format(":{}", own->line) : "";
  // The script itself may have been copied to another name.
  const std::string file = own->file == run.meta.script ? "" : own->file;
  Place place{file + "\n" + own->function, fmt::format("{}{} in {}", own->file, line, own->function)};
  if (places != Places::lines) return place;
  const auto site = std::find_if(run.sites.begin(), run.sites.end(), [&](const Site& one) {
    return one.from == SiteFrom::own_line && one.file == own->file && one.line == own->line;
  });
  if (site != run.sites.end()) place.identity += "\n" + site->source;
  return place;
}

// Slug of what the sites of this place, where it is known, say of such a wait; "" = nothing, or not one thing.
std::string_view cause_of(const RunSummary& run, const std::string& place, const std::string& what) {
  std::set<CauseKind> of_what, of_place;
  for (const Site& site : run.sites) {
    if (!place.empty() && site.place != place) continue;
    of_place.insert(site.cause.kind);
    if (site.what == what) of_what.insert(site.cause.kind);
  }
  const auto& causes = of_what.empty() && !place.empty() ? of_place : of_what;
  if (causes.size() != 1 || *causes.begin() == CauseKind::unknown) return {};
  return info_of(*causes.begin()).slug;
}

Item& item_of(Items& items, const Place& place, const std::string& what, std::string_view cause = {}) {
  Item& item = items[{place.identity, what}];
  if (item.place_words.empty() || place.words < item.place_words) item.place_words = place.words;
  const auto [family, size] = split_size(what);
  item.family = family;
  item.sizes.insert(size);
  if (!cause.empty()) item.causes.emplace(cause);
  return item;
}

// Waits by their calls: which steps they fell into is known.
void add_waits(const RunSummary& run, Basis basis, std::int64_t first, Samples Item::*side, Items& items) {
  if (basis == Basis::run) {
    for (const auto& [what, count] : run.waits_by_what)
      (item_of(items, {}, what, cause_of(run, "", what)).*side).add(first, count);
    return;
  }
  std::map<std::string, std::string_view> causes;
  for (const auto& [what, count] : run.waits_by_what) causes[what] = cause_of(run, "", what);
  std::int64_t sample = first;
  for (const StepRow& step : run.steps) {
    if (!step.judged) continue;
    for (const WaitSeen& wait : step.waits)
      if (is_host_wait(wait.kind)) (item_of(items, {}, wait.what, causes[wait.what]).*side).add(sample, 1);
    ++sample;
  }
}

// Waits by their stacks. A stack's waits are told by step where each step has as many.
void add_stacks(const RunSummary& run, Basis basis, std::int64_t first, Places places, Samples Item::*side,
                Items& items) {
  for (const WaitStack& stack : run.stacks) {
    const Place place = place_of(run, stack, places);
    for (const WaitsThere& waits : stack.waits) {
      if (basis == Basis::step && waits.judged == 0) continue;
      const std::string_view cause = place.words.empty() ? "" : cause_of(run, place.words, waits.what);
      Samples& samples = item_of(items, place, waits.what, cause).*side;
      if (basis == Basis::run) {
        samples.add(first, waits.count);
      } else if (waits.per_step && waits.per_step->min == waits.per_step->max) {
        for (std::int64_t i = 0; i < run.judged(); ++i) samples.add(first + i, waits.per_step->min);
      } else {
        samples.sum += waits.judged;
        samples.only_sum = true;
      }
    }
  }
}

}  // namespace

CountFigure figure_of(const Samples& samples, std::int64_t number_of_samples) {
  CountFigure figure{number_of_samples, samples.sum, std::nullopt};
  if (samples.only_sum) return figure;
  std::vector<Count> values(static_cast<std::size_t>(number_of_samples), 0);
  for (const auto& [sample, count] : samples.at) values[static_cast<std::size_t>(sample)] = count;
  figure.spread = spread_of(values);
  return figure;
}

bool same(const CountFigure& a, const CountFigure& b) {
  const bool spreads_known = a.spread && b.spread;
  if (spreads_known && std::tuple(a.spread->min, a.spread->median, a.spread->max) !=
                           std::tuple(b.spread->min, b.spread->median, b.spread->max))
    return false;
  if (spreads_known && a.spread->min == a.spread->max) return true;
  if (a.samples == b.samples) return a.sum == b.sum;
  if (a.sum == 0 || b.sum == 0) return a.sum == b.sum;
  const double per_sample_a = double(a.sum) / double(a.samples), per_sample_b = double(b.sum) / double(b.samples);
  const std::int64_t most = spreads_known ? std::max<std::int64_t>(1, a.spread->max - a.spread->min) : 1;
  return std::abs(per_sample_a - per_sample_b) * double(std::min(a.samples, b.samples)) <= double(most);
}

Layout layout_of(Side side, Basis basis) {
  Layout layout;
  for (const RunSummary& run : side) {
    layout.first.push_back(layout.samples);
    layout.samples += basis == Basis::run ? 1 : run.judged();
  }
  return layout;
}

Places places_of(Side a, Side b) {
  std::optional<Places> common;
  for (const Side side : {a, b})
    for (const RunSummary& run : side) {
      const auto level = level_of(run);
      if (!level) continue;
      const Places less = std::min(common.value_or(*level), *level), more = std::max(common.value_or(*level), *level);
      if (less != more && less < Places::functions) return Places::none;
      common = less;
    }
  return common.value_or(Places::none);
}

// Rows are matched by place (file, function, text of the line, as sites are) and by what waits there. The cause is
// shown and not compared: what it is told from, such as names of kernels, may differ between a GPU and the simulated
// one.
Changes compare_waits(Side a, Side b, Basis basis, Places places) {
  Items items;
  const auto add_side = [&](Side side, Samples Item::*samples) {
    const Layout layout = layout_of(side, basis);
    for (std::size_t i = 0; i < side.size(); ++i)
      if (places == Places::none)
        add_waits(side[i], basis, layout.first[i], samples, items);
      else
        add_stacks(side[i], basis, layout.first[i], places, samples, items);
  };
  add_side(a, &Item::a);
  add_side(b, &Item::b);
  return changes_of(std::move(items), layout_of(a, basis).samples, layout_of(b, basis).samples);
}

Changes compare_copies(Side a, Side b, Basis basis) {
  Items items;
  const auto add_side = [&](Side side, Samples Item::*member) {
    const Layout layout = layout_of(side, basis);
    for (std::size_t i = 0; i < side.size(); ++i)
      for (const CopyRow& copy : side[i].copies) {
        const std::string memory = copy.host_memory == "none" ? "" : ", " + copy.host_memory;
        const auto what = fmt::format("{} {} B {}{}", copy.api, copy.bytes, copy.direction, memory);
        const bool in_steps = basis == Basis::step && copy.per_step && copy.per_step->max > 0;
        if (basis == Basis::step && !in_steps) continue;
        Samples& samples = item_of(items, {}, what).*member;
        if (basis == Basis::run) {
          samples.add(layout.first[i], copy.count);
        } else if (copy.per_step->min == copy.per_step->max) {
          for (std::int64_t s = 0; s < side[i].judged(); ++s) samples.add(layout.first[i] + s, copy.per_step->min);
        } else {
          samples.only_sum = true;
          samples.sum += copy.judged;
        }
      }
  };
  add_side(a, &Item::a);
  add_side(b, &Item::b);
  return changes_of(std::move(items), layout_of(a, basis).samples, layout_of(b, basis).samples);
}

}  // namespace zerostall::compare
