#include "profiler/cli/verify_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "profiler/cli/frame_names.h"
#include "profiler/cli/names.h"
#include "profiler/cli/say.h"
#include "profiler/cli/verify_run.h"
#include "profiler/trace/elf_symbols.h"
#include "reports/verify_catalogue_report.h"
#include "scenarios/catalogue/expected.h"

namespace zerostall::cli {
namespace {

namespace fs = std::filesystem;
namespace catalogue = scenarios::catalogue;

// All that a scenario sets up is warm after this many steps: the optimizer's state in the first, pinned memory in two.
constexpr std::int64_t kSteps = 8, kWarmup = 3;

CatalogueClaim claim_of(const catalogue::Entry& entry, std::size_t variant) {
  const catalogue::Expected& expected = entry.variants[variant];
  return {std::string(entry.slug),
          std::string(catalogue::kVariants[variant]),
          expected.waits,
          expected.memory_calls,
          std::string(expected.cause),
          std::string(expected.why)};
}

Result<std::vector<CatalogueClaim>> claims_of(const VerifyOptions& options) {
  std::vector<std::string_view> known;
  for (const catalogue::Entry& entry : catalogue::entries()) known.push_back(entry.slug);
  for (const std::string& name : options.classes)
    if (catalogue::find_entry(name) == nullptr) return Error{unknown_name("class of causes", name, known)};
  std::vector<CatalogueClaim> claims;
  for (const catalogue::Entry& entry : catalogue::entries()) {
    const bool wanted = options.classes.empty() ||
                        std::find(options.classes.begin(), options.classes.end(), entry.slug) != options.classes.end();
    for (std::size_t variant = 0; wanted && variant < entry.variants.size(); ++variant)
      claims.push_back(claim_of(entry, variant));
  }
  return claims;
}

std::string file_of(const CatalogueClaim& claim) { return claim.scenario + "." + claim.variant; }

constexpr std::string_view kFormats[] = {"text", "json", "junit"};

std::string render(const CatalogueReport& report, std::string_view format) {
  return format == "json"    ? render_verify_catalogue_json(report)
         : format == "junit" ? render_verify_catalogue_junit(report)
                             : render_verify_catalogue_text(report);
}

// What many classes are told by is which function of LibTorch waits: its libraries are where the program finds them.
std::vector<fs::path> places_of_symbols(const fs::path& program) {
  std::vector<fs::path> places = {program};
  for (fs::path& folder : run_path_of(program)) places.push_back(std::move(folder));
  return places;
}

std::variant<CatalogueReport, Outcome> run_claims(std::vector<CatalogueClaim> claims, CatalogueReport report,
                                                  const Bench& bench) {
  NamesForCauses names(places_of_symbols(bench.program));
  const std::size_t all = claims.size();
  for (CatalogueClaim& claim : claims) {
    const std::string name = claim.scenario + " " + claim.variant;
    show_progress(report.runs.size(), all, name);
    auto ran = run_recorded({"catalogue", claim.scenario, "--variant", claim.variant, "--steps",
                             fmt::to_string(report.steps), "--device", "cuda"},
                            name, file_of(claim), bench);
    if (auto* failed = std::get_if<Outcome>(&ran)) return std::move(*failed);
    if (bench.inbox.asks_to_stop()) return interrupted_by(bench.inbox.stop_signal());
    auto& [trace, said] = std::get<RecordedTrace>(ran);
    RunSummary summary;
    if (trace) {
      SummaryOptions wanted{bench.traces.kept(file_of(claim)), report.warmup};
      wanted.frame_names = names.of(*trace);
      summary = analyze(std::move(*trace), wanted);
    }
    if (!said.empty() && !summary.has_cuda_calls) return fail(ExitCode::environment, said);
    report.verdicts.push_back(judge_catalogue_run(claim, summary));
    report.runs.push_back({std::move(claim), std::move(summary)});
  }
  return report;
}

Result<Done> check(const VerifyOptions& options, const CatalogueReport& report) {
  if (!options.with.empty() || !options.size.empty() || !options.fixes.empty() || !options.sabotage.empty() ||
      options.batch != 0 || options.accum != 1)
    return Error{
        "verify --catalogue runs small programs of its own: leave size, with, batch, accum, fix, sabotage out"};
  if (report.steps - report.warmup < kFewestJudgedSteps)
    return Error{
        fmt::format("--steps {} leaves less than {} steps to judge after {} of warm-up: use --steps {} or more",
                    report.steps, kFewestJudgedSteps, report.warmup, report.warmup + kFewestJudgedSteps)};
  return Done{};
}

}  // namespace

Outcome run_verify_catalogue(const VerifyOptions& options, const InstallPaths& paths) {
  auto claims = claims_of(options);
  if (!claims) return fail(ExitCode::bad_use, claims.error().message);
  CatalogueReport report;
  report.steps = options.steps_given ? options.steps : kSteps;
  report.warmup = options.warmup_given ? options.warmup : kWarmup;
  if (const auto fits = check(options, report); !fits) return fail(ExitCode::bad_use, fits.error().message);
  const auto outputs = outputs_of(options, kFormats);
  if (const auto* failed = std::get_if<Outcome>(&outputs)) return *failed;
  SignalInbox inbox;
  const auto ready = get_ready(options, paths);
  if (const auto* failed = std::get_if<Outcome>(&ready)) return *failed;
  const auto& [device, program] = std::get<Ready>(ready);
  report.device = device.name;
  report.device_title = device.title;
  std::vector<std::string> files;
  for (const CatalogueClaim& claim : *claims) files.push_back(file_of(claim));
  const auto folder = TraceFolder::make(options.keep, std::move(files));
  if (const auto* failed = std::get_if<Outcome>(&folder)) return *failed;
  const auto& traces = std::get<TraceFolder>(folder);
  if (device.simulate) say(simulated_warning(device));

  const auto ran = run_claims(std::move(*claims), std::move(report), {paths, device, traces, program, inbox});
  if (const auto* failed = std::get_if<Outcome>(&ran)) return *failed;
  const auto& done = std::get<CatalogueReport>(ran);
  return keep_traces(traces, show_report(code_of(verdict_of(done)), options, std::get<Outputs>(outputs),
                                         [&](std::string_view format) { return render(done, format); }));
}

}  // namespace zerostall::cli
