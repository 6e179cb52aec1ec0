// Rows of two sides: what is the same, gone, new, changed, or of another size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "profiler/analyze/compare_parts.h"

namespace zerostall::compare {
namespace {

constexpr std::size_t kMostSizes = 4;  // of one family of changes, each with a row of its own

std::string with_sizes(const Item& item) {
  const std::size_t at = item.family.find('#');
  if (item.sizes.size() == 1 || at == std::string::npos) return item.family;
  return item.family.substr(0, at) + fmt::format("{} sizes,", item.sizes.size()) + item.family.substr(at + 3);
}

void merge(const Samples& from, Samples& to) {
  for (const auto& [sample, count] : from.at) to.at[sample] += count;
  to.sum += from.sum;
  to.only_sum |= from.only_sum;
}

// Too many sizes of one kind, as of data whose size varies, become one row.
void fold_sizes(Items& items) {
  std::map<ItemKey, std::vector<Items::iterator>> families;
  for (auto it = items.begin(); it != items.end(); ++it) families[{it->first.place, it->second.family}].push_back(it);
  for (const auto& [key, members] : families) {
    if (members.size() <= kMostSizes) continue;
    Item whole = members.front()->second;
    for (std::size_t i = 1; i < members.size(); ++i) {
      const Item& item = members[i]->second;
      merge(item.a, whole.a);
      merge(item.b, whole.b);
      whole.sizes.insert(item.sizes.begin(), item.sizes.end());
      whole.causes.insert(item.causes.begin(), item.causes.end());
      whole.place_words = std::min(whole.place_words, item.place_words);
    }
    for (const auto& member : members) items.erase(member);
    items[{key.place, with_sizes(whole)}] = std::move(whole);
  }
}

double mean(const CountFigure& figure) {
  return figure.samples == 0 ? 0 : static_cast<double>(figure.sum) / static_cast<double>(figure.samples);
}

double distance(const ItemChange& row) { return std::abs(mean(row.a) - mean(row.b)); }

std::string cause_words(const Item& item) { return item.causes.size() == 1 ? *item.causes.begin() : ""; }

// A wait whose place only one side tells (a stack that was cut off, or not recorded) is the same wait where nothing
// else speaks against it. Takes such pairs off `items`.
std::vector<ItemChange> take_unplaced(Items& items, std::int64_t samples_a, std::int64_t samples_b) {
  std::map<std::string, std::vector<Items::iterator>> by_what;
  for (auto it = items.begin(); it != items.end(); ++it) by_what[it->first.what].push_back(it);
  std::vector<ItemChange> rows;
  for (const auto& [what, members] : by_what) {
    if (!members.front()->first.place.empty()) continue;  // places are in order: the unknown one is the first
    const auto unplaced = members.front();
    const bool in_a = unplaced->second.b.sum == 0, in_b = unplaced->second.a.sum == 0;
    for (std::size_t i = 1; i < members.size() && (in_a || in_b); ++i) {
      const Item& item = members[i]->second;
      if ((in_a ? item.a : item.b).sum > 0) continue;
      const CountFigure a = figure_of((in_a ? unplaced->second : item).a, samples_a);
      const CountFigure b = figure_of((in_a ? item : unplaced->second).b, samples_b);
      if (!same(a, b)) continue;
      rows.push_back({item.place_words, cause_words(item), what, 1, a, b});
      items.erase(members[i]);
      items.erase(unplaced);
      break;
    }
  }
  return rows;
}

void sort_rows(std::vector<ItemChange>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const ItemChange& x, const ItemChange& y) {
    return std::tuple(-distance(x), -x.a.sum) < std::tuple(-distance(y), -y.a.sum);
  });
}

// Positions of items that stand on one side only.
std::vector<Items::iterator> only(const std::vector<Items::iterator>& family, Samples Item::*there,
                                  Samples Item::*not_there) {
  std::vector<Items::iterator> found;
  for (const auto& member : family)
    if ((member->second.*there).sum > 0 && (member->second.*not_there).sum == 0) found.push_back(member);
  return found;
}

std::string with_new_size(const std::string& family, const Item& gone, const Item& added) {
  const std::size_t at = family.find('#');
  return fmt::format("{}{} → {}{}", family.substr(0, at), *gone.sizes.begin(), *added.sizes.begin(),
                     family.substr(at + 1));
}

// Takes pairs off `items` that are as often on each side, and differ in their size alone.
std::vector<ItemChange> take_resized(Items& items, std::int64_t samples_a, std::int64_t samples_b) {
  std::map<ItemKey, std::vector<Items::iterator>> families;
  for (auto it = items.begin(); it != items.end(); ++it)
    if (it->second.sizes.size() == 1) families[{it->first.place, it->second.family}].push_back(it);
  std::vector<ItemChange> rows;
  for (const auto& [key, members] : families) {
    auto added = only(members, &Item::b, &Item::a);
    for (const auto& gone : only(members, &Item::a, &Item::b)) {
      const CountFigure a = figure_of(gone->second.a, samples_a);
      const auto pair = std::find_if(added.begin(), added.end(), [&](const auto& candidate) {
        return same(a, figure_of(candidate->second.b, samples_b));
      });
      if (pair == added.end()) continue;
      const auto match = *pair;
      added.erase(pair);
      rows.push_back({gone->second.place_words, cause_words(gone->second),
                      with_new_size(key.what, gone->second, match->second), 1, a,
                      figure_of(match->second.b, samples_b)});
      items.erase(gone);
      items.erase(match);
    }
  }
  return rows;
}

}  // namespace

Changes changes_of(Items items, std::int64_t samples_a, std::int64_t samples_b) {
  Changes changes;
  const auto row_of = [&](const ItemKey& key, const Item& item) {
    return ItemChange{item.place_words,
                      cause_words(item),
                      key.what,
                      static_cast<std::int64_t>(item.sizes.size()),
                      figure_of(item.a, samples_a),
                      figure_of(item.b, samples_b)};
  };
  for (auto it = items.begin(); it != items.end();) {
    ItemChange row = row_of(it->first, it->second);
    const bool is_same = same(row.a, row.b);
    if (is_same) changes.same.push_back(std::move(row));
    it = is_same ? items.erase(it) : std::next(it);
  }
  for (ItemChange& row : take_unplaced(items, samples_a, samples_b)) changes.same.push_back(std::move(row));
  fold_sizes(items);
  changes.resized = take_resized(items, samples_a, samples_b);
  for (const auto& [key, item] : items) {
    ItemChange row = row_of(key, item);
    auto& rows = same(row.a, row.b) ? changes.same
                 : row.b.sum == 0   ? changes.gone
                 : row.a.sum == 0   ? changes.added
                                    : changes.changed;
    rows.push_back(std::move(row));
  }
  for (auto* rows : {&changes.gone, &changes.added, &changes.changed, &changes.resized, &changes.same})
    sort_rows(*rows);
  return changes;
}

}  // namespace zerostall::compare
