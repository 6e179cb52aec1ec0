#include "profiler/analyze/optimizers.h"

#include <algorithm>
#include <array>

namespace zerostall {
namespace {

// Parts of kernel names, in lower case. Each belongs to updates only: "sgd" alone would be found in too many.
constexpr auto kParts = std::to_array<std::string_view>({
    "multi_tensor_apply",      // torch foreach and fused, Apex
    "multitensorapply",        // older Apex
    "multi_tensor_",           // DeepSpeed's and Transformer Engine's own
    "fusedadam",               //
    "fused_adam",              //
    "fusedsgd",                //
    "fused_sgd",               //
    "fusedlamb",               //
    "fused_lamb",              //
    "fusedadagrad",            //
    "adamw",                   //
    "adam_kernel",             // Triton and hand-written
    "adamkernel",              //
    "adam_cuda",               // Apex, Fairseq
    "adam_update",             //
    "sgd_kernel",              //
    "sgd_update",              //
    "sgdmomentum",             //
    "adagrad_update",          //
    "lamb_update",             //
    "lion_update",             //
    "adafactor",               //
    "koptimizerstatic8bit",    // bitsandbytes
    "koptimizer32bit",         //
    "kpreconditionoptimizer",  //
});

// Of kernels that go over all gradients, too.
constexpr auto kOtherParts = std::to_array<std::string_view>({"norm", "nscale", "finite", "copy", "zero_"});

bool has(std::string_view name, std::string_view part) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::search(name.begin(), name.end(), part.begin(), part.end(),
                     [&](char a, char b) { return lower(a) == b; }) != name.end();
}

}  // namespace

bool is_optimizer_kernel(std::string_view name) {
  const auto holds = [&](std::string_view part) { return has(name, part); };
  return std::any_of(kParts.begin(), kParts.end(), holds) &&
         std::none_of(kOtherParts.begin(), kOtherParts.end(), holds);
}

bool is_optimizer_range(std::string_view text) { return text.starts_with("Optimizer.step#"); }

}  // namespace zerostall
