#include "profiler/analyze/launches.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

namespace zerostall {
namespace {

StringId name_id(const Trace& trace, const Call& call) {
  if (call.kind == ApiKind::graph_launch || call.op == kNoIndex) return call.name;
  const GpuOp& op = trace.gpu_ops[call.op];
  return op.kind == GpuOpKind::kernel ? op.name : call.name;
}

// Position of the first window that ends at or behind this moment.
std::size_t window_of(const Trace& trace, Nanos time) {
  if (!trace.windows) return 0;
  const auto at = std::partition_point(trace.windows->begin(), trace.windows->end(),
                                       [&](const RecordingWindow& w) { return w.end_ns < time; });
  return static_cast<std::size_t>(at - trace.windows->begin());
}

class Alphabet {
 public:
  Token token(StringId name, std::uint64_t handle) {
    return known_.try_emplace({name, handle}, static_cast<Token>(next_)).second ? next_++ : known_[{name, handle}];
  }
  Token unique() { return next_++; }

 private:
  std::map<std::pair<StringId, std::uint64_t>, Token> known_;
  Token next_ = 0;
};

// "void gemm_128x64<(int)3>(float*)" -> "void gemm_x".
std::string family(std::string_view name) {
  std::string text;
  int depth = 0;
  for (const char c : name) {
    if (c == '<' || c == '(') ++depth;
    if (depth == 0 && (c < '0' || c > '9')) text += c;
    if (c == '>' || c == ')') depth = std::max(0, depth - 1);
  }
  return text;
}

}  // namespace

std::string_view launched_name(const Trace& trace, const Call& call) { return trace.text(name_id(trace, call)); }

std::vector<Launches> launches_by_thread(const Trace& trace) {
  std::vector<Launches> all;
  Alphabet alphabet;
  for (ThreadIndex t = 0; t < trace.threads.size(); ++t) {
    Launches launches;
    launches.thread = t;
    std::size_t window = 0;
    const Thread& thread = trace.threads[t];
    for (CallIndex i = thread.first; i < thread.first + thread.count; ++i) {
      const Call& call = trace.calls[i];
      if (!call.outermost || !is_launch(call.kind)) continue;
      const std::size_t now = window_of(trace, call.begin_ns);
      if (launches.size() > 0 && now != window) {
        launches.calls.push_back(kNoIndex);
        launches.tokens.push_back(alphabet.unique());
      }
      window = now;
      launches.calls.push_back(i);
      const std::uint64_t exec = call.kind == ApiKind::graph_launch ? call.handle : 0;
      launches.tokens.push_back(alphabet.token(name_id(trace, call), exec));
    }
    if (launches.size() > 0) all.push_back(std::move(launches));
  }
  return all;
}

std::vector<Token> families_of(const Trace& trace, const Launches& launches) {
  std::unordered_map<Token, Token> family_of;
  std::map<std::string, Token> known;
  Token next = 0;
  std::vector<Token> families;
  families.reserve(launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto [entry, is_new] = family_of.try_emplace(launches.tokens[i], next);
    if (is_new) {
      const CallIndex call = launches.calls[i];
      const std::string name = call == kNoIndex ? "" : family(launched_name(trace, trace.calls[call]));
      const auto [same, first] = known.try_emplace(call == kNoIndex ? std::to_string(i) : name, next);
      next += first ? 1 : 0;
      entry->second = same->second;
    }
    families.push_back(entry->second);
  }
  return families;
}

}  // namespace zerostall
