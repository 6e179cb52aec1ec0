#include "profiler/gate/baseline_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profiler/base/strings.h"
#include "profiler/gate/baseline_parts.h"

namespace zerostall {
namespace {

using nlohmann::json;

constexpr std::string_view kFamily = "zerostall/baseline/";
constexpr std::int64_t kVersion = 1;

std::string quoted(const std::string& text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

std::string render(const BaselineCount& count, std::int64_t judged) {
  if (count.min == count.max && count.sum == count.max * judged) return fmt::to_string(count.max);
  return fmt::format(R"({{"min": {}, "max": {}, "sum": {}}})", count.min, count.max, count.sum);
}

std::string render(const BaselineCounts& counts, std::int64_t judged) {
  std::vector<std::string> parts;
  for (const Metric* metric : gate::baseline_metrics())
    if (const auto count = counts.find(std::string(metric->key)); count != counts.end())
      parts.push_back(fmt::format("\"{}\": {}", metric->key, render(count->second, judged)));
  return "{" + join(parts, ", ") + "}";
}

std::string render(const BaselineSite& site, std::int64_t judged) {
  return fmt::format(R"({{"place": {}, "cause": {}, "waits": {}, "what": {}, "id": {}}})", quoted(site.place),
                     quoted(site.cause), render(site.waits, judged), quoted(site.what), quoted(site.id));
}

// "[" or "{", a line for each part, and the end; on one line when there is none.
std::string lines(char open, const std::vector<std::string>& parts, char close, std::string_view indent) {
  if (parts.empty()) return {open, close};
  std::string text(1, open);
  for (std::size_t i = 0; i < parts.size(); ++i) text += fmt::format("{}\n{}  {}", i == 0 ? "" : ",", indent, parts[i]);
  return fmt::format("{}\n{}{}", text, indent, close);
}

std::string render(const BaselineProcess& process) {
  const auto number = [](const std::optional<std::int64_t>& n) { return n ? fmt::to_string(*n) : std::string("null"); };
  std::vector<std::string> regions, sites;
  for (const auto& [name, counts] : process.regions)
    regions.push_back(quoted(name) + ": " + render(counts, process.judged));
  for (const BaselineSite& site : process.sites) sites.push_back(render(site, process.judged));
  return lines('{',
               {"\"rank\": " + number(process.rank), fmt::format("\"judged\": {}", process.judged),
                "\"kernels\": " + number(process.kernels), "\"counts\": " + render(process.counts, process.judged),
                "\"regions\": " + lines('{', regions, '}', "      "), "\"sites\": " + lines('[', sites, ']', "      ")},
               '}', "    ");
}

// What is wrong, for `Reader` alone.
struct Problem {
  std::string text;
};

// Takes a baseline out of JSON. Throws Problem.
class Reader {
 public:
  Baseline read(const json& all) {
    Baseline baseline;
    baseline.device = text(all, "device", "");
    baseline.steps_from = text(all, "steps_from", "");
    baseline.warmup = number(all, "warmup", "");
    baseline.world_size = number_or_null(all, "world_size", "");
    if (const auto versions = all.find("versions"); versions != all.end()) {
      if (!versions->is_object()) throw Problem{"`versions` is no object"};
      for (const auto& [name, version] : versions->items())
        if (version.is_string()) baseline.versions[name] = version.get<std::string>();
    }
    const json& processes = member(all, "processes", "");
    if (!processes.is_array()) throw Problem{"`processes` is no list"};
    for (const json& process : processes)
      baseline.processes.push_back(read_process(process, fmt::format("processes[{}].", baseline.processes.size())));
    return baseline;
  }

 private:
  static constexpr std::int64_t kMost = 1'000'000'000;

  static const json& member(const json& object, const char* key, const std::string& where) {
    if (!object.is_object())
      throw Problem{
          fmt::format("`{}` is no object", where.substr(0, where.size() - std::min<std::size_t>(1, where.size())))};
    const auto found = object.find(key);
    if (found == object.end()) throw Problem{fmt::format("`{}{}` is missing", where, key)};
    return *found;
  }

  static std::int64_t whole(const json& value, const std::string& name) {
    if (!value.is_number_integer() || value < 0 || value > kMost)
      throw Problem{fmt::format("`{}` is no whole number from 0 to {}", name, kMost)};
    return value.get<std::int64_t>();
  }

  static std::string text(const json& object, const char* key, const std::string& where) {
    const json& value = member(object, key, where);
    if (!value.is_string()) throw Problem{fmt::format("`{}{}` is no text", where, key)};
    return value.get<std::string>();
  }

  static std::int64_t number(const json& object, const char* key, const std::string& where) {
    return whole(member(object, key, where), where + key);
  }

  static std::optional<std::int64_t> number_or_null(const json& object, const char* key, const std::string& where) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return std::nullopt;
    return whole(*found, where + key);
  }

  static BaselineCount count(const json& value, std::int64_t judged, const std::string& name) {
    if (!value.is_object()) {
      const std::int64_t each = whole(value, name);
      return {each, each * judged, each};
    }
    const BaselineCount read{number(value, "max", name + "."), number(value, "sum", name + "."),
                             number(value, "min", name + ".")};
    if (read.min > read.max || read.sum < read.min * judged || read.sum > read.max * judged)
      throw Problem{fmt::format("`{}` makes no sense: {} in {} with {} to {} each", name, read.sum,
                                counted(judged, "step"), read.min, read.max)};
    return read;
  }

  static BaselineCounts counts(const json& object, std::int64_t judged, const std::string& where) {
    if (!object.is_object()) throw Problem{fmt::format("`{}` is no object", where)};
    BaselineCounts read;
    for (const Metric* metric : gate::baseline_metrics())
      if (const auto found = object.find(metric->key); found != object.end())
        read[std::string(metric->key)] = count(*found, judged, fmt::format("{}.{}", where, metric->key));
    return read;
  }

  static BaselineProcess read_process(const json& object, const std::string& where) {
    BaselineProcess process;
    process.judged = number(object, "judged", where);
    process.rank = number_or_null(object, "rank", where);
    process.kernels = number_or_null(object, "kernels", where);
    process.counts = counts(member(object, "counts", where), process.judged, where + "counts");
    const json& regions = member(object, "regions", where);
    if (!regions.is_object()) throw Problem{fmt::format("`{}regions` is no object", where)};
    for (const auto& [name, region] : regions.items())
      process.regions[name] = counts(region, process.judged, fmt::format("{}regions.{}", where, name));
    const json& sites = member(object, "sites", where);
    if (!sites.is_array()) throw Problem{fmt::format("`{}sites` is no list", where)};
    for (const json& site : sites) {
      const std::string in = fmt::format("{}sites[{}].", where, process.sites.size());
      process.sites.push_back({text(site, "id", in), text(site, "place", in), text(site, "cause", in),
                               text(site, "what", in), count(member(site, "waits", in), process.judged, in + "waits")});
    }
    return process;
  }
};

// Nothing that hangs together needs more; deeper ones would use up the stack where they are copied.
constexpr int kDeepest = 16;

Error refuse(const std::string& file, const std::string& what) {
  return Error{fmt::format("{}: {}; restore it, or remove it and write it anew with `zerostall baseline update -o {}`",
                           file, what, file)};
}

// The schema's number; an error where it is none of ours.
Result<Done> check_schema(const json& all, const std::string& file) {
  const auto schema = all.is_object() ? all.find("schema") : all.end();
  if (!all.is_object() || schema == all.end() || !schema->is_string() ||
      !schema->get_ref<const std::string&>().starts_with(kFamily))
    return refuse(file, fmt::format("no baseline: `schema` is not {}{}", kFamily, kVersion));
  const std::string& name = schema->get_ref<const std::string&>();
  if (name == fmt::format("{}{}", kFamily, kVersion)) return Done{};
  const std::string number = name.substr(kFamily.size());
  if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos && number != "0")
    return Error{
        fmt::format("{}: schema {} is newer than this zerostall, which knows {}{}: use the version that wrote "
                    "it, or a newer one",
                    file, name, kFamily, kVersion)};
  return refuse(file, fmt::format("unknown schema `{}`", name));
}

std::int64_t line_at(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  return 1 + std::count(before.begin(), before.end(), '\n');
}

}  // namespace

std::string render_baseline(const Baseline& baseline) {
  std::vector<std::string> versions, processes, parts;
  for (const auto& [name, version] : baseline.versions) versions.push_back(quoted(name) + ": " + quoted(version));
  for (const BaselineProcess& process : baseline.processes) processes.push_back(render(process));
  parts.push_back(fmt::format("\"schema\": \"{}{}\"", kFamily, kVersion));
  parts.push_back("\"device\": " + quoted(baseline.device));
  parts.push_back("\"steps_from\": " + quoted(baseline.steps_from));
  parts.push_back(fmt::format("\"warmup\": {}", baseline.warmup));
  if (baseline.world_size) parts.push_back(fmt::format("\"world_size\": {}", *baseline.world_size));
  parts.push_back("\"versions\": {" + join(versions, ", ") + "}");
  parts.push_back("\"processes\": " + lines('[', processes, ']', "  "));
  return lines('{', parts, '}', "") + "\n";
}

Result<Baseline> parse_baseline(std::string_view text, const std::string& file) {
  json all;
  bool deep = false;
  try {
    all = json::parse(text, [&](int depth, json::parse_event_t, json&) {
      deep |= depth > kDeepest;
      return depth <= kDeepest;
    });
  } catch (const json::parse_error& error) {
    return refuse(file, fmt::format("no JSON from line {} on", line_at(text, error.byte)));
  }
  if (deep) return refuse(file, "no baseline: nested too deep");
  if (const auto known = check_schema(all, file); !known) return known.error();
  try {
    Baseline baseline = Reader().read(all);
    baseline.file = file;
    return baseline;
  } catch (const Problem& problem) {
    return refuse(file, problem.text);
  } catch (const json::exception&) {  // numbers beyond all bounds
    return refuse(file, "a value makes no sense");
  }
}

bool looks_like_baseline(std::string_view begin) {
  begin = begin.substr(0, 1024);
  const std::size_t at = begin.find(fmt::format("\"{}", kFamily));
  if (at == std::string_view::npos) return false;
  std::string before;
  for (const char c : begin.substr(0, at))
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') before += c;
  return before.ends_with("\"schema\":");
}

}  // namespace zerostall
