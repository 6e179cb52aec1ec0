#include "profiler/trace/import/order_calls.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

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

// One thread's calls, by begin and longest first, to the order of their returns.
class Returns {
 public:
  Returns(std::vector<RawCall>& out, const StringTable& strings) : out_(out), strings_(strings) {}

  void add(const RawCall& call) {
    if (!open_.empty() && call.end_ns <= open_.back().begin_ns && !lies_in(call, open_.back(), strings_)) {
      emit(call, open_.size() - 1);  // of no length, where a longer one begins: it was before
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
    const RawCall call = open_.back();
    open_.pop_back();
    emit(call, open_.size());
  }
  void emit(RawCall call, std::size_t depth) {
    call.depth = static_cast<std::uint8_t>(std::min(depth, kDeepest));
    out_.push_back(call);
  }

  std::vector<RawCall>& out_;
  const StringTable& strings_;
  std::vector<RawCall> open_;
};

}  // namespace

void order_calls(std::vector<RawCall>& calls, const StringTable& strings) {
  const auto before = [](const RawCall& a, const RawCall& b) {
    if (a.thread != b.thread) return a.thread < b.thread;
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  };
  if (!std::is_sorted(calls.begin(), calls.end(), before)) std::stable_sort(calls.begin(), calls.end(), before);
  std::vector<RawCall> ordered;
  ordered.reserve(calls.size());
  Returns returns(ordered, strings);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i > 0 && calls[i].thread != calls[i - 1].thread) returns.close_all();
    returns.add(calls[i]);
  }
  returns.close_all();
  calls = std::move(ordered);
}

}  // namespace zerostall
