// The page: what report_model.h found, put into assets/page.mustache. Every text goes through the template, which
// escapes it; only what we wrote ourselves (style, scripts) and the JSON, escaped here, stand as they are.
#include "reports/html_report.h"

#include <fmt/format.h>

#include <kainjow/mustache.hpp>

#include "profiler/base/strings.h"
#include "reports/html_assets.h"
#include "reports/html_parts.h"
#include "reports/json_parts.h"
#include "reports/report_model.h"
#include "reports/words.h"

namespace zerostall {

Data prose(const std::string& words) {
  Data parts{Data::type::list};
  bool code = false;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find('`', at), words.size());
    // One that is never closed is a backtick.
    const bool closed = code || end == words.size() || words.find('`', end + 1) != std::string::npos;
    const std::string part = words.substr(at, closed ? end - at : std::string::npos);
    if (!part.empty()) parts.push_back(object({{"code", code ? part : ""}, {"plain", code ? "" : part}}));
    if (!closed) break;
    code = !code && end < words.size();
    at = end + 1;
  }
  Data data{Data::type::object};
  data.set("parts", parts);
  return data;
}

namespace {

using namespace report;
using Mustache = kainjow::mustache::mustache;

// "902 µs, p95 1.19 ms": what comes behind the figure that is compared stands below it.
void set_value(const std::string& side, const std::optional<FigureSide>& value, Data& entry) {
  const std::string text = value ? value->text : "unknown";
  const std::size_t comma = std::min(text.find(", "), text.size());
  entry.set(side, text.substr(0, comma));
  entry.set(side + "_rest", zerostall::text(comma < text.size() ? text.substr(comma + 2) : ""));
  entry.set(side + "_known", value ? side : "unknown");
}

Data figure_rows(const FigureGroup& group) {
  Data rows{Data::type::list};
  for (const Figure& row : group.rows) {
    Data entry = object({{"key", row.key},
                         {"figure", row.title},
                         {"change", row.change},
                         {"sure", std::string(name_of(row.sure))},
                         {"sure_words", std::string(words_of(row.sure))},
                         {"why", row.why}});
    // Good or bad is only what is sure.
    const bool sure = row.sure == Sure::exact || row.sure == Sure::significant;
    const bool fewer = sure && row.before && row.after && row.after->median < row.before->median;
    const bool more = sure && row.before && row.after && row.after->median > row.before->median;
    set_value("before", row.before, entry);
    set_value("after", row.after, entry);
    entry.set("direction", fewer ? "fewer" : more ? "more" : "same");
    rows.push_back(entry);
  }
  return rows;
}

Data figure_groups(const std::vector<FigureGroup>& groups, bool modelled) {
  Data list{Data::type::list};
  for (const FigureGroup& group : groups) {
    if (group.modelled != modelled) continue;
    Data entry = object({{"group", group.title}});
    entry.set("rows", figure_rows(group));
    list.push_back(entry);
  }
  return list;
}

Data runs_data(const ReportInput& input) {
  Data list{Data::type::list};
  const auto add = [&](const ReportRun& run, const char* side) {
    const RunFacts facts = facts_of(run);
    Data entry = object({{"side", side},
                         {"process", facts.name},
                         {"trace", facts.trace},
                         {"program", facts.program},
                         {"device", facts.device},
                         {"tool", facts.tool},
                         {"found", facts.steps}});
    entry.set("missing", texts(facts.missing));
    entry.set("has_missing", flag(!facts.missing.empty()));
    list.push_back(entry);
  };
  if (!input.before.empty()) add(input.before.front(), "Before");
  if (!input.after.empty()) add(input.after.front(), input.before.empty() ? "Run" : "After");
  return list;
}

// The other processes of both sides: one line each.
Data processes_data(const ReportInput& input) {
  constexpr std::size_t kMost = 64;
  Data list{Data::type::list};
  std::size_t count = 0;
  for (const auto& [runs, side] : {std::pair(&input.before, input.before.empty() ? "" : "before"),
                                   std::pair(&input.after, input.before.empty() ? "" : "after")}) {
    if (runs->size() < 2) continue;
    for (const ReportRun& run : *runs) {
      if (++count > kMost) return list;
      const RunFacts facts = facts_of(run);
      list.push_back(
          object({{"process", facts.name.empty() ? facts.trace : facts.name},
                  {"side", side},
                  {"found", facts.steps},
                  {"waits", run.summary->judged() > 0 ? show_bounds(run.summary->per_step[Counter::waits]) + " per step"
                                                      : show(run.summary->totals[Counter::waits]) + " in all"}}));
    }
  }
  return list;
}

void add_timeline(const ReportInput& input, Data& page) {
  const auto blob = [](const std::vector<ReportRun>& runs) {
    return runs.empty() ? TimelineBlob{} : runs.front().timeline;
  };
  const TimelineBlob before = blob(input.before), after = blob(input.after);
  // One that is left out is said to be, by the section that would hold it.
  const auto told = [](const TimelineBlob& blob) { return !blob.base64.empty() || !blob.why.empty(); };
  const bool any = !assets::timeline_js().empty() && (told(before) || told(after));
  page.set("timeline", flag(any));
  page.set("timeline_before", text(any ? before.base64 : ""));
  page.set("timeline_after", text(any ? after.base64 : ""));
  page.set("timeline_before_note", text(before.why.empty() ? "" : "Before: " + shown(before.why)));
  page.set("timeline_after_note",
           text(after.why.empty() ? "" : (input.before.empty() ? "" : "After: ") + shown(after.why)));
}

// In a script element `<` could end it, whatever its type.
std::string embedded_json(const ReportInput& input) {
  const Json json = Json::parse(render_report_json(input));
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace))
    c == '<' ? text += "\\u003c" : text += c;
  return text;
}

void add_assets(const ReportInput& input, Data& page) {
  page.set("figures_table",
           Data(kainjow::mustache::partial([] { return std::string(assets::figures_table_mustache()); })));
  page.set("prose", Data(kainjow::mustache::partial([] { return std::string(assets::prose_mustache()); })));
  page.set("chart_figure", Data(kainjow::mustache::partial([] { return std::string(assets::chart_mustache()); })));
  page.set("style", std::string(assets::style_css()));
  page.set("style_hash", assets::style_hash());
  page.set("script", std::string(assets::page_js()));
  page.set("script_hash", assets::page_hash());
  page.set("timeline_script", text(std::string(assets::timeline_js())));
  page.set("timeline_hash", assets::timeline_hash());
  page.set("json", embedded_json(input));
}

// The figure that a reader came for, beside the verdict.
void add_key_figure(const std::vector<FigureGroup>& figures, Data& page) {
  const Figure* key = figures.empty() || figures.front().rows.empty() ? nullptr : &figures.front().rows.front();
  const auto bounds = [](const std::optional<FigureSide>& side) {
    if (!side || !side->min || !side->max) return std::string();
    return show_bounds(Spread{*side->min, side->median, side->p95, *side->max});
  };
  const std::string after = key == nullptr ? "" : bounds(key->after),
                    before = key == nullptr ? "" : bounds(key->before);
  page.set("key_after", text(after));
  page.set("key_before", text(after.empty() ? "" : before));
  const std::string per = key == nullptr ? "" : figures.front().title;
  page.set("key_title", text(key == nullptr ? "" : key->title + (per.starts_with("per ") ? " " : ", ") + per));
}

void add_top(const ReportInput& input, const std::vector<FigureGroup>& figures, Data& page) {
  const ReportVerdict verdict = verdict_of(input);
  page.set("version", ZEROSTALL_VERSION);
  page.set("verdict_kind", verdict.kind);
  page.set("verdict_word", verdict.word);
  page.set("verdict", verdict.sentence);
  page.set("verdict_parts", prose(verdict.sentence));
  page.set("reasons", texts(verdict.reasons));
  page.set("has_reasons", flag(!verdict.reasons.empty()));
  page.set("incomplete", texts(verdict.incomplete));
  page.set("has_incomplete", flag(!verdict.incomplete.empty()));
  page.set("beside", texts(verdict.beside));
  page.set("has_beside", flag(!verdict.beside.empty()));
  add_key_figure(figures, page);
  page.set("two", flag(!input.before.empty()));
  page.set("one", flag(input.before.empty()));
  page.set("figures", figure_groups(figures, false));
  const Data modelled = figure_groups(figures, true);
  page.set("has_modelled", flag(!modelled.is_empty_list()));
  page.set("modelled", modelled);
}

}  // namespace

std::string render_html_report(const ReportInput& input) {
  const std::vector<FigureGroup> figures = figures_of(input);
  Data page{Data::type::object};
  add_top(input, figures, page);
  add_gate(input, page);
  add_charts(input, page);
  add_sites(input, page);
  add_explanations(input, page);
  page.set("runs", runs_data(input));
  const Data processes = processes_data(input);
  page.set("has_processes", flag(!processes.is_empty_list()));
  page.set("processes", processes);
  const std::string trace = input.after.empty() ? "" : facts_of(input.after.front()).trace;
  page.set("trace_word", text(trace.empty() ? "" : shell_word(trace)));
  page.set("command", text(shown(input.command, 1000)));
  add_timeline(input, page);
  add_assets(input, page);
  static const Mustache page_template{std::string(assets::page_mustache())};
  return Mustache(page_template).render(page);
}

}  // namespace zerostall
