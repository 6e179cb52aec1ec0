// From source text to a launched kernel; names, sizes and errors as documented.
#include <cuda.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
int nvrtcVersion(int*, int*);
int nvrtcCreateProgram(void**, const char*, const char*, int, const char* const*, const char* const*);
int nvrtcDestroyProgram(void**);
int nvrtcCompileProgram(void*, int, const char* const*);
int nvrtcAddNameExpression(void*, const char*);
int nvrtcGetLoweredName(void*, const char*, const char**);
int nvrtcGetPTXSize(void*, std::size_t*);
int nvrtcGetPTX(void*, char*);
int nvrtcGetCUBINSize(void*, std::size_t*);
int nvrtcGetCUBIN(void*, char*);
int nvrtcGetProgramLogSize(void*, std::size_t*);
int nvrtcGetProgramLog(void*, char*);
}

namespace zerostall::testing {
namespace {

constexpr const char* kSource = R"cuda(
// __global__ void commented_out(int);
template <class T> struct Pair { T a, b; };
extern "C" __launch_bounds__(512, 4)
__global__ void plain_kernel(float* out) { const char* s = "__global__ void in_a_string()";
}
template <typename T>
__global__ void scale(T* data, T by) {}
__global__ __launch_bounds__(128) void mangled_one(int n) {}
)cuda";

struct SimNvrtc : ::testing::Test {
  void SetUp() override { ASSERT_EQ(nvrtcCreateProgram(&program, kSource, "p.cu", 0, nullptr, nullptr), 0); }
  void TearDown() override { nvrtcDestroyProgram(&program); }
  int compile(const char* arch) {
    const char* options[] = {arch};
    return nvrtcCompileProgram(program, 1, options);
  }
  std::string lowered(const char* expression) {
    const char* name = nullptr;
    return nvrtcGetLoweredName(program, expression, &name) == 0 ? name : "";
  }
  std::string ptx() {
    std::size_t size = 0;
    EXPECT_EQ(nvrtcGetPTXSize(program, &size), 0);
    std::string text(size, '?');
    EXPECT_EQ(nvrtcGetPTX(program, text.data()), 0);
    EXPECT_EQ(text.back(), '\0') << "the size counts the end";
    return text.substr(0, size - 1);
  }
  void* program = nullptr;
};

TEST_F(SimNvrtc, NamesOfKernels) {
  ASSERT_EQ(nvrtcAddNameExpression(program, "plain_kernel"), 0);
  ASSERT_EQ(nvrtcAddNameExpression(program, "scale<float>"), 0);
  ASSERT_EQ(nvrtcAddNameExpression(program, "scale<double>"), 0);
  const char* name = nullptr;
  EXPECT_EQ(nvrtcGetLoweredName(program, "plain_kernel", &name), 9) << "not before compilation";
  ASSERT_EQ(compile("--gpu-architecture=compute_90"), 0);
  EXPECT_EQ(nvrtcAddNameExpression(program, "mangled_one"), 8) << "not after compilation";
  EXPECT_EQ(lowered("plain_kernel"), "plain_kernel");
  EXPECT_NE(lowered("scale<float>"), "");
  EXPECT_NE(lowered("scale<float>"), lowered("scale<double>"));
  EXPECT_EQ(lowered("never_added"), "");
  const std::string text = ptx();
  for (const std::string& symbol : {lowered("plain_kernel"), lowered("scale<float>"), std::string("mangled_one")})
    EXPECT_NE(text.find(symbol), std::string::npos) << symbol;
  EXPECT_EQ(text.find("commented_out"), std::string::npos);
  EXPECT_EQ(text.find("in_a_string"), std::string::npos);
  EXPECT_NE(text.find(".target sm_90"), std::string::npos);
}
TEST_F(SimNvrtc, CubinsAreForRealArchitecturesOnly) {
  std::size_t size = 1;
  ASSERT_EQ(compile("-arch=compute_80"), 0);
  EXPECT_EQ(nvrtcGetCUBINSize(program, &size), 0);
  EXPECT_EQ(size, 0u);
  ASSERT_EQ(compile("-arch=sm_80"), 0);
  EXPECT_EQ(nvrtcGetCUBINSize(program, &size), 0);
  ASSERT_GT(size, 64u);
  std::string cubin(size, '?');
  EXPECT_EQ(nvrtcGetCUBIN(program, cubin.data()), 0);
  EXPECT_EQ(cubin.substr(0, 4), "\177ELF");
}
TEST_F(SimNvrtc, AnUnknownNameExpressionFailsWithALog) {
  ASSERT_EQ(nvrtcAddNameExpression(program, "no_such_kernel<int>"), 0);
  EXPECT_EQ(compile("-arch=sm_80"), 10);
  std::size_t size = 0;
  ASSERT_EQ(nvrtcGetProgramLogSize(program, &size), 0);
  std::string log(size, '?');
  ASSERT_EQ(nvrtcGetProgramLog(program, log.data()), 0);
  EXPECT_NE(log.find("no_such_kernel"), std::string::npos);
}
TEST_F(SimNvrtc, TheResultLoadsAndLaunches) {
  ASSERT_EQ(compile("-arch=sm_90"), 0);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleLoadData(&module, ptx().c_str()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "plain_kernel"), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 4, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
}
TEST(SimNvrtcHandles, UnknownProgramsAreRefused) {
  void* nothing = nullptr;
  EXPECT_EQ(nvrtcCompileProgram(nullptr, 0, nullptr), 4);
  EXPECT_EQ(nvrtcDestroyProgram(&nothing), 4);
  int major = 0, minor = 0;
  EXPECT_EQ(nvrtcVersion(&major, &minor), 0);
  EXPECT_GE(major, 12);
}

}  // namespace
}  // namespace zerostall::testing
