#include "profiler/cli/stat_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "profiler/base/strings.h"
#include "profiler/cli/help.h"
#include "profiler/cli/option_parts.h"

namespace zerostall::cli {
namespace {

constexpr auto kTables = std::to_array<std::pair<std::string_view, StatBy>>({{"step", StatBy::step},
                                                                             {"site", StatBy::site},
                                                                             {"cause", StatBy::cause},
                                                                             {"thread", StatBy::thread},
                                                                             {"stream", StatBy::stream}});

// "step,cause" adds two; one that was named before is not shown twice.
void add_tables(const std::string& text, std::vector<StatBy>& by) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view name = std::string_view(text).substr(at, end - at);
    const auto table = std::find_if(kTables.begin(), kTables.end(), [&](const auto& t) { return t.first == name; });
    if (table == kTables.end())
      throw CLI::ValidationError("--by", fmt::format("'{}' is none of step, site, cause, thread, stream", name));
    if (std::find(by.begin(), by.end(), table->second) == by.end()) by.push_back(table->second);
    at = end + 1;
  }
}

void add_view(CLI::App* stat, StatOptions& options) {
  stat->add_option_function<std::vector<std::string>>(
          "--by",
          [&options](const std::vector<std::string>& given) {
            for (const std::string& text : given) add_tables(text, options.by);
          },
          "A row for each step, site, cause, thread or stream; several: step,cause")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  word(stat->add_option("--region", options.region,
                        "Figures of this region of the steps only: NVTX ranges, also of torch.cuda.nvtx.range"),
       "NAME");
  stat->add_option_function<std::string>(
          "--top", [&options](const std::string& text) { options.top = std::stoll(text); },
          "Rows of a table, 0 for all (default: all with --by, else what fits a screen)")
      ->type_name("N")
      ->transform(CLI::Validator(whole_number(0, kMost), ""));
  stat->add_flag("--csv", options.csv, "Print the table of --by as CSV");
  stat->add_option_function<std::string>(
          "--color",
          [&options](const std::string& when) {
            options.colour = when == "always"  ? Colour::always
                             : when == "never" ? Colour::never
                                               : Colour::when_terminal;
          },
          "auto (default: on a terminal, unless NO_COLOR is set), always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
}

bool has(const std::vector<StatBy>& by, StatBy table) { return std::find(by.begin(), by.end(), table) != by.end(); }

// What is wrong with options that are each in order; "" = nothing.
std::string conflict(const StatOptions& options) {
  if (options.mpi && options.files.empty()) return "--mpi: name the folder with the traces of the job";
  if (options.mpi && std::find(options.files.begin(), options.files.end(), "-") != options.files.end())
    return "--mpi reads what lies on each node: standard input (-) does not go with it";
  if (options.csv && options.json) return "--csv and --json exclude each other";
  if (options.csv && options.by.size() != 1)
    return "--csv prints one table: name it, as in --by site (step, site, cause, thread or stream)";
  if (options.json && (!options.by.empty() || options.top))
    return "--json has every table and row: leave --by and --top out";
  if (options.verbose && (!options.by.empty() || options.csv))
    return "--verbose adds to the first screen: leave --by out";
  if (options.stacks && options.csv) return "--stacks is no table: leave --csv out";
  if (options.region.empty()) return "";
  if (has(options.by, StatBy::thread) || has(options.by, StatBy::stream))
    return "threads and streams are not told by region: --region goes with --by step, site and cause";
  if (options.verbose || options.stacks)
    return fmt::format("{} is of whole runs: leave --region out", options.stacks ? "--stacks" : "--verbose");
  return "";
}

}  // namespace

void add_stat(CLI::App& app, StatOptions& options) {
  CLI::App* stat =
      app.add_subcommand("stat", "Show where each step of a trace waits, and why: our own traces and other tools'");
  stat->group(kYourProgram)->footer(kStatFooter);
  traces_of_a_job(stat, options.files);
  add_view(stat, options);
  stat->add_flag("--json", options.json, "Print JSON (schema zerostall/stat/1)");
  stat->add_flag(
      "--overhead", options.own_cost,
      "Say what the tracer itself took (measured times: always; simulated: real time, never the same twice)");
  stat->add_flag("--corrected", options.corrected, "Measured times without what the tracer itself took");
  stat->add_flag("--stacks", options.stacks, "Show where waits come from: lines of Python and native functions");
  stat->add_option("--symbols", options.symbols,
                   "With --stacks: a folder or file with libraries of the traced program, searched first")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->needs("--stacks");
  stat->add_flag(
      "--mpi", options.mpi,
      "Share the traces out among the processes that mpirun or srun started; each reads what lies on its node, "
      "and the first prints what one alone would");
  rank(stat, options.rank, "The process to show, of a folder of traces (default: the one that waits most)");
  stat->add_flag("--verbose", options.verbose,
                 "Every kind of wait and copy, and what a file of another tool holds, used or not");
  most_expanded(stat, options.most_expanded);
  how_to_find_steps(stat, options.warmup, options.step_pattern);
}

Result<Options> chosen_stat(StatOptions options) {
  if (std::string problem = conflict(options); !problem.empty()) return Error{std::move(problem)};
  return Options(std::move(options));
}

}  // namespace zerostall::cli
