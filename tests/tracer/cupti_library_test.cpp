// Which of several copies of libcupti is chosen: folders as wheels and toolkits make them, with small libraries that
// only know their version.
#include "profiler/tracer/cupti_library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace zerostall::tracer {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CuptiLibraryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/zerostall-cupti-XXXXXX";
    root = mkdtemp(pattern);
    site = root / "lib/python3.12/site-packages";
    for (const char* folder : {"torch/lib", "nvidia/cuda_runtime/lib"}) fs::create_directories(site / folder);
  }
  void TearDown() override { fs::remove_all(root); }

  // A file that looks like a library; enough where nothing is loaded.
  std::string file(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
    return path.string();
  }
  std::string library(const fs::path& path, const char* which) {
    fs::create_directories(path.parent_path());
    fs::copy_file(fs::path(FAKES) / which, path);
    return path.string();
  }
  std::vector<std::string> offered(const CuptiSurroundings& around) {
    std::vector<std::string> paths;
    for (const CuptiOffer& offer : cupti_offers(around)) paths.push_back(fs::path(offer.path).lexically_normal());
    return paths;
  }

  fs::path root, site;
};

TEST_F(CuptiLibraryTest, TheMajorIsThatOfTheRuntimeInUse) {
  CuptiSurroundings around;
  around.driver_major = 13;
  EXPECT_THAT(fitting_majors(around), ElementsAre(13, 12)) << "a driver runs programs of older versions too";
  around.driver_major = 12;
  EXPECT_THAT(fitting_majors(around), ElementsAre(12));
  around.driver_major = 0;
  EXPECT_THAT(fitting_majors(around), ElementsAre(13, 12));
  around.loaded = {"/x/libcudart.so.12"};
  around.driver_major = 13;
  EXPECT_THAT(fitting_majors(around), ElementsAre(12));
  around.loaded = {"/x/libcudart.so.11.0"};
  EXPECT_THAT(fitting_majors(around), IsEmpty());
}

TEST_F(CuptiLibraryTest, TheLoadedCopyComesFirstUnlessItIsOfAnotherVersion) {
  CuptiSurroundings around;
  const std::string wheel = file(site / "nvidia/cuda_cupti/lib/libcupti.so.12");
  around.loaded = {(site / "torch/lib/libtorch_cuda.so").string(), "/triton/libcupti.so.13", "/odd/libcupti.so.12",
                   (site / "nvidia/cuda_runtime/lib/libcudart.so.12").string()};
  EXPECT_THAT(offered(around), ElementsAre("/odd/libcupti.so.12", wheel));
  EXPECT_TRUE(cupti_offers(around)[0].loaded);
  EXPECT_FALSE(cupti_offers(around)[1].loaded);
}

TEST_F(CuptiLibraryTest, FindsTheCopyOfTheWheelsOfCuda12And13) {
  CuptiSurroundings around;
  const std::string of_12 = file(site / "nvidia/cuda_cupti/lib/libcupti.so.12");
  const std::string of_13 = file(site / "nvidia/cu13/lib/libcupti.so.13");
  around.loaded = {(site / "nvidia/cuda_runtime/lib/libcudart.so.12").string()};
  EXPECT_THAT(offered(around), ElementsAre(of_12));
  around.loaded = {(site / "nvidia/cu13/lib/libcudart.so.13").string()};
  EXPECT_THAT(offered(around), ElementsAre(of_13));
  around.loaded = {(site / "torch/lib/libtorch_cuda.so").string()};
  EXPECT_THAT(offered(around), ElementsAre(of_13, of_12)) << "torch alone does not tell its CUDA version";
}

TEST_F(CuptiLibraryTest, ThenTheSearchPathThenTheToolkitAndNeverAStub) {
  CuptiSurroundings around;
  around.loaded = {"/somewhere/libcudart.so.13"};
  file(root / "cuda/lib64/stubs/libcupti.so.13");
  const std::string toolkit = file(root / "cuda/extras/CUPTI/lib64/libcupti.so.13");
  const std::string searched = file(root / "mine/libcupti.so.13");
  around.search_path = (root / "cuda/lib64/stubs").string() + "::" + (root / "mine").string();
  around.toolkits = {(root / "cuda").string()};
  EXPECT_THAT(offered(around), ElementsAre(searched, toolkit));
  around.loaded.push_back((root / "cuda/lib64/stubs/libcupti.so.13").string());
  EXPECT_THAT(offered(around), ElementsAre(searched, toolkit)) << "not even a loaded one";
}

TEST_F(CuptiLibraryTest, FindsTheToolkitOfTheLoadedRuntime) {
  CuptiSurroundings around;
  const std::string copy = file(root / "cuda/extras/CUPTI/lib64/libcupti.so.13");
  around.loaded = {(root / "cuda/lib64/libcudart.so.13").string()};
  fs::create_directories(root / "cuda/lib64");
  EXPECT_THAT(offered(around), ElementsAre(copy));
  around.loaded = {(root / "cuda/targets/x86_64-linux/lib/libcudart.so.13").string()};
  fs::create_directories(root / "cuda/targets/x86_64-linux/lib");
  EXPECT_THAT(offered(around), ElementsAre(copy));
}

TEST_F(CuptiLibraryTest, OpensTheFirstCopyThatFitsAndSkipsVersionsItDoesNotKnow) {
  CuptiSurroundings around;
  around.loaded = {(root / "a/libcudart.so.12").string()};
  library(root / "a/libcupti.so.12", "libfake_cupti_99.so");
  const std::string good = library(root / "b/libcupti.so.12", "libfake_cupti_12.so");
  around.search_path = (root / "b").string();
  const CuptiLibrary opened = open_cupti(around);
  ASSERT_NE(opened.handle, nullptr) << opened.problem;
  EXPECT_EQ(opened.path, good);
  EXPECT_EQ(opened.version, 22u);
  EXPECT_EQ(opened.problem, "");
  EXPECT_EQ(opened.copies, 1);
  dlclose(opened.handle);
}

TEST_F(CuptiLibraryTest, SaysWhyNoCopyFits) {
  if (dlopen("libcupti.so.12", RTLD_LAZY)) GTEST_SKIP() << "this machine has a libcupti.so.12";
  CuptiSurroundings around;
  around.loaded = {(root / "a/libcudart.so.12").string()};
  EXPECT_EQ(open_cupti(around).problem,
            "libcupti.so.12 was not found: install it (pip install nvidia-cuda-cupti-cu12) or add its folder to "
            "LD_LIBRARY_PATH");
  library(root / "a/libcupti.so.12", "libfake_cupti_99.so");
  const CuptiLibrary opened = open_cupti(around);
  EXPECT_EQ(opened.handle, nullptr);
  EXPECT_THAT(opened.problem, HasSubstr("libcupti.so.12 is CUPTI version 990000, which this zerostall does not know"));
}

// As a program has it that preloads one copy and whose Triton opens another.
TEST_F(CuptiLibraryTest, CountsTheCopiesAndWarns) {
  CuptiSurroundings around;
  around.loaded = {(root / "a/libcudart.so.13").string()};
  library(root / "a/libcupti.so.13", "libfake_cupti_13.so");
  const std::string other = library(root / "triton/libcupti.so.12", "libfake_cupti_12.so");
  void* loaded = dlopen(other.c_str(), RTLD_NOW);
  ASSERT_NE(loaded, nullptr) << dlerror();
  const CuptiLibrary opened = open_cupti(around);
  ASSERT_NE(opened.handle, nullptr) << opened.problem;
  EXPECT_EQ(opened.version, 130001u);
  EXPECT_EQ(opened.copies, 2);
  EXPECT_THAT(copies_warning(opened.copies), HasSubstr("2 copies of libcupti are loaded"));
  EXPECT_EQ(copies_warning(1), "");
  dlclose(opened.handle);
  dlclose(loaded);
}

TEST(CuptiCopies, ThoseOfTheSimulatedGpuAreOne) {
  EXPECT_EQ(count_cupti_copies({"/s/libzerostall_simcore.so", "/s/libcupti.so.13", "/s/libcupti.so.12"}), 1);
  EXPECT_EQ(count_cupti_copies({"/s/libzerostall_simcore.so", "/s/libcupti.so.13", "/t/libcupti.so.13"}), 2);
  EXPECT_EQ(count_cupti_copies({"/t/libcupti_wrapper.so", "/t/libcuda.so.1"}), 0);
}

TEST(CuptiCopies, AProcessUsesCudaOnceADriverARuntimeOrLibcuptiIsLoaded) {
  EXPECT_FALSE(uses_cuda({"/usr/lib/libc.so.6", "/x/libcudnn.so.9", "/x/libcufft.so.12"}));
  for (const char* path : {"/x/libcuda.so.1", "/x/libcudart.so.13", "/x/libcupti.so.12"})
    EXPECT_TRUE(uses_cuda({path}));
}

TEST(CuptiVersion, TellsTheCudaVersionInBothSchemes) {
  EXPECT_EQ(cuda_major_of(19), 12);
  EXPECT_EQ(cuda_major_of(28), 12);
  EXPECT_EQ(cuda_major_of(130001), 13);
  EXPECT_EQ(cuda_major_of(130501), 13);
  EXPECT_EQ(cuda_major_of(17), 0) << "CUDA 11";
  EXPECT_EQ(cuda_major_of(140000), 0);
  EXPECT_EQ(cuda_major_of(0), 0);
}

}  // namespace
}  // namespace zerostall::tracer
