#include "profiler/simgpu/core/readback.h"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "profiler/base/sim_values.h"
#include "profiler/simgpu/core/call_site.h"
#include "profiler/simgpu/core/journal.h"
#include "profiler/simgpu/core/object_sizes.h"
#include "profiler/simgpu/core/ranges.h"
#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {
namespace {

struct Supply {
  std::mutex lock;
  SuppliedValues values;
  std::vector<std::uint64_t> matches;  // by entry: read-backs its conditions let through
  bool any = false, any_always = false;
};

Supply& supply() {
  static Supply* instance = new Supply;
  return *instance;
}

bool glob(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// The whole, or what follows a '/'.
bool glob_end(const std::string& pattern, const std::string& text) {
  if (glob(pattern, text)) return true;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '/' && glob(pattern, text.substr(i + 1))) return true;
  return false;
}

bool place_matches(const std::string& pattern, const CallSite& site) {
  if (site.file.empty()) return glob(pattern, site.native);
  if (pattern == describe(site)) return true;  // as reports show it
  return glob_end(pattern, site.file + ":" + std::to_string(site.line)) || glob_end(pattern, site.file);
}

bool conditions_hold(const SuppliedRead& e, std::size_t bytes, const CallSite& site) {
  const auto& ranges = thread_ranges();
  if (e.bytes && *e.bytes != bytes) return false;
  if (!e.range.empty() && std::none_of(ranges.begin(), ranges.end(), [&](auto& r) { return glob(e.range, r); }))
    return false;
  if (!e.at.empty() && !place_matches(e.at, site)) return false;
  if (!e.function.empty() && !glob(e.function, site.function)) return false;
  if (!e.library.empty() && !glob_end(e.library, site.library)) return false;
  return std::all_of(e.values.begin(), e.values.end(), [&](auto& v) { return bytes % v.size() == 0; });
}

void repeat_into(void* target, std::size_t bytes, const std::string& value) {
  auto* out = static_cast<char*>(target);
  // NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, no text
  for (std::size_t i = 0; i < bytes; i += value.size()) std::memcpy(out + i, value.data(), value.size());
}

// The value for the k-th match (from 0) of an entry; null: zeros.
const std::string* value_for(const SuppliedRead& e, std::uint64_t k) {
  const std::uint64_t n = e.values.size();
  if (k < n) return &e.values[k];
  if (e.after == AfterLast::zero) return nullptr;
  return e.after == AfterLast::cycle ? &e.values[k % n] : &e.values.back();
}

bool supplied(void* target, std::size_t bytes, const CallSite& site, bool real) {
  Supply& s = supply();
  std::lock_guard guard(s.lock);
  for (std::size_t i = 0; i < s.values.reads.size(); ++i) {
    const SuppliedRead& e = s.values.reads[i];
    if ((real && !e.always) || !conditions_hold(e, bytes, site)) continue;
    const std::uint64_t k = s.matches[i]++;
    if (e.nth && *e.nth != k + 1) continue;
    if (const std::string* value = value_for(e, e.nth ? 0 : k))
      repeat_into(target, bytes, *value);
    else
      std::memset(target, 0, bytes);
    return true;
  }
  return false;
}

const char* innermost_range() { return thread_ranges().empty() ? "" : thread_ranges().back().c_str(); }

}  // namespace

void load_supplied_values() {
  const char* path = std::getenv("ZEROSTALL_SIM_VALUES");
  if (!path || !*path) return;
  std::string error;
  auto values = load_sim_values(path, &error);
  if (!values) {
    std::fprintf(stderr, "[zerostall] --sim-values: %s\n", error.c_str());
    std::fflush(nullptr);
    _exit(2);
  }
  Supply& s = supply();
  std::lock_guard guard(s.lock);
  s.values = std::move(*values);
  s.matches.assign(s.values.reads.size(), 0);
  s.any = !s.values.reads.empty();
  s.any_always = std::any_of(s.values.reads.begin(), s.values.reads.end(), [](auto& e) { return e.always; });
}

void read_back(void* target, const void* source, std::size_t bytes, const char* api) {
  const Certainty certainty = simulator().memory.contents().read(target, source, bytes);
  const Supply& s = supply();
  const bool real = certainty == Certainty::real;
  if (real && !s.any_always) return;
  const CallSite site = find_call_site();
  if (s.any && supplied(target, bytes, site, real)) {
    if (!real) note_supplied();
    return;
  }
  if (real) return;
  bool stored = certainty == Certainty::stored;
  stored |= fill_object_size(target, bytes, site, stored);
  report_unreal_readback({api, bytes, stored, &site, innermost_range()});
}

}  // namespace zerostall::simgpu
