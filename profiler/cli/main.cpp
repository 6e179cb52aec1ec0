// The whole program in one glance: options in, one command, text and exit code out. Nothing else prints or exits,
// except for the progress lines of a long command.
#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "profiler/cli/baseline.h"
#include "profiler/cli/check.h"
#include "profiler/cli/diff.h"
#include "profiler/cli/doctor.h"
#include "profiler/cli/explain.h"
#include "profiler/cli/export.h"
#include "profiler/cli/history.h"
#include "profiler/cli/init.h"
#include "profiler/cli/options.h"
#include "profiler/cli/outcome.h"
#include "profiler/cli/record.h"
#include "profiler/cli/report.h"
#include "profiler/cli/stat.h"
#include "profiler/cli/verify.h"

namespace {

using namespace zerostall::cli;

Outcome run(int argc, const char* const* argv) {
  const auto options = parse_options(argc, argv);
  if (!options) return fail(ExitCode::bad_use, options.error().message);
  if (const auto* show = std::get_if<ShowOptions>(&*options))
    return {show->asked_for ? ExitCode::ok : ExitCode::bad_use, show->text, {}};
  if (const auto* record = std::get_if<RecordArguments>(&*options)) return run_record(*record);
  if (const auto* stat = std::get_if<StatOptions>(&*options)) return run_stat(*stat);
  if (const auto* diff = std::get_if<DiffOptions>(&*options)) return run_diff(*diff);
  if (const auto* check = std::get_if<CheckOptions>(&*options)) return run_check(*check);
  if (const auto* baseline = std::get_if<BaselineOptions>(&*options)) return run_baseline(*baseline);
  if (const auto* history = std::get_if<HistoryOptions>(&*options)) return run_history(*history);
  if (const auto* to_export = std::get_if<ExportArguments>(&*options)) return run_export(*to_export);
  if (const auto* report = std::get_if<ReportArguments>(&*options)) return run_report(*report);
  if (const auto* verify = std::get_if<VerifyOptions>(&*options)) return run_verify(*verify);
  if (const auto* init = std::get_if<InitOptions>(&*options)) return run_init(*init);
  if (const auto* explain = std::get_if<ExplainOptions>(&*options)) return run_explain(*explain);
  if (const auto* doctor = std::get_if<DoctorOptions>(&*options)) return run_doctor(*doctor);
  return run_probe();
}

// A descriptor that was closed by whoever started us would be given to the next file we open, and our text would land
// in that. One that cannot be used in its direction fails as a closed one does.
void reserve_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

// False with errno set when not all of it got out: a full disk, or a reader that has gone.
bool print(const std::string& text) {
  errno = 0;
  return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  reserve_standard_streams();
  Outcome outcome;
  try {
    outcome = run(argc, argv);
  } catch (const std::bad_alloc&) {
    outcome =
        fail(ExitCode::environment,
             "out of memory: allow this process more (ulimit -v, the container's limit), or read a smaller trace");
  } catch (const std::exception& problem) {
    outcome = fail(ExitCode::environment, std::string("internal problem: ") + problem.what());
  }
  if (!print(outcome.out))
    outcome = fail(ExitCode::environment, std::string("cannot write to standard output: ") + std::strerror(errno));
  if (!outcome.error.empty()) std::fprintf(stderr, "zerostall: %s\n", outcome.error.c_str());
  return static_cast<int>(outcome.code);
}
