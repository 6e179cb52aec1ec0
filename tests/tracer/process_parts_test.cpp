// What a trace tells of its process, from made-up command lines and environments.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "profiler/tracer/command.h"
#include "profiler/tracer/job.h"

namespace zerostall::tracer {
namespace {

Command command_of(const std::vector<std::string>& words, const std::string& program = "/usr/bin/python3.11") {
  std::string bytes;
  for (const std::string& word : words) bytes += word + '\0';
  return read_command(program, bytes, true, [](std::string_view path) { return "told:" + std::string(path); });
}

TEST(Command, OfAProgramIsItsNameAndHowManyArgumentsItHas) {
  const Command command = command_of({"./train", "--token", "secret", ""}, "/home/alice/train");
  EXPECT_EQ(command.program, "train");
  EXPECT_EQ(command.script, "");
  EXPECT_EQ(command.arguments, 3);
}

TEST(Command, OfPythonIsItsScript) {
  struct Case {
    std::vector<std::string> words;
    std::string script;
    std::int64_t arguments;
  };
  const std::vector<Case> cases = {
      {{"python", "a/train.py", "--lr", "3"}, "told:a/train.py", 2},
      {{"python", "-u", "-X", "dev", "-W", "ignore", "train.py"}, "told:train.py", 0},
      {{"python", "-Xdev", "-Wignore", "-OO", "train.py", "-m"}, "told:train.py", 1},
      {{"python", "-m", "torch.distributed.run", "--token", "x"}, "-m torch.distributed.run", 2},
      {{"python", "-um", "pkg.main", "x"}, "-m pkg.main", 1},
      {{"python", "-mpkg", "x"}, "-m pkg", 1},
      {{"python", "-c", "print('secret')", "x"}, "-c", 1},
      {{"python", "-cprint('secret')"}, "-c", 0},
      {{"python", "-Bc", "print('secret')"}, "-c", 0},
      {{"python", "-", "x"}, "-", 1},
      {{"python", "--check-hash-based-pycs", "always", "train.py"}, "told:train.py", 0},
      {{"python", "--", "train.py", "x"}, "told:train.py", 1},
      {{"python", "-m", "no module; a secret"}, "", 0},
      {{"python"}, "", 0},
      {{"python", "-m"}, "", 1},
      {{"python", "-u"}, "", 1},
      {{"ray::worker secret"}, "", 0},
  };
  for (const Case& c : cases) {
    const Command command = command_of(c.words);
    const std::string what = ::testing::PrintToString(c.words);
    EXPECT_EQ(command.program, "python3.11") << what;
    EXPECT_EQ(command.script, c.script) << what;
    EXPECT_EQ(command.arguments, c.arguments) << what;
  }
}

TEST(Command, ThatIsCutOrNotThereIsUnknown) {
  const auto same = [](std::string_view path) { return std::string(path); };
  EXPECT_EQ(read_command("/bin/a", "", false, same).arguments, std::nullopt);
  EXPECT_EQ(read_command("/bin/a", std::string("a\0b\0", 4), false, same).arguments, std::nullopt);
  EXPECT_EQ(read_command("", "", false, same).program, "");
}

std::map<std::string, std::string> g_environment;
Job job_in(std::map<std::string, std::string> environment) {
  g_environment = std::move(environment);
  return find_job([](const char* name) -> const char* {
    const auto found = g_environment.find(name);
    return found == g_environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Job, OfTorchrun) {
  const Job job =
      job_in({{"RANK", "9"}, {"LOCAL_RANK", "1"}, {"WORLD_SIZE", "16"}, {"GROUP_RANK", "1"}, {"SLURM_PROCID", "1"}});
  EXPECT_EQ(job.rank, 9);
  EXPECT_EQ(job.local_rank, 1);
  EXPECT_EQ(job.world_size, 16);
  EXPECT_EQ(job.host_number, 1);
}

TEST(Job, OfOtherLaunchers) {
  const std::vector<std::map<std::string, std::string>> launchers = {
      {{"SLURM_PROCID", "5"}, {"SLURM_LOCALID", "1"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_NODEID", "2"}},
      {{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "8"}},
      {{"MV2_COMM_WORLD_RANK", "5"}, {"MV2_COMM_WORLD_LOCAL_RANK", "1"}, {"MV2_COMM_WORLD_SIZE", "8"}},
      {{"PMI_RANK", "5"}, {"MPI_LOCALRANKID", "1"}, {"PMI_SIZE", "8"}},
      {{"FLUX_TASK_RANK", "5"}, {"FLUX_TASK_LOCAL_ID", "1"}, {"FLUX_JOB_SIZE", "8"}},
      {{"JSM_NAMESPACE_RANK", "5"}, {"JSM_NAMESPACE_LOCAL_RANK", "1"}, {"JSM_NAMESPACE_SIZE", "8"}},
  };
  for (const auto& environment : launchers) {
    const Job job = job_in(environment);
    const std::string what = environment.begin()->first;
    EXPECT_EQ(job.rank, 5) << what;
    EXPECT_EQ(job.local_rank, 1) << what;
    EXPECT_EQ(job.world_size, 8) << what;
    EXPECT_EQ(job.host_number.value_or(-1), environment.contains("SLURM_NODEID") ? 2 : -1) << what;
  }
}

// Every process of a batch script has the size of its allocation, and numbers of two launchers do not go together.
TEST(Job, IsNotPutTogetherFromParts) {
  EXPECT_EQ(job_in({{"WORLD_SIZE", "8"}}).world_size, std::nullopt);
  EXPECT_EQ(job_in({{"RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "8"}}).world_size, std::nullopt);
  EXPECT_EQ(job_in({{"OMPI_COMM_WORLD_NODE_RANK", "1"}}).host_number, std::nullopt);
}

TEST(Job, TakesPlainNumbersOnly) {
  for (const char* text : {"", "-1", "one", "1 ", "0x1", "99999999999999999999"})
    EXPECT_EQ(job_in({{"RANK", text}}).rank, std::nullopt) << text;
}

}  // namespace
}  // namespace zerostall::tracer
