#include "reports/report_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/base/strings.h"
#include "reports/report_model.h"
#include "reports/words.h"

namespace zerostall::report {
namespace {

using Frame = ChartFrame;
constexpr std::size_t kMostSlots = 240;

using Value = Count (*)(const StepRow&);
using Show = std::string (*)(std::int64_t);

// What is drawn of a side, or both.
struct Plan {
  const RunSummary* before = nullptr;
  const RunSummary* after = nullptr;
  Value value;
  Show show;
  std::size_t steps = 0;           // of the side with more
  std::size_t per_slot = 1;        // steps
  std::int64_t tick = 1, top = 1;  // of the scale
};

std::size_t slots(const Plan& plan) { return (plan.steps + plan.per_slot - 1) / plan.per_slot; }

double slot_width(const Plan& plan) { return (Frame::kRight - Frame::kLeft) / static_cast<double>(slots(plan)); }

double rounded(double value) { return std::round(value * 10) / 10; }

double y_of(const Plan& plan, std::int64_t value) {
  const double share = static_cast<double>(value) / static_cast<double>(plan.top);
  return rounded(Frame::kBottom - share * (Frame::kBottom - Frame::kTop));
}

// At least `value`: 1, 2 or 5 times a power of ten.
std::int64_t nice_above(std::int64_t value) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5})
      if (factor * power >= value) return factor * power;
    if (power > value) return value;
  }
}

std::int64_t most_of(const RunSummary* run, Value value) {
  std::int64_t most = 0;
  if (run != nullptr)
    for (const StepRow& step : run->steps) most = std::max(most, value(step).value_or(0));
  return most;
}

std::optional<Plan> plan_of(const ReportInput& input, Value value, Show show, std::int64_t at_least) {
  if (input.after.empty()) return std::nullopt;
  Plan plan{input.before.empty() ? nullptr : input.before.front().summary, input.after.front().summary, value, show};
  plan.steps = std::max(plan.after->steps.size(), plan.before == nullptr ? 0 : plan.before->steps.size());
  if (plan.steps == 0) return std::nullopt;
  plan.per_slot = (plan.steps + kMostSlots - 1) / kMostSlots;
  const std::int64_t most = std::max({most_of(plan.before, value), most_of(plan.after, value), at_least});
  constexpr std::int64_t kTicks = 4;
  plan.tick = nice_above((std::max<std::int64_t>(most, 1) + kTicks - 1) / kTicks);
  plan.top = (std::max<std::int64_t>(most, 1) + plan.tick - 1) / plan.tick * plan.tick;
  return plan;
}

// The step of a slot that waits most stands for it.
const StepRow* telling_step(const RunSummary& run, const Plan& plan, std::size_t slot) {
  const StepRow* telling = nullptr;
  const std::size_t end = std::min(run.steps.size(), (slot + 1) * plan.per_slot);
  for (std::size_t i = slot * plan.per_slot; i < end; ++i)
    if (const StepRow& step = run.steps[i];
        plan.value(step) && (telling == nullptr || *plan.value(step) > *plan.value(*telling)))
      telling = &step;
  return telling;
}

std::string label_of(const Plan& plan, const StepRow& step, std::string_view side) {
  const std::string state = !step.judged ? ", warm-up" : step.unsteady ? ", unsteady" : "";
  return fmt::format("step {}{}{}{}: {}", step.number, side.empty() ? "" : ", ", side, state,
                     plan.show(*plan.value(step)));
}

void add_marks(const RunSummary& run, const Plan& plan, bool after, Chart& chart) {
  // Side by side, so that equal ones do not hide each other.
  const double offset = plan.before == nullptr ? 0.5 : after ? 0.68 : 0.32;
  const std::string_view side = plan.before == nullptr ? "" : after ? "after" : "before";
  for (std::size_t slot = 0; slot < slots(plan); ++slot) {
    const StepRow* step = telling_step(run, plan, slot);
    if (step == nullptr) continue;
    const double x = Frame::kLeft + (static_cast<double>(slot) + offset) * slot_width(plan);
    chart.marks.push_back(
        {rounded(x), y_of(plan, *plan.value(*step)), after, !step->judged, slot, label_of(plan, *step, side)});
  }
}

// "1.50 s" -> "1.5 s": ticks are round.
std::string without_zeros(const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  const std::size_t unit = std::min(text.find(' ', point), text.size());
  const std::size_t last = text.find_last_not_of('0', unit - 1);
  return text.substr(0, last == point ? point : last + 1) + text.substr(unit);
}

void add_ticks(const Plan& plan, Chart& chart) {
  for (std::int64_t value = 0; value <= plan.top; value += plan.tick)
    chart.y.push_back({y_of(plan, value), without_zeros(plan.show(value))});
  const RunSummary& longer =
      plan.before != nullptr && plan.before->steps.size() > plan.after->steps.size() ? *plan.before : *plan.after;
  const std::size_t count = slots(plan), apart = std::max<std::size_t>(1, (count + 5) / 6);
  for (std::size_t slot = 0; slot < count; slot += apart)
    chart.x.push_back({rounded(Frame::kLeft + (static_cast<double>(slot) + 0.5) * slot_width(plan)),
                       fmt::format("{}", longer.steps[slot * plan.per_slot].number)});
}

Chart chart_of(const Plan& plan, std::string id, std::string title) {
  Chart chart;
  chart.id = std::move(id);
  chart.title = std::move(title);
  if (plan.before != nullptr) add_marks(*plan.before, plan, false, chart);
  add_marks(*plan.after, plan, true, chart);
  add_ticks(plan, chart);
  std::int64_t warmup = std::max(plan.after->warmup, plan.before == nullptr ? 0 : plan.before->warmup);
  warmup = std::min(warmup, static_cast<std::int64_t>(plan.steps));
  chart.warmup_end =
      rounded(Frame::kLeft + static_cast<double>(warmup) / static_cast<double>(plan.per_slot) * slot_width(plan));
  if (plan.per_slot > 1)
    chart.note = fmt::format("Each mark stands for {} steps and shows the highest of them.", plan.per_slot);
  return chart;
}

// The strictest limit on every step as a whole, of what is drawn.
const Budget* budget_of(const ReportInput& input, std::string_view metric) {
  const Budget* strictest = nullptr;
  if (input.check == nullptr) return strictest;
  for (const BudgetResult& result : input.check->budgets) {
    const Budget& budget = result.budget;
    const bool fits = result.applies && budget.level != Level::off && budget.metric != nullptr &&
                      budget.metric->key == metric && budget.limit.of == Statistic::max && !budget.limit.slower &&
                      budget.scope == Scope{};
    if (fits && (strictest == nullptr || budget.limit.at_most < strictest->limit.at_most)) strictest = &budget;
  }
  return strictest;
}

}  // namespace

std::optional<Chart> waits_chart(const ReportInput& input) {
  const Budget* budget = budget_of(input, "waits");
  const auto plan = plan_of(
      input, [](const StepRow& step) { return step.counters[Counter::waits]; },
      [](std::int64_t value) { return fmt::format("{}", value); }, budget == nullptr ? 1 : budget->limit.at_most);
  if (!plan) return std::nullopt;
  Chart chart = chart_of(*plan, "waits", "Host waits per step");
  if (budget != nullptr) {
    chart.budget = y_of(*plan, budget->limit.at_most);
    chart.budget_label = fmt::format("budget: at most {}", budget->limit.at_most);
  }
  return chart;
}

std::optional<Chart> times_chart(const ReportInput& input) {
  const auto plan = plan_of(
      input, [](const StepRow& step) { return Count(step.end_ns - step.begin_ns); },
      [](std::int64_t value) { return show_duration(value); }, 1);
  if (!plan) return std::nullopt;
  const bool modelled = is_modelled(*plan->after);
  if (plan->before != nullptr && is_modelled(*plan->before) != modelled) return std::nullopt;
  return chart_of(*plan, "times", modelled ? "Step time, modelled" : "Step time");
}

}  // namespace zerostall::report
