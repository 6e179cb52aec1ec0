// The command line as plain structs.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "profiler/base/result.h"
#include "reports/exporter.h"
#include "reports/stat_view.h"

namespace zerostall::cli {

// --help, --version: print and be done.
struct ShowOptions {
  std::string text;
  bool asked_for = true;  // false: there was no command, which is bad use
};

struct RecordArguments {
  std::vector<std::string> command;
  std::string device = "auto";
  std::int64_t gpus = 1;
  bool gpus_given = false;
  std::string output;      // "" = run.zstall, run-2.zstall ...
  std::string sim_values;  // "" = none
  std::string host_clock;  // "" = the simulator's default
  std::optional<std::int64_t> seed;
  bool quiet = false;
  bool no_tracer = false;
  bool keep_host = false;
  std::string stacks = "waits";
  bool whole_graphs = false;
  bool counts_only = false;
  std::string window;          // as ZEROSTALL_TRACE_WINDOW has it; "" = all the time
  std::int64_t max_bytes = 0;  // of a trace; 0 = no limit
};

enum class Colour : std::uint8_t { when_terminal, always, never };

struct StatOptions {
  std::vector<std::string> files;  // traces of one job; none = the newest run*.zstall here; "-" alone = standard input
  std::optional<std::int64_t> rank;  // of several processes
  std::int64_t warmup = 2;
  std::string step_pattern;  // "" = the default
  bool json = false;
  bool own_cost = false;                               // what the tracer took, of a simulated run too
  bool corrected = false;                              // waits without what the tracer took inside them
  bool stacks = false;                                 // show where waits come from
  std::vector<std::string> symbols;                    // files and folders to look into for names of native frames
  bool verbose = false;                                // say what the file holds, used or not
  std::int64_t most_expanded = std::int64_t{1} << 36;  // of a compressed trace
  std::vector<StatBy> by;                              // tables to show; empty = the first screen
  std::optional<std::int64_t> top;                     // rows of a table, 0 = all; nullopt = the default
  std::string region;                                  // figures of this one only; "" = of whole steps
  bool csv = false;
  Colour colour = Colour::when_terminal;
  bool mpi = false;  // the processes that mpirun started share the traces out
};

struct ExportArguments {
  std::string file;    // "" = the newest run*.zstall of the working folder
  std::string output;  // "" or "-" = standard output
  ExportFormat format = ExportFormat::json;
  CsvTable table = CsvTable::steps;
  std::optional<std::int64_t> rank;  // of several processes; nullopt = all
  std::int64_t warmup = 2;
  std::string step_pattern;                            // "" = the default
  bool schema = false;                                 // print the JSON Schema, and nothing else
  std::int64_t most_expanded = std::int64_t{1} << 36;  // of a compressed trace
};

struct DiffOptions {
  std::vector<std::string> a, b;     // at least one each
  std::optional<std::int64_t> rank;  // of recordings with several processes
  std::int64_t warmup = 2;
  std::string step_pattern;  // "" = the default
  bool json = false;
  std::int64_t most_expanded = std::int64_t{1} << 36;  // of a compressed trace
};

// What a page of HTML may take where nothing else is asked for.
inline constexpr std::int64_t kPageBytes = 8'000'000;

struct ReportArguments {
  std::string a, b;                  // one trace, or before and after; "" = the newest run*.zstall here, or none
  std::string output;                // "" or "-" = standard output
  std::optional<std::int64_t> rank;  // of recordings with several processes
  std::int64_t warmup = 2;
  std::string step_pattern;                            // "" = the default
  std::int64_t max_bytes = kPageBytes;                 // of the page
  std::int64_t most_expanded = std::int64_t{1} << 36;  // of a compressed trace
};

struct CheckOptions {
  std::vector<std::string> command;  // behind `--`
  std::vector<std::string> traces;   // of one job
  std::string policy;                // "" = zerostall.toml here, where there is one and no --max was given
  std::vector<std::string> max;      // METRIC=N
  std::string baseline;              // file or trace; "" = the policy's
  std::string fail_on;               // "improved", or ""
  std::string before, after;         // commands for a shell
  std::string before_rev, build;     // a git revision, and a command for a shell
  std::optional<std::int64_t> runs;  // of each side
  std::int64_t most_runs = 9;
  std::vector<std::string> outputs;          // FORMAT=FILE
  std::string device;                        // "" = the policy's
  std::optional<std::int64_t> gpus, warmup;  // nullopt = the policy's
  std::string step_pattern;                  // "" = the policy's
  bool inferred = false;
  std::string keep;  // "" = the trace goes
  bool dry_run = false;
  bool schema = false;
};
inline constexpr std::int64_t kMostRuns = 99;
inline constexpr auto kCheckFormats =
    std::to_array<std::string_view>({"text", "md", "github", "gitlab", "junit", "sarif", "json", "bencher", "html"});
inline constexpr auto kVerifyFormats = std::to_array<std::string_view>({"text", "md", "json", "junit", "html"});

// How a command that keeps counts finds the steps that it counts in: a policy, and what options say instead.
struct CountedSteps {
  std::string policy;                  // "" = that of the working folder, if any
  std::optional<std::int64_t> warmup;  // nullopt = the policy's
  std::string step_pattern;            // "" = the policy's
  bool inferred = false;
};

enum class BaselineAction : std::uint8_t { none, update, show };
inline constexpr const char* kBaselineFile = "zerostall.baseline.json";
struct BaselineOptions {
  BaselineAction action = BaselineAction::none;
  std::string trace;   // "" = run the policy's command
  std::string file;    // to show; "" = kBaselineFile
  std::string output;  // "" = the policy's, or kBaselineFile
  CountedSteps steps;
  bool accept_more = false;
};

enum class HistoryAction : std::uint8_t { none, add, show, plot };
struct HistoryOptions {
  HistoryAction action = HistoryAction::none;
  std::string database = "zerostall-history.sqlite";
  std::string trace;
  std::string commit;  // "" = HEAD
  std::string branch;  // "" = the one checked out; to show: all
  CountedSteps steps;
  std::string metric = "waits";  // Metric::key
  std::int64_t last = 40;        // commits
  bool json = false;
};

struct ExplainOptions {
  std::string name;  // "" = list the names
};

struct VerifyOptions {
  std::string scenario;           // or a preset; "" only with `list` and `all`
  std::vector<std::string> with;  // KEY=VALUE, scenarios/settings.h
  std::string size;               // "" = the scenario's default
  std::int64_t steps = 12;
  std::int64_t warmup = 2;
  std::int64_t batch = 0;  // 0 = the scenario's default
  std::int64_t accum = 1;
  std::vector<std::string> fixes;
  std::string sabotage;  // FIX or FIX@STEP; "" = none
  std::string device = "auto";
  std::string keep;  // folder; "" = keep nothing
  bool json = false;
  std::vector<std::string> out;  // FORMAT=FILE, outputs.h
  bool list = false;
  bool all = false;        // every model
  bool catalogue = false;  // every class of causes, or `classes`
  std::vector<std::string> classes;
  bool steps_given = false, warmup_given = false;
};

inline constexpr const char* kDefaultPolicy = "zerostall.toml";

struct InitOptions {
  std::vector<std::string> command;     // behind `--`; empty: there is a trace
  std::vector<std::string> files;       // one trace, or none
  std::string output = kDefaultPolicy;  // "-" = standard output
  bool force = false;
  std::string device = "auto";
  std::int64_t gpus = 1;
  std::string sim_values;  // "" = none
  std::optional<std::int64_t> seed;
  std::int64_t warmup = 2;
  std::string step_pattern;  // "" = the default
};

struct DoctorOptions {
  std::string device = "auto";
  std::string python;    // "" = the one that `record -- python` would start
  bool verbose = false;  // the table of simulated libraries, too
  bool json = false;
};

struct CompletionOptions {
  std::string shell;  // bash, zsh or fish
};

// For `doctor` only, which starts it as a child: says what devices a program sees.
struct ProbeOptions {};

using Options = std::variant<ShowOptions, RecordArguments, StatOptions, DiffOptions, CheckOptions, BaselineOptions,
                             HistoryOptions, ExportArguments, ReportArguments, VerifyOptions, ExplainOptions,
                             InitOptions, DoctorOptions, CompletionOptions, ProbeOptions>;

inline constexpr std::int64_t kMostGpus = 64;  // of the simulated kind

// As many as the scenario program takes, per micro-step and per update.
inline constexpr std::int64_t kMostSamples = 1024;

// An error is bad use: exit code 2.
Result<Options> parse_options(int argc, const char* const* argv);

}  // namespace zerostall::cli
