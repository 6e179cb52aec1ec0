// The gate with much to look at: 100,000 waits at 2,000 places, and a policy with 10,000 allowances, from the text of
// the policy to the text of the report.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "figure.h"
#include "profiler/gate/check.h"
#include "profiler/gate/policy_file.h"
#include "reports/check_json.h"
#include "reports/check_markdown.h"
#include "reports/check_text.h"

namespace zerostall {
namespace {

constexpr int kPlaces = 2'000, kSteps = 1'000, kWaitsPerStep = 100, kAllowances = 10'000;

std::string place_of(int i) { return fmt::format("src/part{}/file{}.py", i % 17, i); }

RunSummary make_run() {
  RunSummary run;
  run.has_cuda_calls = true;
  run.steps_from = StepsFrom::marks;
  run.warmup = 0;
  for (int i = 0; i < kPlaces; ++i) {
    Site site;
    site.id = fmt::format("{:012x}", i);
    site.from = SiteFrom::own_line;
    site.file = place_of(i);
    site.function = fmt::format("function{}", i);
    site.line = 7;
    site.place = fmt::format("{}:7 in {}", site.file, site.function);
    site.cause.kind = static_cast<CauseKind>(i % static_cast<int>(kCauseKinds));
    site.per_step = Spread{0, 0, 1, 1};
    run.sites.push_back(site);
  }
  for (int s = 0; s < kSteps; ++s) {
    StepRow step;
    step.number = s;
    step.judged = true;
    for (int w = 0; w < kWaitsPerStep; ++w) {
      WaitSeen wait{{"train"}, "cudaStreamSynchronize"};
      wait.site = static_cast<std::uint32_t>((s * kWaitsPerStep + w) % kPlaces);
      step.waits.push_back(wait);
    }
    step.counters[Counter::waits] = kWaitsPerStep;
    step.counters[Counter::stream_syncs] = kWaitsPerStep;
    run.steps.push_back(std::move(step));
  }
  return run;
}

// `globs`: of a hundred entries so many have stars; `matching`: so many mean a place that waits.
std::string make_policy(int globs, int matching) {
  std::string text = "[budget]\nwaits = 0\nstream_syncs = 0\n";
  for (int i = 0; i < kAllowances; ++i) {
    const std::string place = i % 100 < matching ? place_of(i % kPlaces) : fmt::format("gone/file{}.py", i);
    text += fmt::format("[[allow]]\nsite = \"{}:{}\"\nwaits_per_step = 1\nreason = \"it is shown\"\n", place,
                        i % 100 < globs ? "func*" : fmt::format("function{}", i % kPlaces));
  }
  return text;
}

void check_all(benchmark::State& state) {
  const RunSummary run = make_run();
  const std::string toml = make_policy(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const std::vector<CheckedRun> runs = {{"", &run}};
  const Date today{std::chrono::year(2026), std::chrono::month(11), std::chrono::day(30)};
  std::int64_t findings = 0;
  for (auto _ : state) {
    const auto policy = parse_policy(toml, "zerostall.toml");
    if (!policy) state.SkipWithError(policy.error().message.c_str());
    if (!policy) return;
    const CheckReport report = check(*policy, runs, nullptr, today);
    benchmark::DoNotOptimize(render_check_text(report));
    benchmark::DoNotOptimize(render_check_markdown(report));
    benchmark::DoNotOptimize(render_check_json(report));
    findings = std::ssize(report.findings);
  }
  state.counters["findings"] = static_cast<double>(findings);
}
BENCHMARK(check_all)
    ->ArgNames({"globs_percent", "matching_percent"})
    ->Args({0, 20})
    ->Args({5, 20})
    ->Args({100, 0})
    ->Args({100, 100})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace zerostall

int main(int argc, char** argv) {
  std::vector<zerostall::FigureRun> all;
  const auto add = [&](const std::string& globs, const std::string& matching, const std::string& id,
                       const std::string& which) {
    all.push_back({"check_all/globs_percent:" + globs + "/matching_percent:" + matching,
                   {id, "100,000 waits, 10,000 allowances (" + which + ")", "s"},
                   1});
  };
  add("0", "20", "gate.plain", "no globs, a fifth of them matches");
  add("5", "20", "gate.some-globs", "5 % globs, a fifth matches");
  add("100", "0", "gate.globs", "all globs, none matches");
  add("100", "100", "gate.globs-matching", "all globs, all match");
  return zerostall::run_benchmarks(argc, argv, all);
}
