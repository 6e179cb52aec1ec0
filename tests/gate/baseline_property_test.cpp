// No false alarm whatever a run's length and phase; every added wait caught.
#include <gtest/gtest.h>

#include <random>

#include "profiler/gate/baseline_count.h"
#include "tests/gate/baseline_runs.h"

namespace zerostall {
namespace {

using testing::baseline_of;
using testing::judged_against;
using testing::Program;
using testing::run_of;
using testing::told;
using testing::WaitingLine;

// A count of each step of an event that happens `burst` times every `period` steps.
struct Event {
  std::int64_t period = 1, phase = 0, burst = 1;
};

BaselineCount counted_over(const std::vector<Event>& events, std::int64_t from, std::int64_t steps) {
  BaselineCount count;
  for (std::int64_t step = from; step < from + steps; ++step) {
    std::int64_t here = 0;
    for (const Event& event : events) here += (step + event.phase) % event.period == 0 ? event.burst : 0;
    count.min = step == from ? here : std::min(count.min, here);
    count.max = std::max(count.max, here);
    count.sum += here;
  }
  return count;
}

TEST(BaselineProperty, AnEventOfAFixedPeriodIsNeverMoreOften) {
  for (std::int64_t period = 1; period <= 16; ++period)
    for (std::int64_t phase = 0; phase < period; ++phase)
      for (const std::int64_t burst : {1, 3})
        for (const std::int64_t before : {16, 18, 30, 48})
          for (std::int64_t now = 3; now <= 98; now += 5) {
            const BaselineCount old = counted_over({{period, 0, burst}}, 0, before);
            const BaselineCount current = counted_over({{period, phase, burst}}, 0, now);
            if (old.sum == 0) continue;
            const auto change = gate::change_of(old, before, current, now);
            ASSERT_TRUE(change == gate::CountChange::same ||
                        (change == gate::CountChange::fewer && current.sum == 0 && now >= before))
                << "every " << period << " phase " << phase << ", " << before << " and " << now << " steps";
          }
}

TEST(BaselineProperty, NeitherAreSeveralTogether) {
  std::mt19937 random(8);
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  for (int round = 0; round < 20'000; ++round) {
    std::vector<Event> events, shifted;
    std::int64_t room = 0;
    for (std::int64_t i = pick(1, 4); i > 0; --i) {
      events.push_back({pick(1, 12), 0, pick(1, 4)});
      shifted.push_back(events.back());
      shifted.back().phase = pick(0, 11);
      room += events.back().burst;
    }
    const std::int64_t before = pick(12, 60), now = pick(3, 120);
    const BaselineCount old = counted_over(events, 0, before), current = counted_over(shifted, 0, now);
    const gate::CountRule rule{room - old.max, room - current.max};
    ASSERT_NE(gate::change_of(old, before, current, now, rule), gate::CountChange::more_at_once);
    ASSERT_NE(gate::change_of(old, before, current, now, rule), gate::CountChange::more_often) << round;
  }
}

TEST(BaselineProperty, TwiceAsOftenIsCaught) {
  for (std::int64_t period = 2; period <= 12; period += 2)
    for (std::int64_t phase = 0; phase < period; ++phase)
      for (const std::int64_t now : {30, 48, 98}) {
        const BaselineCount old = counted_over({{period, phase, 1}}, 0, 48);
        const BaselineCount current = counted_over({{period / 2, phase % 3, 1}}, 0, now);
        EXPECT_EQ(gate::change_of(old, 48, current, now), gate::CountChange::more_often)
            << "every " << period << " phase " << phase << ", " << now << " steps";
      }
}

// Programs of several lines, each with its own period.
struct Line {
  WaitingLine at;
  std::int64_t period = 1, times = 1;
};

Program program_of(const std::vector<Line>& lines) {
  return [lines](std::int64_t step) {
    std::vector<WaitingLine> waits;
    for (const Line& line : lines)
      if (step % line.period == 0) waits.insert(waits.end(), static_cast<std::size_t>(line.times), line.at);
    return waits;
  };
}

std::vector<Line> random_lines(std::mt19937& random) {
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  std::vector<Line> lines;
  const std::int64_t number = pick(1, 6);
  for (std::int64_t i = 0; i < number; ++i) {
    Line line;
    line.at.line = static_cast<std::uint32_t>(10 * i + 1);
    line.at.source = fmt::format("x{}.item()", pick(0, 3));  // some lines read alike
    line.at.region = pick(0, 1) == 0 ? "load" : "train";
    line.at.upload = line.at.region == "load";
    line.period = std::vector<std::int64_t>{1, 1, 2, 5, 10}[static_cast<std::size_t>(pick(0, 4))];
    line.times = pick(1, 3);
    lines.push_back(line);
  }
  return lines;
}

TEST(BaselineProperty, TheSameProgramPassesAtAnyLengthAndPhase) {
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    const auto lines = random_lines(random);
    const Baseline baseline = baseline_of(run_of(program_of(lines), {.steps = round % 2 == 0 ? 22 : 50}));
    for (std::int64_t phase = 0; phase < 10; phase += 3)
      for (const std::int64_t steps : {14, 22, 50, 90}) {
        const CheckReport report =
            judged_against(baseline, run_of(program_of(lines), {.steps = steps, .first = phase}));
        for (const Finding& finding : report.findings)
          ASSERT_NE(finding.kind, FindingKind::baseline) << finding.text << " round " << round << " steps " << steps;
      }
  }
}

TEST(BaselineProperty, FiftyRegressionsAreAllCaught) {
  std::mt19937 random(50);
  for (int round = 0; round < 50; ++round) {
    auto lines = random_lines(random);
    const Baseline baseline = baseline_of(run_of(program_of(lines)));
    const std::size_t at = random() % lines.size();
    switch (round % 4) {
      case 0:  // a line that waits is added
        lines.push_back({{.function = "added", .line = 99, .source = "y.item()"}, 1, 1});
        break;
      case 1:  // one waits once more
        ++lines[at].times;
        break;
      case 2:  // one is added that waits now and then
        lines.push_back({{.line = 99, .source = "print(loss)"}, 5, 1});
        break;
      case 3:  // once in ten steps
        lines.push_back({{.line = 98, .source = "x9.item()"}, 10, 1});
        break;
    }
    for (const std::int64_t steps : {20, 50}) {
      const CheckReport report = judged_against(baseline, run_of(program_of(lines), {.steps = steps}));
      EXPECT_TRUE(std::any_of(report.findings.begin(), report.findings.end(),
                              [](const Finding& finding) {
                                return finding.kind == FindingKind::baseline && finding.level == Level::error;
                              }))
          << "round " << round << ", " << steps << " steps: " << told(report);
    }
  }
}

}  // namespace
}  // namespace zerostall
