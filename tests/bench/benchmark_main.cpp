// Google Benchmark's main(), with the results that are figures told at the end.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>

#include "figure.h"

namespace zerostall {
namespace {

class Reporter : public benchmark::ConsoleReporter {
 public:
  explicit Reporter(const std::vector<FigureRun>& all) : benchmark::ConsoleReporter(OO_Tabular), all_(all) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      failed = failed || run.error_occurred;
      if (run.error_occurred || (run.run_type == Run::RT_Iteration && run.repetitions > 1)) continue;
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name != "median") continue;
      for (const FigureRun& one : all_)
        if (one.run == run.run_name.str()) add(one, run);
    }
  }

  std::vector<Figure> figures;
  bool failed = false;

 private:
  void add(const FigureRun& one, const Run& run) {
    const bool manual = one.run.find("manual_time") != std::string::npos;
    const double seconds = (manual ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime()) /
                           benchmark::GetTimeUnitMultiplier(run.time_unit);
    Figure figure = one.figure;
    figure.value = one.factor * (one.counter.empty() ? seconds : run.counters.at(one.counter).value);
    figures.push_back(std::move(figure));
  }

  const std::vector<FigureRun>& all_;
};

bool is_filtered(int argc, char** argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* option) { return std::string(option).starts_with("--benchmark_filter"); });
}

}  // namespace

int run_benchmarks(int argc, char** argv, const std::vector<FigureRun>& all) {
  const bool filtered = is_filtered(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Reporter reporter(all);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  fmt::print("\n");
  for (const Figure& figure : reporter.figures) tell(figure);
  for (const FigureRun& one : all) {
    const bool ran = std::any_of(reporter.figures.begin(), reporter.figures.end(),
                                 [&](const Figure& f) { return f.id == one.figure.id && f.x == one.figure.x; });
    if (ran || filtered) continue;
    fmt::print(stderr, "bench: {} did not run: {} is not measured\n", one.run, one.figure.id);
    reporter.failed = true;
  }
  return reporter.failed ? 1 : 0;
}

}  // namespace zerostall
