// Which fixes a run has on, now: `--sabotage FIX@STEP` clears one in mid-run, so parts look here each time they act.
// Held by the run at a fixed address. What each does: fixes/README.md.
#pragma once

namespace zerostall::train {

enum class LossReading {
  blocking,        // .item(): no fix
  async,           // fix async-loss
  async_upstream,  // its variant async-loss=upstream; like upstream it never reads the last loss
};

struct FixesOn {
  bool bn_pinning = false;
  bool pinned_batch = false;
  bool cached_guidance = false;
  bool host_lengths = false;
  bool resume_steps_on_cpu = false;
  bool async_ema = false;
  bool deferred_finite_check = false;
  bool fp8_scale_cached = false;
  LossReading loss_reading = LossReading::blocking;
};

}  // namespace zerostall::train
