#include "figure.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace zerostall {
namespace {

using nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& text) {
  fmt::print(stderr, "bench: {}\n", text);
  std::exit(2);
}

ordered_json goal_of(const std::string& id) {
  static const ordered_json goals = [] {
    std::ifstream file(ZEROSTALL_BENCH_GOALS);
    ordered_json all = ordered_json::parse(file, nullptr, false);
    if (all.is_discarded()) fail(ZEROSTALL_BENCH_GOALS ": cannot be read as JSON");
    return all.at("goals");
  }();
  for (const ordered_json& goal : goals)
    if (goal.at("id") == id) return goal;
  return {};
}

// Three or four digits, as figures.py has it.
std::string digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4);
}

// Below 1 holds. A limit of 0 has none.
ordered_json ratio_of(const ordered_json& goal, double value) {
  const double limit = goal.at("limit"), part = goal.value("better", "less") == "less" ? limit : value;
  if (part == 0) return nullptr;
  return goal.value("better", "less") == "less" ? value / limit : limit / value;
}

}  // namespace

void tell(const Figure& figure) {
  const ordered_json goal = goal_of(figure.id);
  ordered_json record = {{"part", figure.id.substr(0, figure.id.find('.'))},
                         {"id", figure.id},
                         {"what", figure.what},
                         {"value", figure.value},
                         {"unit", figure.unit}};
  std::string ratio;
  if (!goal.is_null()) {
    const bool less = goal.value("better", "less") == "less";
    const double limit = goal.at("limit");
    record["better"] = less ? "less" : "more";
    record["limit"] = limit;
    record["ratio"] = ratio_of(goal, figure.value);
    record["holds"] = less ? figure.value <= limit : figure.value >= limit;
    ratio = record["ratio"].is_null() ? "" : fmt::format("{:.2f} of", record["ratio"].get<double>());
    ratio += fmt::format(" {}{:g} {}", less ? "" : "at least ", limit, figure.unit);
  }
  if (!figure.more.empty()) record["more"] = figure.more;
  if (!figure.curve.empty()) record["curve"] = {{"name", figure.curve}, {"x", figure.x}};
  fmt::print("{:66} {:>10} {:9} {:26} {}\n", figure.what, digits(figure.value), figure.unit, ratio, figure.more);
  std::fflush(stdout);
  const char* path = std::getenv("ZEROSTALL_BENCH_FIGURES");
  if (path == nullptr || *path == 0) return;
  std::ofstream file(path, std::ios::app);
  file << record.dump() << "\n";
  if (!file.flush()) fail(fmt::format("{}: cannot be written", path));
}

}  // namespace zerostall
