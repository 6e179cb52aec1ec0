// The program itself on the simulated GPU: what it waits for per update, counted by the simulator's own book, against
// what unmodified OneTrainer was measured to do (reference-step.md section 0); and its exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace {

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Outcome {
  int exit_code;
  std::string out, err;
  nlohmann::json calls;  // calls per API function in the whole process
};

Outcome run(const std::string& arguments) {
  const std::string base = testing::TempDir() + "scenario_" + std::to_string(::getpid());
  const std::string command = "ZEROSTALL_SIM_LOG=" + base +
                              ".json LD_PRELOAD=" SIM_PRELOAD " OMP_NUM_THREADS=1 " SCENARIO_PROGRAM " " + arguments +
                              " >" + base + ".out 2>" + base + ".err";
  const int status = std::system(command.c_str());
  Outcome outcome{
      .exit_code = WEXITSTATUS(status), .out = read(base + ".out"), .err = read(base + ".err"), .calls = {}};
  const nlohmann::json log = nlohmann::json::parse(read(base + ".json"), nullptr, false);
  if (!log.is_discarded()) outcome.calls = log["calls"];
  for (const char* suffix : {".json", ".out", ".err"}) std::filesystem::remove(base + suffix);
  return outcome;
}

// Per update in the steady state: what 5 more updates add, divided by 5.
struct PerUpdate {
  double stream_syncs, event_syncs, device_syncs, copies, launches;
};

PerUpdate per_update(const std::string& arguments, const std::string& scenario = "flux2") {
  const std::string command = scenario + " " + arguments;
  const Outcome few = run(command + " --steps 3"), many = run(command + " --steps 8");
  EXPECT_EQ(few.exit_code, 0) << few.err;
  EXPECT_EQ(many.exit_code, 0) << many.err;
  const auto added = [&](const char* function) {
    return (many.calls.value(function, 0) - few.calls.value(function, 0)) / 5.0;
  };
  return {.stream_syncs = added("cudaStreamSynchronize"),
          .event_syncs = added("cudaEventSynchronize"),
          .device_syncs = added("cudaDeviceSynchronize"),
          .copies = added("cudaMemcpyAsync"),
          .launches = added("__cudaLaunchKernel") + added("cudaLaunchKernelExC")};
}

void expect_counts(const std::string& arguments, double stream_syncs, double event_syncs, double copies,
                   const std::string& scenario = "flux2") {
  const PerUpdate counted = per_update(arguments, scenario);
  EXPECT_EQ(counted.stream_syncs, stream_syncs) << arguments;
  EXPECT_EQ(counted.event_syncs, event_syncs) << arguments;
  EXPECT_EQ(counted.device_syncs, 0) << arguments;
  EXPECT_EQ(counted.copies, copies) << arguments;
}

TEST(ScenarioProgram, TinyWaitsAsOftenAsTheReferenceKlein) {
  expect_counts("--size tiny", 13, 0, 13);
  expect_counts("--size tiny --fix bn-pinning", 11, 0, 11);
  expect_counts("--size tiny --fix async-loss", 12, 0, 13);
  expect_counts("--size tiny --fix bn-pinning --fix async-loss", 10, 0, 11);
  expect_counts("--size tiny --fix bn-pinning --fix async-loss=upstream", 10, 1, 11);
}

TEST(ScenarioProgram, AccumulationAndBatchScaleTheRightPart) {
  expect_counts("--size tiny --accum 2", 25, 0, 25);  // 2 * (10 + 2) + 1
  expect_counts("--size tiny --accum 2 --fix bn-pinning --fix async-loss", 20, 0, 21);
  expect_counts("--size tiny --batch 4", 23, 0, 23);
}

TEST(ScenarioProgram, DevKeepsTheGuidanceUpload) {
  expect_counts("--size dev", 14, 0, 14);
  expect_counts("--size dev --fix bn-pinning --fix async-loss", 11, 0, 12);
}

TEST(ScenarioProgram, ErnieReadsTheLongestText) {
  expect_counts("--size tiny", 14, 0, 14, "ernie");
  expect_counts("--size ernie-image", 14, 0, 14, "ernie");
  expect_counts("--size tiny --fix bn-pinning --fix async-loss", 11, 0, 12, "ernie");
  expect_counts("--size tiny --accum 2", 27, 0, 27, "ernie");  // 2 * (10 + 2 + 1) + 1
}

TEST(ScenarioProgram, Ideogram4ReadsLengthsAndUploadsIds) {
  expect_counts("--size tiny", 19, 0, 19, "ideogram4");
  expect_counts("--size ideogram4", 19, 0, 19, "ideogram4");
  expect_counts("--size tiny --fix bn-pinning --fix async-loss", 16, 0, 17, "ideogram4");
  expect_counts("--size tiny --batch 4", 29, 0, 29, "ideogram4");
}

TEST(ScenarioProgram, SabotageUndoesAFixFromThatUpdateOn) {
  const Outcome good = run("flux2 --size tiny --steps 8 --fix bn-pinning --fix async-loss");
  const Outcome bad = run("flux2 --size tiny --steps 8 --fix bn-pinning --fix async-loss --sabotage bn-pinning@5");
  // 3 updates with 2 more each, and the 3 copies that take the statistics away.
  EXPECT_EQ(bad.calls.value("cudaStreamSynchronize", 0) - good.calls.value("cudaStreamSynchronize", 0), 3 * 2 + 3);
  const Outcome blocking = run("flux2 --size tiny --steps 8 --fix bn-pinning --fix async-loss --sabotage async-loss@6");
  EXPECT_EQ(blocking.calls.value("cudaStreamSynchronize", 0) - good.calls.value("cudaStreamSynchronize", 0), 2);
}

// Within 5 % of what unmodified OneTrainer launched (15,410): the load on the launch queue is the reference's.
TEST(ScenarioProgram, Klein9bLaunchesAboutAsManyKernelsAsTheReference) {
  EXPECT_NEAR(per_update("--size klein-9b").launches, 15410, 770);
}

TEST(ScenarioProgram, ExitCodes) {
  EXPECT_EQ(run("flux2 --size tiny --steps 1").exit_code, 0);
  const Outcome unknown = run("flux2 --fix magic");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err.rfind("zerostall-scenario: unknown fix 'magic'; there are: bn-pinning, async-loss, ", 0), 0u)
      << unknown.err;
  EXPECT_EQ(run("flux2 --with ema=disk").err,
            "zerostall-scenario: --with ema=disk: ema takes off, gpu or cpu, not 'disk'\n");
  const Outcome diverged = run("flux2 --size tiny --device cpu --steps 9 --with learning-rate=1e38");
  EXPECT_EQ(diverged.exit_code, 1);
  EXPECT_NE(diverged.err.find("the loss of update 1 is NaN"), std::string::npos) << diverged.err;
  EXPECT_EQ(diverged.out.find("update 1 "), std::string::npos);
}

TEST(ScenarioProgram, DumpedWeightsAreTheSameWithAndWithoutTheFixes) {
  const std::string base = testing::TempDir() + "weights_" + std::to_string(::getpid());
  const std::string arguments = "flux2 --size tiny --device cpu --steps 3 --dump-weights " + base;
  EXPECT_EQ(run(arguments + ".off").exit_code, 0);
  EXPECT_EQ(run(arguments + ".on --fix bn-pinning --fix async-loss").exit_code, 0);
  const std::string off = read(base + ".off"), on = read(base + ".on");
  EXPECT_EQ(off.substr(0, off.find('\n')), "transformer_blocks.0.attn.to_q.lora_down 16 256");
  EXPECT_TRUE(off == on);
  std::filesystem::remove(base + ".off");
  std::filesystem::remove(base + ".on");
}

}  // namespace
