#include "tests/trace/import/expected.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "profiler/analyze/measure.h"
#include "profiler/analyze/steps.h"
#include "profiler/analyze/waits.h"

namespace zerostall::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool is_sync(const Call& call) {
  return call.kind == ApiKind::stream_sync || call.kind == ApiKind::device_sync || call.kind == ApiKind::event_sync;
}

// A sum over calls and their copies, as expected.json has it for the file, for a step, and for what is outside.
struct Sum {
  std::map<std::string, std::int64_t> sync_calls, copies, blocking_copies, unknown_copies, graph_or_other;
  std::int64_t sync_calls_nested = 0, copy_calls = 0;
  Nanos sync_ns = 0, copy_ns = 0;

  void add_call(const Trace& trace, const Call& call) {
    if (is_sync(call)) {
      ++sync_calls[std::string(trace.text(call.name))];
      sync_calls_nested += !call.outermost;
      sync_ns += call.outermost ? call.end_ns - call.begin_ns : 0;
    }
    if (call.kind == ApiKind::copy && call.op != kNoIndex && trace.gpu_ops[call.op].kind == GpuOpKind::copy) {
      ++copy_calls;
      if (is_blocking_copy(call)) copy_ns += call.end_ns - call.begin_ns;
    }
  }
  void add_copy(const Trace& trace, const GpuOp& op) {
    const Call& call = trace.calls[op.call];
    const std::string name(trace.text(op.name)), by = name + " by " + std::string(trace.text(call.name));
    ++copies[name];
    if (call.kind != ApiKind::copy)
      ++graph_or_other[by];
    else if (is_blocking_copy(call))
      ++blocking_copies[by];
  }
  json to_json() const {
    json all = json::object();
    const auto put = [&](const char* key, const auto& value, bool is_empty) {
      if (!is_empty) all[key] = value;
    };
    put("sync_calls", sync_calls, sync_calls.empty());
    put("copies", copies, copies.empty());
    put("blocking_copies", blocking_copies, blocking_copies.empty());
    put("graph_or_other", graph_or_other, graph_or_other.empty());
    put("sync_calls_nested", sync_calls_nested, sync_calls_nested == 0);
    put("copy_calls", copy_calls, copy_calls == 0);
    put("sync_ns", sync_ns, sync_ns == 0);
    put("copy_ns", copy_ns, copy_ns == 0);
    return all;
  }
};

std::string step_name(const Trace& trace, const Step& step) {
  for (const Range& range : trace.ranges)
    if (range.begin_ns == step.begin_ns && range.end_ns == step.end_ns && range.thread == step.thread)
      return std::string(trace.text(range.text));
  return "";
}

Nanos to_ns(const json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

// expected.json has microseconds; a double holds nanoseconds of a duration, but not those of today's date.
json in_ns(const json& sum) {
  json copy = sum;
  for (const char* key : {"sync", "copy"}) {
    const std::string us = std::string(key) + "_us";
    if (copy.contains(us)) copy[std::string(key) + "_ns"] = to_ns(copy[us]);
    copy.erase(us);
  }
  return copy;
}

// Which step a call belongs to: by its begin, whatever its thread. -1: none.
std::ptrdiff_t step_of(const std::vector<Step>& steps, Nanos time) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].begin_ns <= time && time < steps[i].end_ns) return static_cast<std::ptrdiff_t>(i);
  return -1;
}

struct Figures {
  Sum total, outside;
  std::map<std::string, std::int64_t> calls_by_name, unmatched, memcpy_kinds;
  std::int64_t nccl_kernels = 0, unmatched_copies = 0;
  json steps = json::array();

  void add(const Trace& trace, const std::string& pattern) {
    const Steps found = split_steps(trace, {pattern});
    std::vector<Sum> sums(found.steps.size());
    const auto place = [&](Nanos time) -> Sum& {
      const auto step = step_of(found.steps, time);
      return step < 0 ? outside : sums[static_cast<std::size_t>(step)];
    };
    for (const Call& call : trace.calls) {
      const bool counts = is_sync(call) || call.kind == ApiKind::copy || call.kind == ApiKind::graph_launch;
      if (counts) ++calls_by_name[std::string(trace.text(call.name))];
      total.add_call(trace, call);
      place(call.begin_ns).add_call(trace, call);
    }
    for (const GpuOp& op : trace.gpu_ops) {
      nccl_kernels += op.kind == GpuOpKind::kernel && trace.text(op.name).starts_with("nccl");
      if (op.kind != GpuOpKind::copy) continue;
      ++memcpy_kinds[std::string(trace.text(op.name))];
      if (op.call == kNoIndex) {
        ++unmatched[std::string(trace.text(op.name))];
        ++unmatched_copies;
        ++total.copies[std::string(trace.text(op.name))];
        continue;
      }
      total.add_copy(trace, op);
      place(trace.calls[op.call].begin_ns).add_copy(trace, op);
    }
    for (std::size_t i = 0; i < found.steps.size(); ++i) {
      json step = sums[i].to_json();
      step["step"] = step_name(trace, found.steps[i]);
      step["dur_ns"] = found.steps[i].end_ns - found.steps[i].begin_ns;
      steps.push_back(std::move(step));
    }
    check_measured(trace, found);
  }

  // What `stat` prints, summed over steps, background and outside, are the outermost ones of these calls.
  std::map<std::string, std::int64_t> measured;
  void check_measured(const Trace& trace, const Steps& found) {
    const auto waits = find_waits(trace);
    const Measured all = measure_steps(trace, found, waits);
    const auto add_all = [&](const Counters& counters) {
      for (const Counter c : {Counter::stream_syncs, Counter::event_syncs, Counter::device_syncs})
        measured["syncs"] += counters[c].value_or(0);
    };
    for (const StepStats& step : all.steps) add_all(step.counters);
    add_all(all.background);
    add_all(all.unclosed);
    add_all(all.outside);
  }
};

}  // namespace

std::optional<fs::path> corpus_folder() {
  const char* given = std::getenv("ZEROSTALL_TRACES");
  const fs::path folder = given ? fs::path(given) : fs::path(ZEROSTALL_SOURCE_DIR).parent_path() / "shared" / "traces";
  std::error_code error;
  return fs::exists(folder / "expected.json", error) ? std::optional(folder) : std::nullopt;
}

std::vector<std::pair<std::string, json>> corpus_files(const std::string& ending) {
  std::vector<std::pair<std::string, json>> files;
  const auto folder = corpus_folder();
  if (!folder) return files;
  const json all = json::parse(std::ifstream(*folder / "expected.json"));
  for (const auto& [name, answers] : all.items())
    if (name.ends_with(ending)) files.emplace_back(name, answers);
  return files;
}

json figures_of(const std::vector<Trace>& traces, const json& answers) {
  std::string pattern = answers["step_regex"];
  if (pattern.starts_with("(?i)")) pattern = pattern.substr(4);
  Figures f;
  for (const Trace& trace : traces) f.add(trace, pattern);
  json all = {{"total", f.total.to_json()},
              {"outside", f.outside.to_json()},
              {"steps", f.steps},
              {"calls_by_name", f.calls_by_name},
              {"memcpy_kinds", f.memcpy_kinds},
              {"unmatched", f.unmatched.empty() ? json::object() : json{{"copies", f.unmatched}}},
              {"copies_without_call", f.unmatched_copies},
              {"n_steps", f.steps.size()},
              {"measured_syncs", f.measured["syncs"]}};
  if (answers.contains("nccl_kernels")) all["nccl_kernels"] = f.nccl_kernels;
  return all;
}

bool has_rounded_times(const json& answers) {
  constexpr double kQuarters = double(std::int64_t{1} << 50);
  return !answers["steps"].empty() && answers["steps"][0]["ts"].get<double>() > kQuarters;
}

void forgive_rounding(const json& expected, json& found) {
  for (std::size_t i = 0; i < std::min(expected["steps"].size(), found["steps"].size()); ++i) {
    json& ns = found["steps"][i]["dur_ns"];
    const json& rounded = expected["steps"][i]["dur_ns"];
    if (std::abs(ns.get<Nanos>() - rounded.get<Nanos>()) <= 250) ns = rounded;
  }
}

json comparable(const json& answers) {
  json all;
  for (const char* key : {"memcpy_kinds", "unmatched", "n_steps"}) all[key] = answers[key];
  all["calls_by_name"] = json::object();
  for (const auto& [name, count] : answers["calls_by_name"].items()) {
    json& sum = all["calls_by_name"][std::string(strip_version(name))];
    sum = (sum.is_null() ? 0 : sum.get<std::int64_t>()) + count.get<std::int64_t>();
  }
  for (const char* key : {"total", "outside"}) all[key] = in_ns(answers[key]);
  all["steps"] = json::array();
  for (json step : answers["steps"]) {
    step["dur_ns"] = to_ns(step["dur"]);
    for (const char* key : {"dur", "ts", "pid"}) step.erase(key);
    all["steps"].push_back(in_ns(step));
  }
  all["copies_without_call"] = answers["oddities"].value("copy_without_host_call", 0);
  if (answers.contains("nccl_kernels")) all["nccl_kernels"] = answers["nccl_kernels"];
  std::int64_t syncs = -answers["total"].value("sync_calls_nested", 0);
  const json calls = answers["total"].value("sync_calls", json::object());
  for (const auto& [name, count] : calls.items()) syncs += count.get<std::int64_t>();
  all["measured_syncs"] = syncs;
  return all;
}

}  // namespace zerostall::testing
