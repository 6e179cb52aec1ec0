#include "scenarios/catalogue/program.h"

#include <ATen/Parallel.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "scenarios/catalogue/expected.h"
#include "scenarios/catalogue/scenarios.h"
#include "scenarios/options.h"

namespace zerostall::scenarios::catalogue {
namespace {

constexpr auto kScenarios = std::to_array<std::pair<std::string_view, Scenario>>({
    {"scalar-read", scalar_read},
    {"finite-check", finite_check},
    {"amp-scaler", amp_scaler},
    {"state-on-wrong-device", state_on_wrong_device},
    {"pageable-batch", pageable_batch},
    {"pageable-async", pageable_async},
    {"tensor-from-host", tensor_from_host},
    {"dynamic-shape", dynamic_shape},
    {"size-from-device", size_from_device},
    {"branch-on-device", branch_on_device},
    {"host-table-by-device-index", host_table_by_device_index},
    {"explicit-sync", explicit_sync},
    {"allocator", allocator},
    {"offload", offload},
    {"download", download},
    {"library-internal", library_internal},
});

struct Arguments {
  std::string slug, variant = "cause", device = "cuda";
  std::int64_t steps = 8;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("A small training step that waits for one known cause; its fixed twin; a near miss",
               "zerostall-scenario catalogue");
  app.add_option("slug", arguments.slug, "class of causes, such as scalar-read")->required();
  app.add_option("--variant", arguments.variant, "cause, fixed or near-miss");
  app.add_option("--steps", arguments.steps, "optimizer updates")->check(CLI::Range(1, 1'000'000));
  app.add_option("--device", arguments.device, "cuda or cpu")->check(CLI::IsMember({"cuda", "cpu"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    throw HelpRequested(app.help());
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return arguments;
}

std::string known_slugs() {
  std::string names;
  for (const auto& [slug, scenario] : kScenarios) names += (names.empty() ? "" : ", ") + std::string(slug);
  return names;
}

void print(const char* what, const std::vector<double>& numbers) {
  if (numbers.empty()) return;
  std::printf("%s", what);
  for (const double number : numbers) std::printf(" %.6g", number);
  std::printf("\n");
}

}  // namespace

Scenario find_scenario(std::string_view slug) {
  for (const auto& [name, scenario] : kScenarios)
    if (name == slug) return scenario;
  return nullptr;
}

std::optional<Variant> find_variant(std::string_view name) {
  for (std::size_t i = 0; i < kVariants.size(); ++i)
    if (kVariants[i] == name) return static_cast<Variant>(i);
  return std::nullopt;
}

void run_program(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  const Scenario scenario = find_scenario(arguments.slug);
  if (scenario == nullptr) throw UsageError("unknown class '" + arguments.slug + "'; there are: " + known_slugs());
  const auto variant = find_variant(arguments.variant);
  if (!variant) throw UsageError("unknown variant '" + arguments.variant + "'; there are: cause, fixed, near-miss");
  if (arguments.device == "cuda" && !at::hasCUDA())
    throw UsageError(
        "no CUDA device; use --device cpu, or start through `zerostall verify --catalogue`, which simulates one");
  at::set_num_threads(1);
  Run run{.variant = *variant,
          .device = at::Device(arguments.device == "cuda" ? at::kCUDA : at::kCPU),
          .steps = arguments.steps};
  scenario(run);
  print("told", run.told);
  print("milliseconds", run.milliseconds);
}

}  // namespace zerostall::scenarios::catalogue
