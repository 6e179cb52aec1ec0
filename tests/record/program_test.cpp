#include "profiler/record/program.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "profiler/base/files.h"

namespace zerostall {
namespace {

namespace fs = std::filesystem;

class Program : public ::testing::Test {
 protected:
  fs::path put(const std::string& name, const std::string& bytes, bool runs = true) {
    const fs::path path = folder.path() / name;
    EXPECT_TRUE(write_file(path, bytes));
    if (runs) fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  TempFolder folder = std::move(*TempFolder::make());
};

TEST_F(Program, IsFoundAsAShellWouldFindIt) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_EQ(find_program("/bin/sh"), fs::path("/bin/sh"));
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
  EXPECT_FALSE(find_program(put("data", "", false).string()));
  EXPECT_FALSE(find_program(folder.path().string()));  // a folder can be "executed" too
}

TEST_F(Program, PythonIsToldByNameOrFirstLine) {
  EXPECT_EQ(python_of("/opt/bin/python3.11"), fs::path("/opt/bin/python3.11"));
  EXPECT_EQ(python_of(put("torchrun", "#!/opt/venv/bin/python3\nimport x\n")), fs::path("/opt/venv/bin/python3"));
  EXPECT_FALSE(python_of(put("shell", "#!/bin/sh\n")));
  EXPECT_FALSE(python_of(put("binary", std::string("\x7f"
                                                   "ELF\0\0",
                                                   6))));
  EXPECT_FALSE(python_of(put("empty", "")));
  const std::string path = std::getenv("PATH");
  const fs::path python = put("python3", "");
  ::setenv("PATH", folder.path().c_str(), 1);
  EXPECT_EQ(python_of(put("script", "#!/usr/bin/env -S python3 -u\n")), python);
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(Program, AStaticRuntimeIsToldByWhatItHolds) {
  using namespace std::string_literals;
  const std::string runtime = "\0cudaErrorMemoryAllocation\0cudaErrorCudartUnloading\0"s;
  EXPECT_TRUE(has_static_cudart(put("static",
                                    "\x7f"
                                    "ELF" +
                                        runtime + "\0libcuda.so.1\0"s)));
  EXPECT_FALSE(has_static_cudart(put("names",
                                     "\x7f"
                                     "ELF" +
                                         runtime)));
  EXPECT_FALSE(has_static_cudart(put("text", runtime + "\0libcuda.so.1\0"s)));
  EXPECT_FALSE(has_static_cudart("/bin/sh"));
  EXPECT_FALSE(has_static_cudart("/no/such/file"));
}

}  // namespace
}  // namespace zerostall
