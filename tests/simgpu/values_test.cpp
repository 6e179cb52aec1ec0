// What a read-back returns: the rule of core/contents.h, and values supplied by a file.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "profiler/base/sim_values.h"
#include "profiler/simgpu/core/ranges.h"
#include "profiler/simgpu/core/readback.h"
#include "tests/faults/fault_count.h"
#include "tests/simgpu/device.h"

namespace zerostall::testing {
namespace {

struct SimValues : ::testing::Test {
  void SetUp() override { ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), kBytes), cudaSuccess); }
  void TearDown() override { cudaFree(device); }
  void upload(std::size_t at, const std::vector<int>& v) {
    ASSERT_EQ(cudaMemcpy(device + at, v.data(), v.size() * 4, cudaMemcpyHostToDevice), cudaSuccess);
  }
  std::vector<int> read(std::size_t at, std::size_t n) {
    std::vector<int> out(n, -1);
    EXPECT_EQ(cudaMemcpy(out.data(), device + at, n * 4, cudaMemcpyDeviceToHost), cudaSuccess);
    return out;
  }
  static std::vector<int> numbers(std::size_t n, int first = 1) {
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), first);
    return v;
  }
  static constexpr std::size_t kBytes = std::size_t{2} << 30;
  char* device = nullptr;
};

TEST_F(SimValues, WithoutALaunchAnyPartOfWhatWasWrittenIsRead) {
  upload(0, numbers(100));
  upload(400, numbers(100, 101));
  EXPECT_EQ(read(0, 200), numbers(200)) << "two copies side by side";
  EXPECT_EQ(read(40, 1), numbers(1, 11));
  EXPECT_EQ(read(0, 201), std::vector<int>(201, 0)) << "one element that nobody wrote: the read is not real";
}

TEST_F(SimValues, AfterALaunchWhatExactlyOneTensorsUploadPutThereIsStillRead) {
  upload(0, numbers(100));
  upload(512, numbers(4));
  for (int i = 0; i < 1000; ++i) launch_for(1000);
  EXPECT_EQ(read(0, 100), numbers(100));
  EXPECT_EQ(read(512, 4), numbers(4));
}

TEST_F(SimValues, AfterALaunchNothingElseIsRead) {
  upload(0, numbers(100));
  upload(512, {7});
  launch_for(1000);
  EXPECT_EQ(read(0, 99), std::vector<int>(99, 0)) << "perhaps a new owner's block, where the old one's bytes still lie";
  EXPECT_EQ(read(4, 99), std::vector<int>(99, 0));
  EXPECT_EQ(read(0, 1), std::vector<int>{0});
  EXPECT_EQ(read(512, 1), std::vector<int>{0}) << "a scalar is what kernels compute";
}

TEST_F(SimValues, APartOverwrittenIsReadAsLastWritten) {
  upload(0, numbers(100));
  upload(200, numbers(10, 1000));
  ASSERT_EQ(cudaMemset(device + 240, 0xff, 8), cudaSuccess);
  auto expected = numbers(100);
  for (int i = 0; i < 10; ++i) expected[static_cast<std::size_t>(50 + i)] = 1000 + i;
  expected[60] = expected[61] = -1;
  EXPECT_EQ(read(0, 100), expected);
}

TEST_F(SimValues, ADeviceCopyCarriesBytesAndTheirCertainty) {
  upload(0, numbers(100));
  ASSERT_EQ(cudaMemcpy(device + 4096, device, 400, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(read(4096, 1), numbers(1)) << "real: no launch since";
  launch_for(1000);
  ASSERT_EQ(cudaMemcpy(device + 8192, device, 400, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(read(8192, 1), std::vector<int>{0}) << "a kernel may have written the source";
  EXPECT_EQ(read(8192, 100), numbers(100));
  ASSERT_EQ(cudaMemcpy(device, device + (1 << 20), 400, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(read(0, 100), std::vector<int>(100, 0)) << "the source was never written";
}

// Launches a kernel of that name (mangled) with these arguments.
void launch_named(const char* name, void** arguments) {
  static std::map<std::string, std::unique_ptr<char>> stubs;  // by name; the addresses stand for kernels
  auto& stub = stubs[name];
  if (!stub) {
    stub = std::make_unique<char>();
    const std::string& kept = stubs.find(name)->first;
    __cudaRegisterFunction(nullptr, stub.get(), nullptr, kept.c_str(), -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  ASSERT_EQ(cudaLaunchKernel(stub.get(), 1, 32, arguments, 0, nullptr), cudaSuccess);
}

TEST_F(SimValues, ASmallTensorThatAKernelHasWrittenSinceIsNotTheEarlierOwners) {
  char *output = device, *input = device + 512, *other = device + 1024;
  int n = 1;
  struct Pair {
    char *first, *second;
  } pair{output, input};
  struct Captured {
    std::int64_t sizes[8];
    char *first, *second;
  } captured{{}, output, input};
  struct Reduction {
    const char* never_set[4];  // what stood there before, looking like a source, a target and no more
    const char* source;
    char *target, *second_target, *buffers[3];
    std::int64_t base;
    bool accumulates, is_final;
    int outputs;
  } reduction{{other, other, input, nullptr}, input, output, other, {}, 0, false, true, 1};
  struct Scatter {
    std::int64_t sizes[8];
    const char* index;
    std::int64_t index_size, index_stride;
    char* output;
  } scatter{{}, input, 0, 0, output};
  struct Case {
    const char *name, *why;
    std::vector<void*> arguments;
  } cases[] = {{"_Z1aIiEviSt5arrayIPcLm2EE", "a<int>(int, std::array<char*, 2>): the first", {&n, &pair}},
               {"_Z1bPKcPcS1_", "b(char const*, char*, char*): the first that is not const", {&input, &output, &other}},
               {"_Z1dIZ4hostvEUliE_EviT_", "d(int, lambda): the first pointer it holds", {&n, &captured}},
               {"_Z1dIZ4hostvEUliE_EviT_", "known to hold it at the same place", {&n, &captured}},
               {"_Z1iIZ4hostvEUliE_EviT_", "i(int, lambda): one that begins with it", {&n, &output}},
               {"_Z34_scatter_gather_elementwise_kernelIZ4hostvEUliE_EviT_",
                "scatter(int, lambda): behind the index",
                {&n, &scatter}},
               {"_Z1eIN2at8ReduceOpIfEEEvT_",
                "e(at::ReduceOp<float>): what stands before its buffers, flags and number of outputs",
                {&reduction}},
               {"_Z1gN2at10TensorInfoIKfjEENS0_IfjEE",
                "g(at::TensorInfo<float const>, at::TensorInfo<float>)",
                {&input, &output}}};
  for (Case& c : cases) {
    upload(0, numbers(4));
    upload(512, numbers(4));
    upload(1024, numbers(4));
    launch_named(c.name, c.arguments.empty() ? nullptr : c.arguments.data());
    EXPECT_EQ(read(0, 4), c.arguments.empty() ? numbers(4) : std::vector<int>(4, 0)) << c.name << ": " << c.why;
    EXPECT_EQ(read(512, 4), numbers(4)) << c.name;
    EXPECT_EQ(read(1024, 4), numbers(4)) << c.name;
    upload(0, numbers(4));
    launch_for(1000);
    EXPECT_EQ(read(0, 4), numbers(4)) << "a new copy counts again";
  }
}

TEST_F(SimValues, ALaunchedGraphWritesToo) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  char* output = device;
  void* arguments[] = {&output};
  static char stub, name[] = "_Z1hPc";
  __cudaRegisterFunction(nullptr, &stub, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaLaunchKernel(&stub, 1, 32, arguments, 0, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  upload(0, numbers(4));
  launch_for(1000);
  EXPECT_EQ(read(0, 4), numbers(4)) << "captured is not launched";
  ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  EXPECT_EQ(read(0, 4), std::vector<int>(4, 0));
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST_F(SimValues, AMemsetOfAnySizeIsReal) {
  const std::size_t kept = simgpu::simulator().memory.contents().kept_bytes();
  ASSERT_EQ(cudaMemset(device, 1, kBytes), cudaSuccess);
  EXPECT_EQ(read(kBytes - 400, 100), std::vector<int>(100, 0x01010101));
  EXPECT_EQ(simgpu::simulator().memory.contents().kept_bytes(), kept) << "no bytes are stored";
}

TEST_F(SimValues, WhatIsNotKeptReadsAsZerosNotAsWhatLayThereBefore) {
  upload(0, numbers(100));
  std::vector<char> large(std::size_t{300} << 20, 'w');
  ASSERT_EQ(cudaMemcpy(device, large.data(), large.size(), cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(read(0, 100), std::vector<int>(100, 0));
}

TEST_F(SimValues, ManagedMemoryIsReal) {
  int* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&managed), 4096, cudaMemAttachGlobal), cudaSuccess);
  managed[3] = 5;
  launch_for(1000);
  int back = 0;
  ASSERT_EQ(cudaMemcpy(&back, managed + 3, 4, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(back, 5);
  cudaFree(managed);
}

struct SimSupplied : SimValues {
  void use(const std::string& text) {
    const std::string path = ::testing::TempDir() + "zerostall_values.json";
    FILE* out = std::fopen(path.c_str(), "w");
    ASSERT_NE(out, nullptr);
    std::fputs(text.c_str(), out);
    std::fclose(out);
    setenv("ZEROSTALL_SIM_VALUES", path.c_str(), 1);
    simgpu::load_supplied_values();
    std::remove(path.c_str());
  }
  void TearDown() override {
    use(R"({"reads": []})");
    unsetenv("ZEROSTALL_SIM_VALUES");
    SimValues::TearDown();
  }
  float scalar() {
    float value = -1;
    EXPECT_EQ(cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
  }
};

TEST_F(SimSupplied, ByRangeSizeAndOrder) {
  use(R"({"reads": [{"bytes": 4, "range": "loss*", "nth": 2, "value": 0.5, "type": "float32"},
                    {"bytes": 4, "range": "loss*", "value": 0.7, "type": "float32"},
                    {"bytes": 8, "values": [17, [1, 2]], "type": "int32"}]})");
  EXPECT_EQ(scalar(), 0.0f) << "outside the range";
  simgpu::push_range("loss of step 1");
  EXPECT_EQ(scalar(), 0.7f);
  EXPECT_EQ(scalar(), 0.5f);
  EXPECT_EQ(scalar(), 0.7f);
  simgpu::pop_range();
  EXPECT_EQ(scalar(), 0.0f);
  EXPECT_EQ(read(0, 2), (std::vector<int>{17, 17}));
  EXPECT_EQ(read(0, 2), (std::vector<int>{1, 2}));
  EXPECT_EQ(read(0, 2), (std::vector<int>{1, 2})) << "the last one repeats";
}

TEST_F(SimSupplied, OnlyWhereTheValueIsNotRealUnlessAlways) {
  use(R"({"reads": [{"value": 9, "type": "int32"}]})");
  upload(0, {1});
  EXPECT_EQ(read(0, 1), std::vector<int>{1});
  launch_for(1000);
  EXPECT_EQ(read(0, 1), std::vector<int>{9});
  use(R"({"reads": [{"value": 9, "type": "int32", "always": true}]})");
  upload(0, {1});
  EXPECT_EQ(read(0, 1), std::vector<int>{9});
}

TEST_F(SimSupplied, ByPlaceForNativeCallersToo) {
  use(R"({"reads": [{"at": "thread test_simgpu*", "value": 3, "type": "int32"}]})");
  EXPECT_EQ(read(0, 1), std::vector<int>{3});
}

TEST(SimValuesFile, BadFilesAreRefusedWithOneLineThatNamesTheEntry) {
  const std::pair<const char*, const char*> cases[] = {
      {"{", "f: not JSON (at byte 2)"},
      {R"([1])", "f: needs {\"reads\": [...]}"},
      {R"({"reads": [{"value": 1, "type": "int32"}, {"valu": 1}]})", "f: entry 2: unknown key 'valu'"},
      {R"({"reads": [{"value": 1}]})", "f: entry 1: needs a 'type', such as \"float32\""},
      {R"({"reads": [{"value": 1, "type": "int"}]})",
       "f: entry 1: unknown type 'int' (float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool)"},
      {R"({"reads": [{"value": 0.5, "type": "int32"}]})", "f: entry 1: int32 needs a whole number, not 0.5"},
      {R"({"reads": [{"value": 300, "type": "int8"}]})", "f: entry 1: 300 does not fit int8"},
      {R"({"reads": [{"hex": "00f"}]})", "f: entry 1: 'hex' needs pairs of hexadecimal digits"},
      {R"({"reads": [{"bytes": 4, "value": 1, "type": "int64"}]})",
       "f: entry 1: a value of 8 bytes does not fill a read of 4"},
      {R"({"reads": [{"type": "int64"}]})", "f: entry 1: needs exactly one of 'value', 'values', 'hex'"},
      {R"({"reads": [{"nth": 0, "hex": "00"}]})", "f: entry 1: 'nth' needs a whole number above 0"}};
  for (const auto& [text, expected] : cases) {
    std::string error;
    EXPECT_FALSE(parse_sim_values(text, "f", &error)) << text;
    EXPECT_EQ(error, expected);
  }
}

TEST(SimValuesFile, HostileFilesAreRefusedInOneShortLine) {
  const std::string deep(300'000, '['), back(300'000, ']'), long_text(100'000, 'x');
  const std::string texts[] = {R"({"reads": [{"a\n\u001b[31m": 1}]})",
                               R"({"reads": [], "a\nb": 1})",
                               R"({"reads": [{"value": 1, "type": "a\nb"}]})",
                               R"({"reads": [{"hex": "\n\n"}]})",
                               R"({"reads": [{"hex": "00", "after": "a\tb"}]})",
                               R"({"reads": [{"value": "a\nb", "type": "int32"}]})",
                               R"({"reads": [{"value": [)" + deep + back + R"(], "type": "int32"}]})",
                               R"({"reads": )" + deep + back + "}",
                               R"({"reads": [{")" + long_text + R"(": 1}]})",
                               R"({"reads": [{"value": ")" + long_text + R"(", "type": "float32"}]})",
                               "\xff\xfe",
                               ""};
  FaultCount faults("text_hostile");
  for (const std::string& text : texts) {
    faults.next();
    std::string error;
    EXPECT_FALSE(parse_sim_values(text, "f", &error)) << text.substr(0, 60);
    EXPECT_EQ(error.substr(0, 3), "f: ");
    EXPECT_LT(error.size(), 250u);
    for (const char c : error) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << error;
  }
}

TEST(SimValuesFile, NumbersBecomeTheBytesOfTheirType) {
  const std::pair<const char*, std::string> cases[] = {
      {R"("value": 1, "type": "float16")", {0x00, 0x3c}},
      {R"("value": -0.1, "type": "float16")", {0x66, '\xae'}},
      {R"("value": 65519, "type": "float16")", {'\xff', 0x7b}},
      {R"("value": 65520, "type": "float16")", {0x00, 0x7c}},
      {R"("value": 0, "type": "float16")", {0x00, 0x00}},
      {R"("value": 5.960464477539063e-08, "type": "float16")", {0x01, 0x00}},
      {R"("value": 1, "type": "bfloat16")", {'\x80', 0x3f}},
      {R"("value": "nan", "type": "float32")", {0x00, 0x00, '\xc0', 0x7f}},
      {R"("value": [true, false], "type": "bool")", {1, 0}},
      {R"("hex": "0aFF")", {0x0a, '\xff'}}};
  for (const auto& [text, bytes] : cases) {
    std::string error;
    const auto values = parse_sim_values("{\"reads\": [{" + std::string(text) + "}]}", "f", &error);
    ASSERT_TRUE(values) << error;
    EXPECT_EQ(values->reads[0].values, std::vector<std::string>{bytes}) << text;
  }
}

}  // namespace
}  // namespace zerostall::testing
