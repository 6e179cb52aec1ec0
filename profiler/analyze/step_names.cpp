#include "profiler/analyze/step_names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

namespace zerostall {
namespace {

// "process batch 12" -> "process batch #".
std::string without_numbers(std::string_view text) {
  std::string name;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      name += c;
    else if (!in_number)
      name += '#';
    in_number = digit;
  }
  return name;
}

constexpr std::string_view kStep = "step #";

// PyTorch's own steps are called ProfilerStep#7; `zerostall export` writes such beside the program's own.
std::string shared_name(std::string_view text) {
  return text.starts_with("ProfilerStep#") ? std::string(kStep) : without_numbers(text);
}

struct Named {
  std::int64_t count = 0, inside_others = 0;
  Nanos lasts = 0;
  std::size_t first = 0;
};

int trust(const std::string& name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto says = [&](const char* word) { return lower.find(word) != std::string::npos; };
  const int word = says("step") ? 0 : says("iter") ? 1 : 2;
  return 2 * word + (says("#") ? 0 : 1);
}

bool calls_itself_step(const std::string& name) { return trust(name) < 2; }

using Open = std::map<ThreadIndex, std::vector<std::pair<const Range*, const std::string*>>>;

// Of each thread the ranges around this one; those that ended are let go of.
bool is_inside_another(const Range& range, const std::string& name, Open& open) {
  auto& around = open[range.thread];
  std::erase_if(around, [&](const auto& other) { return other.first->end_ns <= range.begin_ns; });
  const bool inside = std::any_of(around.begin(), around.end(), [&](const auto& o) { return *o.second != name; });
  if (!range.instant && !range.open) around.emplace_back(&range, &name);
  return inside;
}

}  // namespace

std::vector<std::string> keep_most_trusted_name(const Trace& trace, std::vector<const Range*>& ranges) {
  std::map<StringId, std::string> name_of;
  std::map<std::string, Named> names;
  Open open;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Range& range = *ranges[i];
    const auto [entry, is_new] = name_of.try_emplace(range.text);
    if (is_new) entry->second = shared_name(trace.text(range.text));
    Named& named = names.try_emplace(entry->second, Named{0, 0, 0, i}).first->second;
    ++named.count;
    named.inside_others += is_inside_another(range, entry->second, open);
    if (!range.open) named.lasts = add_up(named.lasts, range.end_ns - range.begin_ns);
  }
  const auto order = [](const auto& entry) {
    const auto& [name, named] = entry;
    const bool inner = 2 * named.inside_others > named.count;
    return std::tuple(name != kStep, inner, trust(name), -named.lasts, -named.count, named.first);
  };
  const auto best =
      std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  // PyTorch's profiler has a mark for steps; a batch or iteration that a program tells it of may be anything.
  const bool is_step = !names.empty() && (trace.meta.format != "kineto" || calls_itself_step(best->first));
  std::erase_if(ranges, [&](const Range* range) { return !is_step || name_of[range->text] != best->first; });
  std::vector<std::string> others;
  for (const auto& [name, named] : names)
    if (!is_step || name != best->first) others.push_back(name);
  return others;
}

}  // namespace zerostall
