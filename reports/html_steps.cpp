// Of the page: charts by step, and the same as a table.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/base/strings.h"
#include "reports/html_parts.h"
#include "reports/report_chart.h"
#include "reports/report_model.h"
#include "reports/words.h"

namespace zerostall {
namespace {

using namespace report;
using Frame = ChartFrame;
constexpr std::size_t kMostRows = 400;

std::string number(double value) { return fmt::format("{:g}", value); }

// Each side has its shape, for who cannot tell the colours.
Data mark_data(const ChartMark& mark) {
  constexpr double kSize = 4;
  Data data = object({{"side", mark.after ? "after" : "before"},
                      {"warm", mark.warmup ? " warm" : ""},
                      {"slot", fmt::format("{}", mark.slot)},
                      {"label", mark.label},
                      {"cx", number(mark.x)},
                      {"cy", number(mark.y)},
                      {"left", number(mark.x - kSize)},
                      {"top", number(mark.y - kSize)}});
  data.set("square", flag(mark.after));
  data.set("circle", flag(!mark.after));
  return data;
}

Data ticks_data(const std::vector<ChartTick>& ticks) {
  Data list{Data::type::list};
  for (const ChartTick& tick : ticks)
    list.push_back(object({{"at", number(tick.at)}, {"text_at", number(tick.at + 4)}, {"label", tick.label}}));
  return list;
}

// Where a side stands for a reader who hears the page.
std::string summary_of(const Chart& chart, const ReportInput& input) {
  const auto steps = [](const std::vector<ReportRun>& runs) {
    return counted(std::ssize(runs.front().summary->steps), "step");
  };
  const std::string after = steps(input.after);
  return input.before.empty() ? fmt::format("{} for {}.", chart.title, after)
                              : fmt::format("{}, {} before and {} after.", chart.title, steps(input.before), after);
}

Data chart_data(const Chart& chart, const ReportInput& input) {
  Data marks{Data::type::list};
  for (const ChartMark& mark : chart.marks) marks.push_back(mark_data(mark));
  const bool warm = chart.warmup_end > Frame::kLeft;
  Data data = object({{"chart", chart.id},
                      {"chart_title", chart.title},
                      {"summary", summary_of(chart, input)},
                      {"note", chart.note},
                      {"width", number(Frame::kWidth)},
                      {"height", number(Frame::kHeight)},
                      {"axis_left", number(Frame::kLeft)},
                      {"label_left", number(Frame::kLeft - 8)},
                      {"axis_right", number(Frame::kRight)},
                      {"axis_top", number(Frame::kTop)},
                      {"axis_bottom", number(Frame::kBottom)},
                      {"axis_height", number(Frame::kBottom - Frame::kTop)},
                      {"labels_at", number(Frame::kBottom + 18)},
                      {"warm_width", warm ? number(chart.warmup_end - Frame::kLeft) : ""},
                      {"budget_at", chart.budget ? number(*chart.budget) : ""},
                      {"budget_text_at", chart.budget ? number(*chart.budget - 5) : ""},
                      {"budget_label", chart.budget_label}});
  data.set("marks", marks);
  data.set("x_ticks", ticks_data(chart.x));
  data.set("y_ticks", ticks_data(chart.y));
  return data;
}

std::string state_of(const StepRow* step) {
  if (step == nullptr) return "";
  return !step->judged ? "warm-up" : step->unsteady ? "unsteady" : "judged";
}

void add_side(const StepRow* step, const std::string& side, Data& row) {
  const auto value = [&](Counter counter) { return step == nullptr ? "" : show(step->counters[counter]); };
  row.set(side + "_waits", text(value(Counter::waits)));
  row.set(side + "_syncs", text(value(Counter::stream_syncs)));
  row.set(side + "_h2d", text(value(Counter::h2d_stalls)));
  row.set(side + "_time", text(step == nullptr ? "" : show_duration(step->end_ns - step->begin_ns)));
}

const StepRow* step_at(const std::vector<ReportRun>& runs, std::size_t position) {
  if (runs.empty() || position >= runs.front().summary->steps.size()) return nullptr;
  return &runs.front().summary->steps[position];
}

Data step_rows(const ReportInput& input, std::size_t steps) {
  Data list{Data::type::list};
  for (std::size_t i = 0; i < std::min(steps, kMostRows); ++i) {
    const StepRow *before = step_at(input.before, i), *after = step_at(input.after, i);
    const StepRow* told = after != nullptr ? after : before;
    const std::string one = state_of(before), other = state_of(after);
    Data row = object({{"step", fmt::format("{}", told->number)},
                       {"state", one.empty() || one == other ? other
                                 : other.empty()             ? one
                                                             : one + " → " + other}});
    add_side(before, "before", row);
    add_side(after, "after", row);
    list.push_back(row);
  }
  return list;
}

}  // namespace

void add_charts(const ReportInput& input, Data& page) {
  const std::size_t steps = input.after.empty()
                                ? 0
                                : std::max(input.after.front().summary->steps.size(),
                                           input.before.empty() ? 0 : input.before.front().summary->steps.size());
  Data measured{Data::type::list}, modelled{Data::type::list};
  if (const auto chart = waits_chart(input)) measured.push_back(chart_data(*chart, input));
  const bool times_measured = !input.after.empty() && !is_modelled(*input.after.front().summary);
  if (const auto chart = times_chart(input))
    (times_measured ? measured : modelled).push_back(chart_data(*chart, input));
  page.set("charts", measured);
  page.set("modelled_charts", modelled);
  page.set("has_steps", flag(steps > 0));
  page.set("no_steps", flag(steps == 0));
  page.set("how_to_mark",
           text(steps > 0 || input.after.empty() ? "" : how_to_mark_steps(input.after.front().summary->meta)));
  page.set("step_rows", step_rows(input, steps));
  page.set("with_times", flag(times_measured));
  page.set("columns", times_measured ? "4" : "3");
  page.set("steps_left_out",
           text(steps > kMostRows ? counted(static_cast<std::int64_t>(steps - kMostRows), "more step") : ""));
}

}  // namespace zerostall
