#include "profiler/trace/import/order_calls.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "profiler/trace/api_table.h"

namespace zerostall {
namespace {

constexpr std::size_t kDeepest = std::numeric_limits<std::uint8_t>::max();

bool is_driver(std::string_view name) { return name.starts_with("cu") && !name.starts_with("cuda"); }

// Whether `inner`, which has an end in common with `outer`, is a part of it.
bool may_nest(const RawCall& outer, const RawCall& inner, const StringTable& strings) {
  if (outer.correlation != 0 && outer.correlation == inner.correlation) return true;
  const std::string_view a = strings.text(outer.name), b = strings.text(inner.name);
  return (is_driver(b) && !is_driver(a)) || strip_version(a) == strip_version(b);
}

bool lies_in(const RawCall& inner, const RawCall& outer, const StringTable& strings) {
  if (inner.end_ns > outer.end_ns || inner.begin_ns >= outer.end_ns) return false;
  const bool inside = inner.begin_ns > outer.begin_ns && inner.end_ns < outer.end_ns;
  return inside || may_nest(outer, inner, strings);
}

using Places = std::vector<std::uint32_t>;  // in the calls as they came: they are large, and moved once only

// One thread's calls, by begin and longest first, to the order of their returns.
class Returns {
 public:
  Returns(const std::vector<RawCall>& calls, std::vector<RawCall>& out, const StringTable& strings)
      : calls_(calls), out_(out), strings_(strings) {}

  void add(std::uint32_t place) {
    const RawCall& call = calls_[place];
    if (!open_.empty() && call.end_ns <= innermost().begin_ns && !lies_in(call, innermost(), strings_)) {
      emit(call, open_.size() - 1);  // of no length, where a longer one begins: it was before
      return;
    }
    while (!open_.empty() && !lies_in(call, innermost(), strings_)) close();
    open_.push_back(place);
  }

  void close_all() {
    while (!open_.empty()) close();
  }

 private:
  const RawCall& innermost() const { return calls_[open_.back()]; }
  void close() {
    const RawCall& call = innermost();
    open_.pop_back();
    emit(call, open_.size());
  }
  void emit(const RawCall& call, std::size_t depth) {
    out_.push_back(call);
    out_.back().depth = static_cast<std::uint8_t>(std::min(depth, kDeepest));
  }

  const std::vector<RawCall>& calls_;
  std::vector<RawCall>& out_;
  const StringTable& strings_;
  Places open_;
};

// The calls of each thread, threads by number, as they came.
std::vector<Places> by_thread(const std::vector<RawCall>& calls) {
  std::unordered_map<std::uint32_t, Places> found;
  Places* places = nullptr;
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    if (i == 0 || calls[i].thread != calls[i - 1].thread) places = &found[calls[i].thread];
    places->push_back(i);
  }
  std::vector<Places> threads;
  for (auto& [thread, of_thread] : found) threads.push_back(std::move(of_thread));
  std::sort(threads.begin(), threads.end(),
            [&](const Places& a, const Places& b) { return calls[a.front()].thread < calls[b.front()].thread; });
  return threads;
}

}  // namespace

void order_calls(std::vector<RawCall>& calls, const StringTable& strings) {
  const auto begins_before = [&](std::uint32_t a, std::uint32_t b) {
    const RawCall &x = calls[a], &y = calls[b];
    return x.begin_ns != y.begin_ns ? x.begin_ns < y.begin_ns : x.end_ns > y.end_ns;
  };
  std::vector<RawCall> ordered;
  ordered.reserve(calls.size());
  Returns returns(calls, ordered, strings);
  for (Places& places : by_thread(calls)) {
    // Most files are in order.
    if (!std::is_sorted(places.begin(), places.end(), begins_before))
      std::stable_sort(places.begin(), places.end(), begins_before);
    for (const std::uint32_t place : places) returns.add(place);
    returns.close_all();
  }
  calls = std::move(ordered);
}

}  // namespace zerostall
