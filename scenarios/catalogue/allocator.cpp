// allocator: device memory is allocated or freed in the step.
// Usual code: `c10::cuda::CUDACachingAllocator::emptyCache()` (torch.cuda.empty_cache) in the loop, against running out
// of memory. Each segment that is free (two here) goes back by cudaFree, and the next step takes them again by
// cudaMalloc; both may wait for the device. They are counted apart, in no total of waits: from outside nobody can tell
// whether one did.
//
// Fix: leave it out. What was freed is used again anyway.
//
// Near miss: each step takes and frees another amount of memory. What the first steps left in the cache fits: the
// driver is not asked.
#include <c10/core/CachingDeviceAllocator.h>

#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void allocator(Run& run) {
  Model model(run.device);

  each_step(run, [&](std::int64_t n) {
    at::Tensor h = model.hidden(model.input);
    const std::int64_t rows = run.is(Variant::near_miss) ? 65536 - 1024 * (n % 8) : 65536;
    h = h + at::ones({rows, kWidth}, h.options()).mean(0);  // 16 MiB for a moment
    model.loss(h).backward();
    model.update();
    if (run.is(Variant::cause) && run.device.is_cuda()) c10::getDeviceAllocator(run.device.type())->emptyCache();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
