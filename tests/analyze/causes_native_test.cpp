// Causes told by names of native frames: programs without Python.
#include <gtest/gtest.h>

#include "profiler/analyze/cause_evidence.h"
#include "profiler/analyze/causes.h"
#include "tests/trace/trace_builder.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;

constexpr std::uint64_t kFrame = 0x40;

// Five steps with a read of `bytes` in the middle, whose waits have a native stack with frames of these names,
// innermost first.
Cause cause_of(std::uint64_t bytes, const std::vector<std::string>& functions,
               const std::vector<PythonFrame>& python = {}) {
  TraceBuilder t;
  for (int n = 0; n < 5; ++n)
    t.step(n, [&] {
      for (int i = 0; i < 10; ++i) t.launch();
      t.item(bytes);
      for (int i = 0; i < 10; ++i) t.launch();
    });
  Trace trace = t.trace();
  constexpr std::uint32_t kModule = 7, kStack = 9;
  trace.stacks.modules[kModule] = {"site-packages/torch/lib/libtorch_cpu.so", "1234"};
  Stack& stack = trace.stacks.stacks[kStack];
  stack.python = python;
  FrameNames names;
  for (std::uint64_t i = 0; i < functions.size(); ++i) {
    stack.native.push_back({kModule, kFrame + i});
    names[{kModule, kFrame + i}] = {functions[i]};
  }
  for (Call& call : trace.calls) call.stack = kStack;
  const auto waits = find_waits(trace);
  return find_causes(trace, split_steps(trace), waits, {}, names).back();
}

const std::string kItem = "at::_ops::item::call(at::Tensor const&)";

TEST(NativeCauses, AreTakenFromTheOperatorsOfLibTorch) {
  EXPECT_EQ(cause_of(8, {kItem}).kind, CauseKind::branch_on_device);  // reading a number tells nothing: the place does
  const Cause nonzero =
      cause_of(8, {"at::native::nonzero_cuda(at::Tensor const&)", "at::_ops::nonzero::call(at::Tensor const&)"});
  EXPECT_EQ(nonzero.kind, CauseKind::dynamic_shape);
  EXPECT_EQ(nonzero.confidence, Confidence::high);
  EXPECT_EQ(nonzero.evidence, "operator aten::nonzero");
  EXPECT_EQ(cause_of(1, {kItem, "at::_ops::is_nonzero::call(at::Tensor const&)"}).confidence, Confidence::medium);
  EXPECT_EQ(cause_of(1, {kItem,
                         "at::_ops::_linalg_check_errors::call(at::Tensor const&, std::basic_string_view<char>, bool)"})
                .kind,
            CauseKind::library_internal);
  EXPECT_EQ(
      cause_of(8, {kItem, "at::_ops::repeat_interleave_Tensor::redispatch(c10::DispatchKeySet, at::Tensor const&)"})
          .kind,
      CauseKind::size_from_device);
}

TEST(NativeCauses, AreTakenFromItsFunctions) {
  const std::string index = "at::Tensor::index(c10::ArrayRef<at::indexing::TensorIndex>) const";
  EXPECT_EQ(cause_of(8, {kItem, index}).kind, CauseKind::host_table_by_device_index);
  // By a mask: it counts what the mask selects.
  EXPECT_EQ(cause_of(8, {"at::_ops::nonzero::call(at::Tensor const&)",
                         "at::_ops::index_Tensor::call(at::Tensor const&)", index})
                .kind,
            CauseKind::dynamic_shape);
  EXPECT_EQ(
      cause_of(4, {kItem, "torch::nn::utils::clip_grad_norm_(std::vector<at::Tensor> const&, double, double, bool)"})
          .kind,
      CauseKind::finite_check);
}

TEST(NativeCauses, AreNotTakenFromNamesThatOnlyLookAlike) {
  EXPECT_EQ(cause_of(8, {kItem, "mine::nonzero(int)", "mine::at::Tensor::index(int)"}).kind,
            CauseKind::branch_on_device);
}

// Lines of Python say more than what runs Python.
TEST(NativeCauses, AreOfProgramsWithoutPython) {
  EXPECT_EQ(cause_of(8, {"at::_ops::nonzero::call(at::Tensor const&)"}, {PythonFrame{0, 0, 3}}).kind,
            CauseKind::branch_on_device);
}

TEST(NativeCauses, NamesLoseTheirArguments) {
  EXPECT_EQ(native_function("at::_ops::index_Tensor::call(at::Tensor const&)"), "aten::index_Tensor");
  EXPECT_EQ(native_function("at::native::(anonymous namespace)::copy(int)"), "at::native::(anonymous namespace)::copy");
  EXPECT_EQ(native_function("c10::wrap<at::Tensor (int), 3>::call(int)::{lambda()#1}"),
            "c10::wrap<at::Tensor (int), 3>::call");
  EXPECT_EQ(native_function("main"), "main");
  EXPECT_EQ(native_function(""), "");
}

TEST(NativeCauses, FinitenessIsAskedByComparingAbsoluteValues) {
  const auto read_after = [](const char* last, const char* before) {
    TraceBuilder t;
    for (int n = 0; n < 5; ++n)
      t.step(n, [&] {
        for (const char* kernel : {"gemm", "gemm", before, last}) t.launch(7, kernel);
        t.item(1);
        for (int i = 0; i < 10; ++i) t.launch();
      });
    const Trace trace = t.trace();
    return find_causes(trace, split_steps(trace), find_waits(trace)).back().kind;
  };
  EXPECT_EQ(read_after("elementwise<BUnaryFunctor<float, float, bool, CompareEqFunctor<float>>>",
                       "elementwise<AbsFunctor<float>>"),
            CauseKind::finite_check);
  EXPECT_EQ(read_after("compare_scalar_kernel<float>", "elementwise<AbsFunctor<float>>"), CauseKind::branch_on_device);
  EXPECT_EQ(read_after("elementwise<AbsFunctor<float>>", "elementwise<CompareEqFunctor<float>>"),
            CauseKind::branch_on_device);
}

}  // namespace
}  // namespace zerostall
