#include "profiler/analyze/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profiler/analyze/during.h"
#include "profiler/analyze/wait_stacks.h"
#include "profiler/analyze/wait_texts.h"
#include "profiler/base/strings.h"

namespace zerostall {
namespace {

std::string_view strip(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
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

// Places with what is known of them, each worked out once: for all waits of a stack, and by name.
class Places {
 public:
  Places(const Trace& trace, const SourceTexts& sources) : trace_(trace), sources_(sources) {}

  struct Place {
    Site site;        // where, and nothing of its waits
    std::string key;  // equal for waits of one place
  };

  const Place& of(const Wait& wait, const Step* step, std::string_view kernel) {
    const std::uint32_t stack = blocking_call(trace_, wait).stack;
    const auto [known, is_new] = by_stack_.try_emplace(stack, nullptr);
    if (is_new) {
      Site site;
      if (place_by_stack(trace_, stack, sources_, site)) known->second = &add(std::move(site));
    }
    if (known->second != nullptr) return *known->second;
    Site site;
    place_by_position(step, wait, kernel, site);
    return add(std::move(site));
  }

 private:
  const Place& add(Site site) {
    std::string key = site.place + '\n' + site.via;
    return by_key_.try_emplace(key, Place{std::move(site), key}).first->second;
  }

  const Trace& trace_;
  const SourceTexts& sources_;
  std::unordered_map<std::uint32_t, const Place*> by_stack_;
  std::map<std::string, Place> by_key_;
};

struct Group {
  Site site;
  std::map<std::uint32_t, std::int64_t> kinds;  // by WaitTexts
  std::vector<Count> judged;                    // by judged step
  bool drains_known = true;
  std::int64_t drains = 0;
  std::optional<During> during;
  bool is_during_told = true;  // of all its waits in steps, and of one function
};

void count(const Wait& wait, std::uint32_t kind, const Cause& cause, Group& group) {
  ++group.site.count;
  ++group.kinds[kind];
  group.site.blocked_ns = add_up(group.site.blocked_ns, wait.end_ns - wait.begin_ns);
  group.drains_known = group.drains_known && wait.drains.has_value();
  group.drains += wait.drains.value_or(false);
  const bool is_surer = group.site.cause.kind == CauseKind::unknown || cause.confidence > group.site.cause.confidence;
  if (cause.kind != CauseKind::unknown && is_surer) group.site.cause = cause;
}

void add_during(const std::optional<During>& during, Group& group) {
  if (!group.is_during_told) return;
  const bool is_first = !group.during;
  if (during) group.during = is_first ? during : join(*group.during, *during);
  group.is_during_told = during.has_value() && group.during.has_value();
}

using Groups = std::map<std::pair<std::string_view, CauseKind>, Group>;  // by place (Places') and cause

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
    other->is_during_told = false;
    std::replace(group_of.begin(), group_of.end(), &unknown, other);
    it = groups.erase(it);
  }
}

// As cause_rules.cpp says it of the wait with which a profiler stops.
bool is_of_the_tool(const Cause& cause) {
  return cause.kind == CauseKind::library_internal && cause.evidence.find("the profiler's own") != std::string::npos;
}

void finish(const Trace& trace, const WaitTexts& texts, Group& group) {
  Site& site = group.site;
  std::map<std::string_view, std::int64_t> kinds;  // of equally many the first by text
  for (const auto& [kind, n] : group.kinds) kinds[texts.text(kind)] = n;
  const auto most =
      std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  site.what = most->first;
  site.kinds = static_cast<std::int64_t>(kinds.size());
  site.of_the_tool = is_of_the_tool(site.cause);
  site.per_step = spread_of(group.judged);
  for (const Count& one : group.judged) site.judged += *one;
  if (group.drains_known) site.drains = group.drains;
  if (group.is_during_told && group.during) site.during = describe(trace, *group.during);
  const std::uint64_t hash = stable_hash({site.file, site.function, info_of(site.cause.kind).slug, site.source,
                                          site.file.empty() && site.function.empty() ? site.place : ""});
  site.id = fmt::format("{:012x}", hash & 0xffffffffffffu);
}

// What the sites of a trace are made from.
struct Input {
  const Trace& trace;
  const Steps& steps;
  const std::vector<Wait>& waits;
  const std::vector<Cause>& causes;
  const SourceTexts& sources;
  std::size_t judged = 0;  // steps
};

// The waits of some kinds by place and cause, and the group of each wait; null = of another kind.
template <class IsWanted>
std::vector<Group*> group_waits(const Input& in, Places& places, WaitTexts& texts, const WaitCosts* costs,
                                const IsWanted& is_wanted, Groups& groups) {
  std::vector<Group*> group_of(in.waits.size(), nullptr);
  LastLaunch last_launch(in.trace);
  MarkingThreads marking(in.trace);
  for (std::size_t i = 0; i < in.waits.size(); ++i) {
    const Wait& wait = in.waits[i];
    const auto at = step_at(in.steps.steps, wait.blocks_ns);
    const Step* const step = at ? &in.steps.steps[*at] : nullptr;
    const std::string_view kernel = last_launch.before(wait, step);
    if (!is_wanted(wait.kind)) continue;
    const Places::Place& place = places.of(wait, step, kernel);
    Group& group = groups[{place.key, in.causes[i].kind}];
    if (group.site.count == 0) {
      group.site = place.site;
      group.judged.resize(in.judged, 0);
    }
    count(wait, texts.id_of(wait), in.causes[i], group);
    if (place.site.from != SiteFrom::own_line && step != nullptr) add_during(marking.during(*step, wait), group);
    if (costs) group.site.avoidable_ns = add_up(group.site.avoidable_ns.value_or(0), costs->waits[i].avoidable_ns);
    group_of[i] = &group;
  }
  join_unknown(groups, group_of);
  return group_of;
}

FoundSites finish_all(const Trace& trace, const WaitTexts& texts, const std::vector<Group*>& group_of, Groups& groups) {
  std::vector<Group*> order;
  for (auto& [key, group] : groups) order.push_back(&group);
  for (Group* group : order) finish(trace, texts, *group);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Group* a, const Group* b) { return comes_before(a->site, b->site, trace.meta.clock); });
  FoundSites found;
  found.of_wait.resize(group_of.size(), kNoSite);
  std::map<const Group*, std::uint32_t> position;
  for (Group* group : order) {
    position[group] = static_cast<std::uint32_t>(found.sites.size());
    found.sites.push_back(std::move(group->site));
  }
  for (std::size_t i = 0; i < group_of.size(); ++i)
    if (group_of[i] != nullptr) found.of_wait[i] = position[group_of[i]];
  return found;
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
  Places places(trace, sources);
  WaitTexts texts(trace);
  Groups groups;
  const auto group_of =
      group_waits({trace, steps, waits, causes, sources, judged}, places, texts, costs, is_host_wait, groups);
  for (std::size_t step = 0; step < judged; ++step)
    for (const std::uint32_t wait : measured.steps[warmup + step].waits)
      if (group_of[wait] != nullptr) ++*group_of[wait]->judged[step];
  return finish_all(trace, texts, group_of, groups);
}

std::vector<Site> find_implicit_sites(const Trace& trace, const Steps& steps, const std::vector<Wait>& waits,
                                      const std::vector<Cause>& causes, std::size_t warmup,
                                      const SourceTexts& sources) {
  const std::size_t judged = steps.steps.size() - std::min(warmup, steps.steps.size());
  Places places(trace, sources);
  WaitTexts texts(trace);
  Groups groups;
  const auto is_implicit = [](WaitKind kind) { return kind == WaitKind::implicit; };
  const auto group_of =
      group_waits({trace, steps, waits, causes, sources, judged}, places, texts, nullptr, is_implicit, groups);
  for (std::size_t i = 0; i < waits.size(); ++i)
    if (const auto step = step_at(steps.steps, waits[i].blocks_ns); step && *step >= warmup && group_of[i] != nullptr)
      ++*group_of[i]->judged[*step - warmup];
  return finish_all(trace, texts, group_of, groups).sites;
}

std::string shown_place(const Site& site) { return site.during.empty() ? site.place : site.place + ", " + site.during; }

}  // namespace zerostall
