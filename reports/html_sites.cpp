// Of the page: the table of places.
#include <fmt/format.h>

#include "profiler/base/strings.h"
#include "reports/html_parts.h"
#include "reports/report_model.h"
#include "reports/words.h"

namespace zerostall {
namespace {

using namespace report;

struct Shown {
  std::string text, sort;
};

Shown rate(const std::optional<SiteSide>& side, bool steps) {
  if (!side) return {"0", "0"};
  if (steps && side->per_step)
    return {show_bounds(side->per_step), fmt::format("{}.{:06}", side->per_step->median, side->per_step->max)};
  return {fmt::format("{}", side->waits), fmt::format("{}", side->waits)};
}

Shown time(const std::optional<SiteSide>& side, std::optional<std::int64_t> SiteSide::*member) {
  if (!side) return {"0", "0"};
  const auto& value = (*side).*member;
  return {show_duration(value), value ? fmt::format("{}", *value) : "-1"};
}

void set(Data& row, const std::string& name, const Shown& shown) {
  row.set(name, shown.text);
  row.set(name + "_sort", shown.sort);
}

bool has_judged(const std::vector<ReportRun>& runs) { return runs.empty() || runs.front().summary->judged() > 0; }

Data site_data(const SiteRow& site, bool steps, bool two) {
  Data row = object({{"id", site.id},
                     {"place", site.place},
                     {"cause", site.cause},
                     {"cause_title", site.cause_title},
                     {"confidence", site.confidence},
                     {"what", site.what},
                     {"region", site.region},
                     {"more_kinds", site.kinds > 1 ? counted(site.kinds - 1, "more kind") : ""},
                     {"evidence", site.evidence},
                     {"via", site.via},
                     {"state", site.state},
                     {"stack_note", site.stack_note}});
  set(row, "before", rate(site.before, steps));
  set(row, "after", rate(site.after, steps));
  const auto& told = two && !site.after ? site.before : site.after;
  set(row, "blocked", time(told, &SiteSide::blocked_ns));
  set(row, "avoidable", time(told, &SiteSide::avoidable_ns));
  row.set("in_all",
          two ? fmt::format("{} → {}", site.before ? site.before->waits : 0, site.after ? site.after->waits : 0)
              : fmt::format("{}", site.after ? site.after->waits : 0));
  const auto idle = [](const std::optional<SiteSide>& side) {
    return !side || (side->per_step && side->per_step->max == 0);
  };
  row.set("elsewhere",
          text(steps && idle(site.before) && idle(site.after) ? "outside of judged steps, or on another thread" : ""));
  row.set("advice_parts", prose(site.advice));
  row.set("stack", texts(site.stack));
  row.set("has_stack", flag(!site.stack.empty()));
  return row;
}

}  // namespace

void add_sites(const ReportInput& input, Data& page) {
  const SiteRows sites = sites_of(input);
  const bool steps = has_judged(input.before) && has_judged(input.after), two = !input.before.empty();
  Data list{Data::type::list};
  for (const SiteRow& site : sites.rows) list.push_back(site_data(site, steps, two));
  page.set("has_sites", flag(!sites.rows.empty()));
  page.set("no_sites", flag(sites.rows.empty()));
  page.set("sites", list);
  page.set("rate_title", steps ? "waits per step" : "waits");
  page.set("sites_left_out", text(sites.left_out > 0 ? counted(sites.left_out, "more place") : ""));
  const bool measured = !input.after.empty() && !is_modelled(*input.after.front().summary) &&
                        (!two || !is_modelled(*input.before.front().summary));
  page.set("site_times", flag(measured));
  page.set("site_note", fmt::format("{}{}{}.", steps ? "Waits per judged step" : "Waits of the whole run",
                                    two ? ", before and after" : "",
                                    !measured ? ""
                                    : two     ? "; times of the whole run, the one after where it waits in both"
                                              : "; times of the whole run"));
  page.set("watched", text(input.after.empty() ? "" : facts_of(input.after.front()).watched));
}

}  // namespace zerostall
