// Counts what a test does to the program, for the table of `./dev faults` (README.md): inputs tried, inputs survived.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace zerostall::testing {

// One line of JSON to the file that ZEROSTALL_FAULTS names, when it dies; nothing without that variable. A first line
// when it is made, so that a test that crashes half-way is missed. `kind` is one of kinds.json. For the thread of the
// test.
class FaultCount {
 public:
  explicit FaultCount(std::string kind) : kind_(std::move(kind)) { write("\"began\": true"); }
  // Of a test that is one input.
  FaultCount(std::string kind, int inputs) : FaultCount(std::move(kind)) { next(inputs); }
  FaultCount(const FaultCount&) = delete;
  FaultCount& operator=(const FaultCount&) = delete;
  ~FaultCount() {
    settle();
    write("\"tried\": " + std::to_string(tried_) + ", \"survived\": " + std::to_string(survived_) +
          ", \"skipped\": " + (::testing::Test::IsSkipped() ? "true" : "false"));
  }

  // From here on so many more inputs are tried: they are survived when no expectation fails until the next call, or
  // the end. Those of a test that is skipped then were not tried.
  void next(int inputs = 1) {
    settle();
    pending_ = inputs;
    failures_ = failures();
  }

 private:
  static int failures() {
    const ::testing::TestResult& result = *::testing::UnitTest::GetInstance()->current_test_info()->result();
    int failed = 0;
    for (int i = 0; i < result.total_part_count(); ++i) failed += result.GetTestPartResult(i).failed() ? 1 : 0;
    return failed;
  }
  void settle() {
    if (!::testing::Test::IsSkipped()) {
      tried_ += pending_;
      if (failures() == failures_) survived_ += pending_;
    }
    pending_ = 0;
  }
  void write(const std::string& counts) const {
    const char* path = std::getenv("ZEROSTALL_FAULTS");
    if (path == nullptr || *path == '\0') return;
    const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
    // In one write: other tests append to it at the same time.
    const std::string line = "{\"kind\": \"" + kind_ + "\", \"test\": \"" + test.test_suite_name() + "." + test.name() +
                             "\", " + counts + "}\n";
    const int file = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || ::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      ADD_FAILURE() << path << ": cannot be written";
    if (file >= 0) ::close(file);
  }

  std::string kind_;
  long tried_ = 0, survived_ = 0;
  int pending_ = 0, failures_ = 0;
};

}  // namespace zerostall::testing
