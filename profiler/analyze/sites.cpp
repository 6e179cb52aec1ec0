#include "profiler/analyze/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "profiler/analyze/wait_stacks.h"

namespace zerostall {
namespace {

std::string_view strip(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Stable from run to run and machine to machine: FNV-1a.
std::string hash_of(const std::vector<std::string_view>& parts) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](unsigned char c) { hash = (hash ^ c) * 0x100000001b3u; };
  for (const std::string_view part : parts) {
    for (const char c : part) add(static_cast<unsigned char>(c));
    add(0);
  }
  return fmt::format("{:012x}", hash & 0xffffffffffffu);
}

std::string line_text(const Trace& trace, const PythonFrame& frame) {
  const std::string file(trace.text(frame.file)), function(trace.text(frame.function));
  if (file.empty()) return function;
  const std::string place = frame.line > 0 ? fmt::format("{}:{}", file, frame.line) : file;
  return place + " in " + function;
}

bool is_own(const Trace& trace, const PythonFrame& frame) {
  const std::string_view file = trace.text(frame.file);
  return !file.empty() && !is_library_path(file);
}

void take_python(const Trace& trace, const PythonFrame& frame, const SourceTexts& sources, Site& site) {
  site.file = trace.text(frame.file);
  site.function = trace.text(frame.function);
  site.line = frame.line;
  if (const auto source = sources.find({site.file, frame.line}); source != sources.end())
    site.source = strip(source->second);
  site.place = line_text(trace, frame);
}

// From the frames; false: they tell nothing.
bool place_by_stack(const Trace& trace, std::uint32_t id, const SourceTexts& sources, Site& site) {
  const auto found = trace.stacks.stacks.find(id);
  if (found == trace.stacks.stacks.end()) return false;
  const auto& frames = found->second.python;
  const auto own = std::find_if(frames.begin(), frames.end(), [&](const PythonFrame& f) { return is_own(trace, f); });
  if (own != frames.end()) {
    site.from = SiteFrom::own_line;
    take_python(trace, *own, sources, site);
    // The library function that the line called.
    if (own != frames.begin()) site.via = line_text(trace, *(own - 1));
    return true;
  }
  const auto library = std::find_if(frames.begin(), frames.end(), [&](const PythonFrame& f) { return f.file != 0; });
  if (library != frames.end()) {
    site.from = SiteFrom::library_line;
    take_python(trace, *library, sources, site);
    return true;
  }
  if (!frames.empty()) {  // operators alone: the outermost is the one that was called
    site.from = SiteFrom::op;
    site.function = trace.text(frames.back().function);
    site.place = site.function;
    return true;
  }
  for (const NativeFrame& frame : found->second.native) {
    const auto module = trace.stacks.modules.find(frame.module);
    if (module == trace.stacks.modules.end() || is_machinery(module->second.path)) continue;
    site.from = SiteFrom::native;
    site.file = module->second.path;
    site.place = fmt::format("{} +{:#x}", site.file.substr(site.file.rfind('/') + 1), frame.offset);
    return true;
  }
  return false;
}

constexpr std::size_t kMostOfKernel = 63;  // characters of its name

// The last launch of its thread before each wait, in the same step. Waits of a thread are in order.
class LastLaunch {
 public:
  explicit LastLaunch(const Trace& trace) : trace_(trace) {}
  std::string_view before(const Wait& wait, const Step* step) {
    if (wait.thread != thread_) next_ = trace_.threads[thread_ = wait.thread].first, name_ = {};
    const Thread& thread = trace_.threads[thread_];
    for (; next_ < thread.first + thread.count && trace_.calls[next_].begin_ns < wait.begin_ns; ++next_) {
      const Call& call = trace_.calls[next_];
      if (call.outermost && is_launch(call.kind) && call.op != kNoIndex)
        name_ = trace_.text(trace_.gpu_ops[call.op].name), launched_ns_ = call.begin_ns;
    }
    return step != nullptr && launched_ns_ < step->begin_ns ? std::string_view{} : name_;
  }

 private:
  const Trace& trace_;
  ThreadIndex thread_ = kNoIndex;
  CallIndex next_ = 0;
  std::string_view name_;
  Nanos launched_ns_ = 0;
};

void place_by_position(const Step* step, const Wait& wait, std::string_view kernel, Site& site) {
  if (step != nullptr)
    if (const auto regions = regions_at(*step, wait.blocks_ns); !regions.empty()) {
      site.from = SiteFrom::region;
      for (const std::string& name : regions) site.place += (site.place.empty() ? "in " : " > ") + name;
      site.function = site.place;
    }
  site.kernel = kernel;
  if (!kernel.empty())
    site.place += fmt::format("{}after {}", site.place.empty() ? "" : ", ", shortened(kernel, kMostOfKernel));
  if (site.place.empty()) site.place = step != nullptr ? "before the step's first kernel" : "before the first kernel";
}

struct Group {
  Site site;
  std::map<std::string, std::int64_t> kinds;
  std::vector<Count> judged;  // by judged step
  bool drains_known = true;
  std::int64_t drains = 0;
};

void count(const Trace& trace, const Wait& wait, const Cause& cause, Group& group) {
  ++group.site.count;
  ++group.kinds[describe(trace, wait)];
  group.site.blocked_ns = add_up(group.site.blocked_ns, wait.end_ns - wait.begin_ns);
  group.drains_known = group.drains_known && wait.drains.has_value();
  group.drains += wait.drains.value_or(false);
  const bool is_surer = group.site.cause.kind == CauseKind::unknown || cause.confidence > group.site.cause.confidence;
  if (cause.kind != CauseKind::unknown && is_surer) group.site.cause = cause;
}

using Groups = std::map<std::tuple<std::string, CauseKind>, Group>;  // by place and cause

bool has_all_kinds(const Group& group, const Group& of) {
  return std::all_of(of.kinds.begin(), of.kinds.end(),
                     [&](const auto& kind) { return group.kinds.contains(kind.first); });
}

// Waits of a place of which nothing is known (those of an unclosed step, of the warm-up) are like the others of that
// place, if these are the same calls and copies, for one cause.
void join_unknown(Groups& groups, std::vector<Group*>& group_of) {
  for (auto it = groups.begin(); it != groups.end();) {
    const auto& [place, kind] = it->first;
    Group* other = nullptr;
    int others = 0;
    for (std::size_t k = 0; kind == CauseKind::unknown && k + 1 < kCauseKinds; ++k)
      if (const auto found = groups.find({place, static_cast<CauseKind>(k)});
          found != groups.end() && has_all_kinds(found->second, it->second))
        other = &found->second, ++others;
    if (others != 1) {
      ++it;
      continue;
    }
    Group& unknown = it->second;
    other->site.count += unknown.site.count;
    other->site.blocked_ns = add_up(other->site.blocked_ns, unknown.site.blocked_ns);
    if (unknown.site.avoidable_ns)
      other->site.avoidable_ns = add_up(other->site.avoidable_ns.value_or(0), *unknown.site.avoidable_ns);
    other->drains += unknown.drains;
    other->drains_known = other->drains_known && unknown.drains_known;
    for (const auto& [what, n] : unknown.kinds) other->kinds[what] += n;
    std::replace(group_of.begin(), group_of.end(), &unknown, other);
    it = groups.erase(it);
  }
}

// As cause_rules.cpp says it of the wait with which a profiler stops.
bool is_of_the_tool(const Cause& cause) {
  return cause.kind == CauseKind::library_internal && cause.evidence.find("the profiler's own") != std::string::npos;
}

void finish(Group& group) {
  Site& site = group.site;
  const auto most = std::max_element(group.kinds.begin(), group.kinds.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  site.what = most->first;
  site.kinds = static_cast<std::int64_t>(group.kinds.size());
  site.of_the_tool = is_of_the_tool(site.cause);
  site.per_step = spread_of(group.judged);
  for (const Count& one : group.judged) site.judged += *one;
  if (group.drains_known) site.drains = group.drains;
  site.id = hash_of({site.file, site.function, info_of(site.cause.kind).slug, site.source,
                     site.file.empty() && site.function.empty() ? site.place : ""});
}

}  // namespace

std::string_view name_of(SiteFrom from) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"own_line", "library_line", "op", "native", "region", "position"});
  return kNames[static_cast<std::size_t>(from)];
}

bool comes_before(const Site& a, const Site& b, Clock clock) {
  const auto order = [&](const Site& site) {
    const Nanos avoidable = clock == Clock::measured && site.judged > 0 ? site.avoidable_ns.value_or(0) : 0;
    return std::tuple(-avoidable, -site.judged, -site.drains.value_or(0), -site.count, -site.blocked_ns);
  };
  return order(a) < order(b);
}

FoundSites find_sites(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                      const std::vector<Cause>& causes, const Measured& measured, std::size_t warmup,
                      const SourceTexts& sources, const WaitCosts* costs) {
  const std::size_t judged = measured.steps.size() - std::min(warmup, measured.steps.size());
  Groups groups;
  std::vector<Group*> group_of(waits.size(), nullptr);
  LastLaunch last_launch(trace);
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const Wait& wait = waits[i];
    const auto at = step_at(steps.steps, wait.blocks_ns);
    const Step* const step = at ? &steps.steps[*at] : nullptr;
    const std::string_view kernel = last_launch.before(wait, step);
    if (!is_host_wait(wait.kind)) continue;
    Site site;
    if (!place_by_stack(trace, blocking_call(trace, wait).stack, sources, site))
      place_by_position(step, wait, kernel, site);
    Group& group = groups[{site.place + '\n' + site.via, causes[i].kind}];
    if (group.site.count == 0) {
      group.site = std::move(site);
      group.judged.resize(judged, 0);
    }
    count(trace, wait, causes[i], group);
    if (costs) group.site.avoidable_ns = add_up(group.site.avoidable_ns.value_or(0), costs->waits[i].avoidable_ns);
    group_of[i] = &group;
  }
  join_unknown(groups, group_of);
  for (std::size_t step = 0; step < judged; ++step)
    for (const std::uint32_t wait : measured.steps[warmup + step].waits)
      if (group_of[wait] != nullptr) ++*group_of[wait]->judged[step];
  std::vector<Group*> order;
  for (auto& [key, group] : groups) order.push_back(&group);
  for (Group* group : order) finish(*group);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Group* a, const Group* b) { return comes_before(a->site, b->site, trace.meta.clock); });
  FoundSites found;
  found.of_wait.resize(waits.size(), kNoSite);
  std::map<const Group*, std::uint32_t> position;
  for (Group* group : order) {
    position[group] = static_cast<std::uint32_t>(found.sites.size());
    found.sites.push_back(std::move(group->site));
  }
  for (std::size_t i = 0; i < waits.size(); ++i)
    if (group_of[i] != nullptr) found.of_wait[i] = position[group_of[i]];
  return found;
}

}  // namespace zerostall
