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
  return is_driver(b) && !is_driver(a);
}

bool lies_in(const RawCall& inner, const RawCall& outer, const StringTable& strings) {
  if (inner.end_ns > outer.end_ns || inner.begin_ns >= outer.end_ns) return false;
  const bool inside = inner.begin_ns > outer.begin_ns && inner.end_ns < outer.end_ns;
  return inside || may_nest(outer, inner, strings);
}

// Of no length, where one of some length begins.
bool is_before(const RawCall& call, const RawCall& longer) {
  return call.end_ns <= longer.begin_ns && longer.end_ns > longer.begin_ns;
}

bool begins_before(const RawCall& a, const RawCall& b) {
  return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
}

// One thread's calls, by begin and longest first, to the order of their returns.
template <class Emit>
class Returns {
 public:
  Returns(const StringTable& strings, const Emit& emit) : strings_(strings), emit_(emit) {}

  void add(const RawCall& call) {
    if (!open_.empty() && is_before(call, open_.back()) && !lies_in(call, open_.back(), strings_)) {
      emit(call, open_.size() - 1);
      return;
    }
    while (!open_.empty() && !lies_in(call, open_.back(), strings_)) close();
    open_.push_back(call);
  }

  void close_all() {
    while (!open_.empty()) close();
  }

 private:
  void close() {
    emit(open_.back(), open_.size() - 1);
    open_.pop_back();
  }
  void emit(const RawCall& call, std::size_t depth) {
    emit_(call, static_cast<std::uint8_t>(std::min(depth, kDeepest)));
  }

  const StringTable& strings_;
  const Emit& emit_;
  std::vector<RawCall> open_;
};

using Places = std::vector<std::uint32_t>;  // in the calls as they came: they are large, and moved once only

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
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return begins_before(calls[a], calls[b]); };
  std::vector<RawCall> ordered;
  ordered.reserve(calls.size());
  const auto emit = [&](const RawCall& call, std::uint8_t depth) {
    ordered.push_back(call);
    ordered.back().depth = depth;
  };
  Returns returns(strings, emit);
  for (Places& places : by_thread(calls)) {
    // Most files are in order.
    if (!std::is_sorted(places.begin(), places.end(), earlier)) std::stable_sort(places.begin(), places.end(), earlier);
    for (const std::uint32_t place : places) returns.add(calls[place]);
    returns.close_all();
  }
  calls = std::move(ordered);
}

void order_thread(std::span<RawCall> calls, const StringTable& strings) {
  if (!std::is_sorted(calls.begin(), calls.end(), begins_before))
    std::stable_sort(calls.begin(), calls.end(), begins_before);
  std::size_t returned = 0;  // never more than were looked at
  const auto emit = [&](const RawCall& call, std::uint8_t depth) {
    calls[returned] = call;
    calls[returned++].depth = depth;
  };
  Returns returns(strings, emit);
  for (const RawCall& call : calls) returns.add(call);
  returns.close_all();
}

}  // namespace zerostall
