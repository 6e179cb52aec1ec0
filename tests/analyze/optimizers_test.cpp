#include "profiler/analyze/optimizers.h"

#include <gtest/gtest.h>

namespace zerostall {
namespace {

TEST(Optimizers, KnowsTheirKernels) {
  for (const char* name :
       {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::"
        "TensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4>>",
        "void multi_tensor_apply_kernel<TensorListMetadata<3>, SGDFunctor<2, float, float>, bool, float>",
        "void kOptimizerStatic8bit2StateBlockwise<float, 0, 256, 1>(float*)", "_lion_update_kernel", "fused_adamw_cuda",
        "triton_adam_kernel"})
    EXPECT_TRUE(is_optimizer_kernel(name)) << name;
}

TEST(Optimizers, KnowsWhatIsNone) {
  for (const char* name :
       {"", "ampere_sgemm_128x64_tn", "void at::native::vectorized_elementwise_kernel<4, AddFunctor>",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "flash_fwd_kernel", "MadamButterfly", "multi_head_attention",
        "index_select_kernel",
        "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl::{lambda(int)#1}>",
        "void multi_tensor_apply_kernel<TensorListMetadata<1>, LpNormFunctor<float>>",
        "void multi_tensor_apply_kernel<TensorListMetadata<1>, BinaryOpScalarFunctor, "
        "_amp_non_finite_check_and_unscale>"})
    EXPECT_FALSE(is_optimizer_kernel(name)) << name;
}

TEST(Optimizers, KnowsTheRangesOfPyTorch) {
  EXPECT_TRUE(is_optimizer_range("Optimizer.step#AdamW.step"));
  for (const char* text : {"Optimizer.zero_grad#AdamW.zero_grad", "optimizer", "## optimizer ##", ""})
    EXPECT_FALSE(is_optimizer_range(text)) << text;
}

}  // namespace
}  // namespace zerostall
