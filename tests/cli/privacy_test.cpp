// What must not get out: values planted in arguments, environment, home, user and host, and the device's UUID, occur in
// no trace, report or doctor output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "profiler/base/files.h"
#include "profiler/trace/read_native.h"
#include "tests/cli/program.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

constexpr const char *kToken = "hf_PlantedToken", *kSecret = "PlantedSecret", *kUser = "plantedalice",
                     *kHost = "planted-host", *kArgument = "PlantedValue";

class Privacy : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(project());
    fs::create_directories(project() / ".git");
    fs::copy_file(SUBJECT, project() / "trainer");
  }

  fs::path home() const { return folder.path() / "homes" / kUser; }
  fs::path project() const { return home() / "project"; }

  // In the project, as that user. On a host of that name, where that can be arranged.
  ChildResult shell(const std::string& text) {
    const std::string named = "hostname " + std::string(kHost) + " 2>/dev/null; " + text;
    return run_program("/bin/sh",
                       {"-c",
                        "cd \"$HOME/project\"; if unshare --uts true 2>/dev/null && command -v hostname >/dev/null; "
                        "then exec unshare --uts sh -c \"$named\"; else exec sh -c \"$text\"; fi"},
                       {{"HOME", home()},
                        {"USER", kUser},
                        {"LOGNAME", kUser},
                        {"API_KEY", kSecret},
                        {"named", named},
                        {"text", text},
                        {"z", ZEROSTALL_PROGRAM},
                        {"RANK", ""}});
  }

  // Of text, and of the bytes of a trace.
  void expect_clean(const std::string& text, const std::string& what) {
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    std::vector<std::string> planted = {kToken, kSecret, kUser, kHost, kArgument, home().string()};
    if (std::string(host).size() > 5) planted.push_back(host);
    for (const std::string& word : planted) EXPECT_EQ(text.find(word), std::string::npos) << word << " in " << what;
  }

  // All traces of the project, bytes and what is read from them; returns the bytes.
  std::string expect_clean_traces() {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(project())) {
      if (entry.path().extension() != ".zstall" || !entry.is_regular_file()) continue;
      std::stringstream bytes;
      bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      expect_clean(bytes.str(), "the bytes of " + entry.path().filename().string());
      const auto raw = read_native(entry.path());
      EXPECT_TRUE(bool(raw));
      for (StringId id = 0; raw && id < raw->strings.size(); ++id)
        expect_clean(std::string(raw->strings.text(id)), "a string of a trace");
      all += bytes.str();
    }
    EXPECT_NE(all, "");
    return all;
  }

  void expect_clean_reports(const std::string& record) {
    const ChildResult recorded = shell(record);
    expect_clean(recorded.out + recorded.err, "what record says");
    for (const char* command : {"exec \"$z\" stat", "exec \"$z\" stat --json"}) {
      const ChildResult shown = shell(command);
      EXPECT_EQ(shown.exit_code, 0) << shown.err;
      expect_clean(shown.out + shown.err, command);
    }
  }

  TempFolder folder = std::move(*TempFolder::make());
};

const std::string kRecord = "exec \"$z\" record --device sim -- ";

// The first line proves that a planted word would be found.
TEST_F(Privacy, OfAProgramItsArgumentsAndEnvironmentStayWithIt) {
  expect_clean_reports(kRecord + "./trainer nvtx --token " + kToken + " " + kArgument);
  const std::string bytes = expect_clean_traces();
  EXPECT_THAT(bytes, HasSubstr("registered")) << "texts of the program's own ranges are kept";
  EXPECT_THAT(bytes, HasSubstr("trainer"));
}

TEST_F(Privacy, OfAScriptItsPlaceIsToldRelativeToItsProject) {
  if (shell("python3 -c pass").exit_code != 0) GTEST_SKIP() << "no python3";
  fs::create_directories(project() / "src");
  ASSERT_TRUE(
      write_file(project() / "src/train.py",
                 "import ctypes, sys\n"
                 "cuda, driver = ctypes.CDLL('libcudart.so.13'), ctypes.CDLL('libcuda.so.1')\n"
                 "for i in range(3): cuda.cudaDeviceSynchronize()\n"
                 "uuid = ctypes.create_string_buffer(16)\n"
                 "assert driver.cuDeviceGetUuid_v2(uuid, 0) == 0\n"
                 "open('uuid', 'wb').write(uuid.raw)\n"
                 "serial = ctypes.create_string_buffer(96)\n"
                 "ml = ctypes.CDLL('libnvidia-ml.so.1')\n"
                 "device = ctypes.c_void_p()\n"
                 "ml.nvmlInit_v2(), ml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device))\n"
                 "if ml.nvmlDeviceGetUUID(device, serial, 96) == 0: open('uuid-text', 'wb').write(serial.value)\n"));
  expect_clean_reports(kRecord + "python3 \"$HOME/project/src/train.py\" --token " + kToken + " " + kArgument);
  const std::string bytes = expect_clean_traces();
  EXPECT_THAT(bytes, HasSubstr("\"src/train.py\""));
  for (const char* name : {"uuid", "uuid-text"}) {
    std::stringstream uuid;
    uuid << std::ifstream(project() / name, std::ios::binary).rdbuf();
    ASSERT_GE(uuid.str().size(), 16u) << name;
    EXPECT_EQ(bytes.find(uuid.str()), std::string::npos) << name;
  }
}

TEST_F(Privacy, OfRanksNothingMoreIsTold) {
  expect_clean_reports(kRecord +
                       "sh -c 'for r in 0 1; do RANK=$r LOCAL_RANK=$r WORLD_SIZE=2 GROUP_RANK=0 "
                       "MASTER_ADDR=" +
                       kHost + " TORCHELASTIC_RUN_ID=" + kSecret + " ./trainer steps --token " + kToken + "; done'");
  const std::string bytes = expect_clean_traces();
  EXPECT_THAT(bytes, HasSubstr("\"world_size\": 2, \"host_number\": 0"));
}

TEST_F(Privacy, OfTheMachineTheDoctorShowsNoHome) {
  const std::string python = home() / "venv" / "bin";
  fs::create_directories(python);
  if (shell("command -v python3").exit_code == 0)
    fs::create_symlink(fs::canonical("/proc/self/exe").parent_path() / "no-such-python", fs::path(python) / "python");
  for (const char* command : {"\"$z\" doctor --device sim", "\"$z\" doctor --device sim --json"}) {
    const ChildResult result = shell(std::string("PATH=\"$HOME/venv/bin:$PATH\" exec ") + command);
    EXPECT_THAT(result.out, HasSubstr("libzerostall_tracer.so"));
    expect_clean(result.out + result.err, command);
  }
}

// An installation in the user's home, and a Python there.
TEST_F(Privacy, OfAnInstallationInTheHomeTheHomeIsLeftOut) {
  fs::create_directories(home() / "tools/bin");
  fs::copy_file(ZEROSTALL_PROGRAM, home() / "tools/bin/zerostall");
  const ChildResult result = shell("exec \"$HOME/tools/bin/zerostall\" doctor");
  EXPECT_THAT(result.out, HasSubstr("~/tools/lib/zerostall/libzerostall_tracer.so is not there"));
  expect_clean(result.out + result.err, "doctor");
  const ChildResult record = shell("exec \"$HOME/tools/bin/zerostall\" record --device gpu -- true");
  expect_clean(record.out + record.err, "record");
}

TEST_F(Privacy, TheHostsNameIsKeptWhenAskedFor) {
  shell("exec \"$z\" record --keep-host --device sim -- ./trainer steps");
  const auto raw = read_native(project() / "run.zstall");
  ASSERT_TRUE(bool(raw));
  EXPECT_NE(raw->meta.host, "");
}

}  // namespace
}  // namespace zerostall
