#include "reports/stat_json.h"

#include <limits>

#include "reports/json_parts.h"
#include "reports/ranks_json.h"
#include "reports/stat_sites.h"

namespace zerostall {
namespace {

// A trace that was cut before its description says nothing about its clock.
Json clock(const RunSummary& run) {
  if (run.truncated && run.meta.tool.empty()) return nullptr;
  return run.meta.clock == Clock::modelled ? "modelled" : "measured";
}

Json source(const RunSummary& run) {
  return {{"path", run.path},
          {"format", run.meta.format},
          {"tool", run.meta.tool.empty() ? Json(nullptr) : Json(run.meta.tool)},
          {"clock", clock(run)}};
}

Json device(const RunSummary& run) {
  if (run.meta.device.empty()) return nullptr;
  const Json parsed = Json::parse(run.meta.device, nullptr, false);
  return parsed.is_object() ? parsed : Json(nullptr);
}

// What each host wait of a step was, in order, thread by thread.
Json host_waits(const StepRow& step) {
  Json list = Json::array();
  for (const WaitSeen& wait : step.waits)
    if (is_host_wait(wait.kind)) list.push_back(wait.what);
  return list;
}

Json steps(const RunSummary& run) {
  Json list = Json::array();
  for (const StepRow& step : run.steps) {
    Json row = {
        {"index", step.number},      {"begin_ns", step.begin_ns},
        {"end_ns", step.end_ns},     {"judged", step.judged},
        {"unsteady", step.unsteady}, {"own_cost_ns", step.own_cost_ns ? Json(*step.own_cost_ns) : Json(nullptr)}};
    const Json counters = to_json(step.counters);
    for (const auto& [key, value] : counters.items()) row[key] = value;
    const auto idle = [&](Nanos IdleTime::*part) {
      return step.gpu_idle ? Json((*step.gpu_idle).*part) : Json(nullptr);
    };
    row["effective_ns"] = step.effective_ns ? Json(*step.effective_ns) : Json(nullptr);
    row["bubble_ns"] = idle(&IdleTime::bubbles_ns);
    row["avoidable_idle_ns"] = idle(&IdleTime::avoidable_ns);
    row["host_bound_idle_ns"] = idle(&IdleTime::host_bound_ns);
    row["dependency_idle_ns"] = idle(&IdleTime::dependency_ns);
    row["unknown_idle_ns"] = idle(&IdleTime::unknown_ns);
    row["implicit_ns"] = run.region.empty() ? Json(step.implicit_ns) : Json(nullptr);
    row["host_waits"] = host_waits(step);
    list.push_back(std::move(row));
  }
  return list;
}

Json regions(const RunSummary& run) {
  Json json = Json::object();
  for (const RegionSummary& region : run.regions) json[region.name] = {{"per_step", to_json(region.per_step)}};
  return json;
}

Json waits(const RunSummary& run) {
  Json list = Json::array();
  for (const WaitGroup& group : group_waits(run))
    list.push_back({{"what", group.what}, {"count", group.count}, {"per_step", to_json(group.per_step)}});
  return list;
}

Json number(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json line_or_null(std::uint32_t line) { return line == 0 ? Json(nullptr) : Json(line); }

Json to_json(const SourceLine& line) {
  return {{"file", text_or_null(line.file)},
          {"line", line_or_null(line.line)},
          {"function", text_or_null(line.function)},
          {"library", line.library}};
}

Json to_json(const NativeLine& frame) {
  Json sources = Json::array();
  for (const SourceLine& source : frame.sources) sources.push_back(to_json(source));
  return {{"module", text_or_null(frame.module)},
          {"build_id", text_or_null(frame.build_id)},
          {"offset", frame.offset},
          {"sources", std::move(sources)},
          {"why_not", text_or_null(frame.why_not)}};
}

std::string_view name_of(PythonFrames frames) {
  switch (frames) {
    case PythonFrames::none:
      return "none";
    case PythonFrames::known:
      return "known";
    case PythonFrames::operators_only:
      return "operators_only";
    case PythonFrames::unknown:
      break;
  }
  return "unknown";
}

Json stacks(const RunSummary& run) {
  Json list = Json::array();
  for (const WaitStack& stack : run.stacks) {
    Json waits = Json::array(), python = Json::array(), native = Json::array();
    for (const WaitsThere& there : stack.waits)
      waits.push_back({{"what", there.what}, {"count", there.count}, {"per_step", to_json(there.per_step)}});
    for (const SourceLine& line : stack.python) python.push_back(to_json(line));
    for (const NativeLine& frame : stack.native) native.push_back(to_json(frame));
    list.push_back({{"id", stack.id == 0 ? Json(nullptr) : Json(stack.id)},
                    {"waits", std::move(waits)},
                    {"python_frames", name_of(stack.python_frames)},
                    {"python", std::move(python)},
                    {"python_cut", stack.python_cut},
                    {"native", std::move(native)},
                    {"native_cut", stack.native_cut}});
  }
  return list;
}

Json calls(const RunSummary& run) {
  Json json = Json::object();
  for (const CallRow& call : run.calls)
    json[call.name] = {
        {"count", call.count}, {"nested", call.nested}, {"failed", call.failed}, {"time_ns", call.time_ns}};
  return json;
}

Json sites(const RunSummary& run, const std::vector<Site>& all) {
  Json list = Json::array();
  for (const Site& site : all)
    list.push_back(
        {{"site", site.place},
         {"id", site.id},
         {"from", name_of(site.from)},
         {"file", text_or_null(site.file)},
         {"function", text_or_null(site.function)},
         {"line", line_or_null(site.line)},
         {"source", text_or_null(site.source)},
         {"via", text_or_null(site.via)},
         {"what", site.what},
         {"kinds", site.kinds},
         {"cause", info_of(site.cause.kind).slug},
         {"confidence",
          site.cause.kind == CauseKind::unknown ? Json(nullptr) : Json(zerostall::name_of(site.cause.confidence))},
         {"evidence", text_or_null(site.cause.evidence)},
         {"waits", site.count},
         {"waits_per_step", to_json(site.per_step)},
         {"drains", site.drains ? Json(*site.drains) : Json(nullptr)},
         {"blocked_ns", site.blocked_ns},
         {"avoidable_idle_ns", site.avoidable_ns ? Json(*site.avoidable_ns) : Json(nullptr)},
         {"advice", site.of_the_tool ? Json(nullptr) : text_or_null(advice_for(run, site.cause.kind))},
         {"during", text_or_null(site.during)}});
  return list;
}

Json causes(const RunSummary& run) {
  Json list = Json::array();
  for (const CauseRow& row : run.causes)
    list.push_back({{"cause", info_of(row.kind).slug},
                    {"places", row.places},
                    {"waits", row.count},
                    {"waits_per_step", to_json(row.per_step)},
                    {"drains", number(row.drains)},
                    {"blocked_ns", row.blocked_ns},
                    {"avoidable_idle_ns", number(row.avoidable_ns)},
                    {"advice", text_or_null(advice_for(run, row.kind))}});
  return list;
}

Json threads(const RunSummary& run) {
  Json list = Json::array();
  for (const ThreadRow& row : run.threads) {
    // The system's numbers are others each time: a simulated run is to say the same.
    Json thread = {{"id", run.meta.clock == Clock::modelled ? Json(nullptr) : Json(row.id)},
                   {"role", name_of(row.role)},
                   {"cuda_calls", row.calls},
                   {"waits_per_step", to_json(row.per_step)},
                   {"avoidable_idle_ns", number(row.avoidable_ns)}};
    const Json counters = to_json(row.counters);
    for (const auto& [key, value] : counters.items())
      if (key != "blocked_other_threads_ns") thread[key] = value;
    list.push_back(std::move(thread));
  }
  return list;
}

Json streams(const RunSummary& run) {
  Json list = Json::array();
  for (const StreamRow& row : run.streams) {
    const bool is_known = row.scope != StreamScope::unknown;
    list.push_back({{"scope", name_of(row.scope)},
                    {"device", is_known ? Json(row.device) : Json(nullptr)},
                    {"stream", row.scope == StreamScope::stream ? Json(row.stream) : Json(nullptr)},
                    {"waits", row.waits},
                    {"waits_per_step", to_json(row.per_step)},
                    {"drains", number(row.drains)},
                    {"blocked_ns", row.blocked_ns},
                    {"gpu_work", number(row.work)},
                    {"busy_ns", number(row.busy_ns)},
                    {"idle_ns", number(row.idle_ns)}});
  }
  return list;
}

// By the names of the tool that wrote the file; empty for our own files.
Json contents(const RunSummary& run) {
  Json json = Json::object();
  for (const auto& [name, count] : run.contents) json[name] = count;
  return json;
}

Json oddities(const RunSummary& run) {
  Json json = Json::object();
  for (const auto& [name, count] : run.oddities) json[name] = count;
  json["truncated"] = run.truncated;
  json["stop_reason"] = run.end.reason.empty() ? Json(nullptr) : Json(run.end.reason);
  json["stopped_at_byte"] = run.truncated && run.end.byte > 0 ? Json(run.end.byte) : Json(nullptr);
  json["damage"] = run.end.damage.empty() ? Json(nullptr) : Json(run.end.damage);
  json["unsupported_calls"] = Json(run.unsupported);
  json["unreal_readbacks"] = {{"total", run.unreal_readbacks.total}, {"judged", run.unreal_readbacks.judged}};
  json["tool_problems"] = run.tool_problems;
  json["unknown_calls"] = Json(run.unknown);
  json["unknown_api_ids"] = run.meta.unknown_apis;
  json["warnings"] = run.warnings;
  json["other_step_names"] = run.other_step_names;
  return json;
}

Json text(const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); }

Json gpu_work(const RunSummary& run) {
  return {{"kernels", number(run.gpu_work.kernels)},
          {"copies", number(run.gpu_work.copies)},
          {"memsets", number(run.gpu_work.memsets)},
          {"graphs", run.gpu_work.graphs}};
}

Json process_list(const std::vector<NamedRun>& processes) {
  Json list = Json::array();
  for (const NamedRun& process : processes) {
    const RunSummary& run = process.summary;
    list.push_back({{"file", process.name},
                    {"rank", number(run.meta.rank)},
                    {"local_rank", number(run.meta.local_rank)},
                    {"pid", number(run.meta.pid)},
                    {"argv", nullptr},  // of older versions: a trace does not hold it any more
                    {"complete", run.complete()},
                    {"steps", run.steps.size()},
                    {"totals", to_json(run.totals)},
                    {"per_step", to_json(run.per_step)},
                    {"program", text(run.meta.program)},
                    {"script", text(run.meta.script)},
                    {"arguments", number(run.meta.arguments)},
                    {"world_size", number(run.meta.world_size)},
                    {"host_number", number(run.meta.host_number)},
                    {"host", text(run.meta.host)}});
  }
  return list;
}

Json repeatable(const RunSummary& run) { return run.times_repeatable ? Json(*run.times_repeatable) : Json(nullptr); }

Json own_cost(const RunSummary& run) {
  Json kinds = Json::object();
  for (const auto& [kind, cost] : run.meta.own_cost)
    kinds[kind] = {{"samples", cost.samples}, {"ns_per_call", cost.ns / cost.samples}};
  return kinds.empty() ? Json(nullptr) : kinds;
}

// Of those that reach to the beginning or the end of the recording that side is null.
Json windows(const RunSummary& run) {
  if (!run.windows) return nullptr;
  Json list = Json::array();
  for (const RecordingWindow& window : *run.windows) {
    const bool from_start = window.begin_ns == std::numeric_limits<Nanos>::min();
    const bool to_end = window.end_ns == std::numeric_limits<Nanos>::max();
    list.push_back({{"begin_ns", from_start ? Json(nullptr) : Json(window.begin_ns)},
                    {"end_ns", to_end ? Json(nullptr) : Json(window.end_ns)}});
  }
  return list;
}

}  // namespace

std::string render_stat_json(const RunSummary& run, const std::vector<NamedRun>& processes,
                             const std::vector<UnreadableTrace>& unreadable, bool with_stacks, const Ranks& ranks) {
  Json json = {{"schema", "zerostall/stat/1"},
               {"source", source(run)},
               {"device", device(run)},
               {"complete", run.complete()},
               {"windows", windows(run)},
               {"lost", run.lost},
               {"times_repeatable", repeatable(run)},
               {"corrected", run.corrected},
               {"own_cost", own_cost(run)},
               {"steps_from", name_of(run.steps_from)},
               {"steps_confidence", run.steps_confidence ? Json(name_of(*run.steps_confidence)) : Json(nullptr)},
               {"steps_how", text_or_null(run.steps_how)},
               {"warmup", run.warmup},
               {"region", text_or_null(run.region)},
               {"steps", steps(run)},
               {"background", to_json(run.background)},
               {"unclosed", to_json(run.unclosed)},
               {"outside", to_json(run.outside)},
               {"totals", to_json(run.totals)}};
  json["per_step"] = to_json(run.per_step);
  json["regions"] = regions(run);
  json["outside_regions"] = Json::object();  // of "outside"
  for (const RegionRow& region : run.outside_regions) json["outside_regions"][region.name] = to_json(region.counters);
  json["waits"] = waits(run);
  const bool is_whole = run.region.empty();  // of a region alone these are not known
  json["calls"] = is_whole ? calls(run) : Json(nullptr);
  json["copies"] = is_whole ? to_json(run.copies) : Json(nullptr);
  json["gpu_work"] = is_whole ? gpu_work(run) : Json(nullptr);
  json["stacks"] = with_stacks && is_whole ? stacks(run) : Json(nullptr);
  json["sites"] = sites(run, run.sites);
  json["implicit_sites"] = is_whole ? sites(run, run.implicit_sites) : Json(nullptr);
  json["causes"] = causes(run);
  json["threads"] = is_whole ? threads(run) : Json(nullptr);
  json["streams"] = is_whole ? streams(run) : Json(nullptr);
  json["oddities"] = oddities(run);
  json["contents"] = contents(run);
  if (processes.empty()) return to_text(json);
  json["processes"] = process_list(processes);
  json["unreadable"] = Json::array();
  for (const auto& [name, why] : unreadable) json["unreadable"].push_back({{"file", name}, {"why", why}});
  json["ranks"] = ranks_json(ranks, processes);
  return to_text(json);
}

}  // namespace zerostall
