// dynamic-shape: the size of a result depends on values.
// Usual code: `h.index({mask})`, nonzero, unique, masked_select. The host must know how many there are before it can
// take memory for them: it waits for the count.
// Fix: keep the shape, and choose by torch::where.
// Near miss: `h.index_put_({mask}, 0)`: indexed by a mask too, but what is written is one number, and every shape is
// known. PyTorch makes it a masked_fill.
#include "scenarios/catalogue/scenarios.h"

namespace zerostall::scenarios::catalogue {

void dynamic_shape(Run& run) {
  Model model(run.device);

  each_step(run, [&](std::int64_t) {
    at::Tensor h = model.hidden(model.input);
    const at::Tensor mask = h.detach().select(1, 0) > 0;  // of rows
    switch (run.variant) {
      case Variant::cause: {
        const at::Tensor rows = mask.nonzero().squeeze(1);
        h = h.index_copy(0, rows, h.index_select(0, rows) * 2);
        break;
      }
      case Variant::fixed:
        h = at::where(mask.unsqueeze(1), h * 2, h);
        break;
      case Variant::near_miss:
        h = h.clone();
        h.index_put_({mask}, 0);
        break;
    }
    model.loss(h).backward();
    model.update();
  });
  run.weights = model.parameters;
}

}  // namespace zerostall::scenarios::catalogue
