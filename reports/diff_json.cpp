#include "reports/diff_json.h"

#include <cmath>

#include "reports/json_parts.h"

namespace zerostall {
namespace {

using Side = std::span<const RunSummary>;

Json side(Side runs) {
  Json list = Json::array();
  for (const RunSummary& run : runs)
    list.push_back({{"path", run.path},
                    {"format", run.meta.format},
                    {"clock", run.meta.clock == Clock::modelled ? "modelled" : "measured"},
                    {"device", run.meta.device_name.empty() ? Json(nullptr) : Json(run.meta.device_name)},
                    {"complete", run.complete()},
                    {"steps_from", name_of(run.steps_from)},
                    {"steps", run.steps.size()},
                    {"judged", run.judged()}});
  return list;
}

Json to_json(const CountFigure& figure) {
  Json json = {{"samples", figure.samples}, {"sum", figure.sum}};
  const auto& spread = figure.spread;
  json["min"] = spread ? Json(spread->min) : Json(nullptr);
  json["median"] = spread ? Json(spread->median) : Json(nullptr);
  json["max"] = spread ? Json(spread->max) : Json(nullptr);
  return json;
}

Json to_json(const std::optional<CountFigure>& figure) { return figure ? to_json(*figure) : Json(nullptr); }

Json to_json(const CounterChange& change) {
  return {
      {"a", to_json(change.a)}, {"b", to_json(change.b)}, {"same", change.same ? Json(*change.same) : Json(nullptr)}};
}

// As many digits as mean something.
Json rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json ratio(const std::optional<double>& value) { return value ? rounded(*value) : Json(nullptr); }

Json counts(const Comparison& all) {
  Json json = {{"verdict", name_of(all.verdict)}, {"basis", name_of(all.basis)}};
  Json counters = Json::object();
  for (const CounterInfo& info : all_counters())
    if (!info.is_time) counters[std::string(info.key)] = to_json(all.counters[static_cast<std::size_t>(info.counter)]);
  json["counters"] = std::move(counters);
  json["kernels"] = to_json(all.kernels);
  json["waits_per_1000_kernels"] = {{"a", ratio(all.waits_per_1000_kernels_a)},
                                    {"b", ratio(all.waits_per_1000_kernels_b)}};
  json["waits_outside"] = to_json(all.outside);
  json["waits_background"] = to_json(all.background);
  return json;
}

Json to_json(const std::vector<ItemChange>& rows, bool with_place) {
  Json list = Json::array();
  for (const ItemChange& row : rows) {
    Json json = Json::object();
    if (with_place) json["site"] = row.place.empty() ? Json(nullptr) : Json(row.place);
    if (with_place) json["cause"] = row.cause.empty() ? Json(nullptr) : Json(row.cause);
    json["what"] = row.what;
    json["sizes"] = row.sizes;
    json["a"] = to_json(row.a);
    json["b"] = to_json(row.b);
    list.push_back(std::move(json));
  }
  return list;
}

Json to_json(const Changes& changes, bool with_place) {
  return {{"gone", to_json(changes.gone, with_place)},
          {"new", to_json(changes.added, with_place)},
          {"changed", to_json(changes.changed, with_place)},
          {"resized", to_json(changes.resized, with_place)},
          {"same", to_json(changes.same, with_place)}};
}

Json to_json(const std::optional<TimeSpread>& spread) {
  if (!spread) return nullptr;
  return {{"samples", spread->samples}, {"median", spread->median}, {"p95", spread->p95}, {"mad", spread->mad}};
}

Json to_json(const TimeChange& row) {
  return {{"a", to_json(row.a)},
          {"b", to_json(row.b)},
          {"difference", row.difference ? Json(*row.difference) : Json(nullptr)},
          {"low", row.interval ? Json(row.interval->low) : Json(nullptr)},
          {"high", row.interval ? Json(row.interval->high) : Json(nullptr)},
          {"p", row.test ? rounded(row.test->p) : Json(nullptr)},
          {"verdict", name_of(row.verdict)}};
}

Json times(const Times& all) {
  Json json = {{"compared", all.why_not.empty()},
               {"why_not", all.why_not.empty() ? Json(nullptr) : Json(all.why_not)},
               {"modelled", all.modelled}};
  for (const TimeChange& row : all.rows) json[std::string(row.key)] = to_json(row);
  return json;
}

}  // namespace

std::string render_diff_json(Side a, Side b, const Comparison& comparison) {
  Json json = {{"schema", "zerostall/diff/1"}, {"a", side(a)}, {"b", side(b)}};
  json["comparable"] = comparison.reasons.empty();
  json["reasons"] = comparison.reasons;
  json["notes"] = comparison.notes;
  json["counts"] = counts(comparison);
  json["times"] = times(comparison.times);
  json["matched_by"] = name_of(comparison.places);
  json["sites"] = to_json(comparison.waits, true);
  json["copies"] = to_json(comparison.copies, false);
  return to_text(json);
}

}  // namespace zerostall
