// Whichever way a program opens a library of CUDA's, it gets the simulated one; all other libraries open as ever.
#include <string>

#include "tests/simgpu/preload/library.h"

using namespace zerostall::testing;

namespace {

std::string file_of(void* handle, const char* function) {
  Dl_info info{};
  void* address = handle ? dlsym(handle, function) : nullptr;
  return address && dladdr(address, &info) ? info.dli_fname : "";
}

TEST(Preload, APathToARealLibraryOpensTheSimulatedOne) {
  void* handle = library(SITE "/libcudart.so.12.9.79");
  EXPECT_EQ(dlsym(handle, "the_one_on_disk"), nullptr);
  EXPECT_EQ(file_of(handle, "cudaMalloc"), SIM_DIR "/libcudart.so.12");
}

TEST(Preload, ANameWithoutAVersionMeansTheNewest) {
  EXPECT_EQ(file_of(library("libcudart.so"), "cudaMalloc"), SIM_DIR "/libcudart.so.13");
  EXPECT_EQ(file_of(library("/usr/lib/libcuda.so"), "cuInit"), SIM_DIR "/libcuda.so.1");
  EXPECT_EQ(file_of(library("libnvidia-ml.so"), "nvmlInit_v2"), SIM_DIR "/libnvidia-ml.so.1");
}

TEST(Preload, OtherLibrariesOpenAsEver) {
  EXPECT_NE(call(library("libm.so.6"), "abs", -3), 0);
  EXPECT_EQ(dlopen("libcudart.so.99", RTLD_NOW), nullptr);
  EXPECT_NE(dlerror(), nullptr);
  EXPECT_EQ(dlopen("libcudartist.so.13", RTLD_NOW), nullptr);
  void* self = dlopen(nullptr, RTLD_NOW);
  EXPECT_NE(self, nullptr);
}

// The dynamic linker alone would end the process: "symbol lookup error".
TEST(Preload, FunctionsOfTomorrowAnswerNotSupported) {
  testing::internal::CaptureStderr();
  void* newer = library(SITE "/torch/lib/libnewer_library.so");
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_NE(warning.find("2 functions that are not known"), std::string::npos) << warning;
  EXPECT_NE(warning.find("cudnnInventedTomorrow"), std::string::npos) << warning;
  testing::internal::CaptureStderr();
  EXPECT_EQ(call<long>(newer, "call_cudnn"), 3000);  // CUDNN_STATUS_NOT_SUPPORTED
  EXPECT_EQ(call<long>(newer, "call_nccl"), 3);      // ncclInternalError
  const std::string calls = testing::internal::GetCapturedStderr();
  EXPECT_NE(calls.find("ncclInventedTomorrow is not supported"), std::string::npos) << calls;
}

TEST(Preload, TheCallersOwnSearchPathCounts) {
  EXPECT_EQ(dlopen("libhidden_plugin.so", RTLD_NOW), nullptr) << "not on this program's path";
  void* user = library(SITE "/libplugin_user.so");
  EXPECT_NE(call<void*>(user, "open_plugin"), nullptr) << dlerror();
}

}  // namespace
