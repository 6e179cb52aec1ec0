// However a program ends: it ends as it would untraced, its trace can be read, holds every wait it completed, and says
// whether something is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/faults/fault_count.h"
#include "tests/tracer/run_subject.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

struct Way {
  std::string mode;
  int exit_code = 0;
  bool whole = false;                       // the trace has its end
  enum Late { no, some, maybe } late = no;  // calls while the process ends
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.mode; }

class AProgramThatEnds : public ::testing::TestWithParam<Way> {};

// Untraced first: what it does then is the measure.
TEST_P(AProgramThatEnds, EndsAsItWouldAndKeepsItsTrace) {
#ifdef __SANITIZE_THREAD__
  for (const std::string_view mode : {"main-leaves-first", "worker-outlives-main", "handler-exits"})
    if (GetParam().mode == mode) GTEST_SKIP() << "with ThreadSanitizer such a process never ends, traced or not";
#endif
  const FaultCount fault("program_ends", 1);
  const Way& way = GetParam();
  ASSERT_EQ(SubjectRun().run({SUBJECT, way.mode}, {}, false).exit_code, way.exit_code) << "the subject itself";
  SubjectRun subject;
  const Ended ended = subject.run({SUBJECT, way.mode});
  EXPECT_EQ(ended.exit_code, way.exit_code) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("[zerostall]")));
  const LeftTrace left = subject.trace();
  const auto odd = left.raw.oddities.find("calls_after_exit");
  const std::int64_t late = odd == left.raw.oddities.end() ? 0 : odd->second;
  // Threads that run on until the process is gone make calls when the file is closed; all others lose none.
  EXPECT_GE(left.calls("cudaStreamSynchronize") + (way.late == Way::maybe ? late : 0),
            static_cast<std::int64_t>(subject.progress().waits));
  EXPECT_TRUE(way.late == Way::maybe || (late > 0) == (way.late == Way::some)) << late;
  EXPECT_EQ(left.raw.truncated, !way.whole);
  EXPECT_EQ(left.notes(), "");
}

INSTANTIATE_TEST_SUITE_P(
    Lifetime, AProgramThatEnds,
    ::testing::Values(Way{"normal", 0, true}, Way{"exit-code", 7, true}, Way{"exit-from-thread", 5, true, Way::maybe},
                      Way{"_exit", 3, false}, Way{"quick-exit", 4, false}, Way{"abort", 128 + SIGABRT, false},
                      Way{"exception", 128 + SIGABRT, false}, Way{"terminate", 128 + SIGABRT, false},
                      Way{"segfault", 128 + SIGSEGV, false}, Way{"main-leaves-first", 0, true},
                      Way{"worker-outlives-main", 0, true}, Way{"handler-exits", 6, true},
                      Way{"closes-libraries", 0, true}, Way{"device-reset", 0, true}, Way{"late-destructors", 0, true},
                      Way{"global-destructor", 0, true, Way::some}, Way{"detached", 0, true, Way::maybe},
                      Way{"fork-in-step", 0, true}, Way{"twice", 0, true}),
    [](const auto& info) {
      std::string name = info.param.mode;
      for (char& c : name)
        if (c == '-') c = '_';
      return name;
    });

void wait_for_waits(SubjectRun& subject, std::uint64_t count) {
  for (int i = 0; i < 5000 && subject.progress().waits < count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

void expect_all_but_the_end(SubjectRun& subject) {
  const LeftTrace left = subject.trace();
  EXPECT_TRUE(left.raw.truncated);
  EXPECT_GE(left.calls("cudaStreamSynchronize"), static_cast<std::int64_t>(subject.progress().waits));
}

TEST(Lifetime, SigtermByItsDefaultAction) {
  const FaultCount fault("program_signalled", 1);
  SubjectRun subject;
  subject.start({SUBJECT, "sigterm"});
  wait_for_waits(subject, 20);
  subject.signal(SIGTERM);
  EXPECT_EQ(subject.wait().exit_code, 128 + SIGTERM);
  expect_all_but_the_end(subject);
}

// As torchrun ends the other ranks of one that failed.
TEST(Lifetime, SigtermAndThenSigkill) {
  const FaultCount fault("program_killed", 1);
  SubjectRun subject;
  subject.start({SUBJECT, "ignores-sigterm"});
  wait_for_waits(subject, 20);
  subject.signal(SIGTERM);
  wait_for_waits(subject, subject.progress().waits + 20);
  subject.signal(SIGKILL);
  EXPECT_EQ(subject.wait().exit_code, 128 + SIGKILL);
  expect_all_but_the_end(subject);
}

TEST(Lifetime, AStoppedAndContinuedProgramLosesNothing) {
  const FaultCount fault("program_signalled", 1);
  SubjectRun subject;
  subject.start({SUBJECT, "sigterm"});
  wait_for_waits(subject, 20);
  subject.signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  subject.signal(SIGCONT);
  wait_for_waits(subject, subject.progress().waits + 20);
  subject.signal(SIGTERM);
  EXPECT_EQ(subject.wait().exit_code, 128 + SIGTERM);
  expect_all_but_the_end(subject);
}

// The program must not get SIGXFSZ, which would end it, for what the tracer writes.
TEST(Lifetime, AFileSizeLimitEndsTheTraceAndNotTheProgram) {
  FaultCount faults("trace_no_room");
  for (const char* mode : {"no-room-at-all", "little-room"}) {
    faults.next();
    SubjectRun subject;
    const Ended ended = subject.run({SUBJECT, mode});
    EXPECT_EQ(ended.exit_code, 0) << mode << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("[zerostall] ")) << mode << ": what is missing is said";
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << mode << ended.err;
    for (const LeftTrace& left : subject.traces()) {
      EXPECT_TRUE(!left.problem.empty() || left.raw.truncated) << mode;
      EXPECT_LT(left.calls("cudaStreamSynchronize"), static_cast<std::int64_t>(subject.progress().waits)) << mode;
    }
  }
}

TEST(Lifetime, AFolderThatCannotBeWrittenLeavesTheProgramAlone) {
  const FaultCount fault("trace_no_room", 1);
  SubjectRun subject;
  fs::remove(subject.traces_folder());
  const Ended ended = subject.run({SUBJECT, "exit-code"});
  EXPECT_EQ(ended.exit_code, 7);
  EXPECT_THAT(ended.err, StartsWith("[zerostall] tracing is off: cannot create "));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

TEST(Lifetime, AReadOnlyFolderLeavesTheProgramAlone) {
  const FaultCount fault("trace_no_room", 1);
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  SubjectRun subject;
  fs::permissions(subject.traces_folder(), fs::perms::owner_read | fs::perms::owner_exec);
  const Ended ended = subject.run({SUBJECT, "exit-code"});
  EXPECT_EQ(ended.exit_code, 7);
  EXPECT_THAT(ended.err, HasSubstr("Permission denied"));
}

TEST(Lifetime, ARemovedFolderDoesNotHurtTheProgram) {
  const FaultCount fault("trace_no_room", 1);
  SubjectRun subject;
  const Ended ended =
      subject.run({SUBJECT, "spoiled"}, {{"SPOIL", "rm -r '" + subject.traces_folder().string() + "'"}});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

// A mapped file that somebody shortens answers writes with SIGBUS: while it grows, nobody (but root) may write it.
TEST(Lifetime, AGrowingTraceCannotBeWrittenByOthers) {
  SubjectRun subject;
  const fs::path trace = subject.traces_folder() / "trace";
  const Ended ended =
      subject.run({SUBJECT, "spoiled"},
                  {{"SPOIL", "stat -c %A '" + trace.string() + "' > '" + subject.path("mode").string() + "'"}});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const auto mode = MappedFile::open(subject.path("mode"));
  ASSERT_TRUE(bool(mode));
  const std::string text(reinterpret_cast<const char*>(mode->bytes().data()), mode->bytes().size());
  EXPECT_THAT(text, StartsWith("-r-"));
  EXPECT_EQ(text.find('w'), std::string::npos) << text;
  EXPECT_NE(fs::status(trace).permissions() & fs::perms::owner_write, fs::perms::none) << "when it is closed";
}

// A small file system of its own for the traces.
class FullDisk {
 public:
  explicit FullDisk(const fs::path& folder, const char* options) : folder_(folder) {
    mounted_ = ::mount("zerostall-test", folder.c_str(), "tmpfs", 0, options) == 0;
  }
  ~FullDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }

 private:
  fs::path folder_;
  bool mounted_ = false;
};

TEST(Lifetime, AFullDiskEndsTheTraceAndNotTheProgram) {
  const FaultCount fault("trace_no_room", 1);
  SubjectRun subject;
  const FullDisk disk(subject.traces_folder(), "size=1m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  const Ended ended = subject.run({SUBJECT, "many"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("[zerostall] "));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  const LeftTrace left = subject.trace();
  EXPECT_TRUE(left.raw.truncated);
  EXPECT_GT(left.calls("cudaStreamSynchronize"), 0) << "what was written before that is kept";
  EXPECT_LT(left.calls("cudaStreamSynchronize"), static_cast<std::int64_t>(subject.progress().waits));
}

}  // namespace
}  // namespace zerostall
