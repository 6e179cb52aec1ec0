// Runs of a make-believe training step with two fixes, as `verify` would record them.
#pragma once
#include <functional>
#include <span>

#include "profiler/gate/verify.h"
#include "profiler/trace/read_native.h"
#include "tests/trace/trace_builder.h"

namespace zerostall::testing {

struct StepShape {
  int bn = 2;       // uploads of 512 B in `train`
  int loss = 1;     // reads of 4 B in `train`
  int load = 10;    // uploads of 4096 B in `load`
  int outside = 0;  // reads of 8 B in no region
};

// `shape` gives each step's contents; `change` may damage the trace before it is read.
inline VerifyRun make_run(std::vector<std::string> fixes, const std::function<StepShape(int)>& shape, int steps = 6,
                          const std::function<void(TraceBuilder&)>& change = {}) {
  TraceBuilder t;
  for (int n = 0; n < steps; ++n)
    t.step(n, [&] {
      const StepShape s = shape(n);
      t.range("load", [&] {
        for (int i = 0; i < s.load; ++i) t.upload(4096);
      });
      t.range("train", [&] {
        for (int i = 0; i < s.bn; ++i) t.upload(512);
        t.launch();
        for (int i = 0; i < s.loss; ++i) t.item();
      });
      for (int i = 0; i < s.outside; ++i) t.item(8);
    });
  if (change) change(t);
  const std::string file = t.bytes();
  return {std::move(fixes), analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 2})};
}

inline VerifyRun make_run(std::vector<std::string> fixes, StepShape shape) {
  return make_run(std::move(fixes), [=](int) { return shape; });
}

inline VerifyPlan make_plan() {
  VerifyPlan plan;
  plan.scenario = "flux2";
  plan.size = "klein-9b";
  plan.device = "sim:h200";
  plan.title = "FLUX.2 klein-9B, W8A8 LoRA r16, batch 2, 512 px";
  plan.device_title = "simulated H200";
  plan.batch = 2;
  plan.steps = 6;
  plan.warmup = 2;
  plan.claims = {{"bn-pinning", {2, 2, 0, 2}, true}, {"async-loss", {1, 1, 0, 0}, true}};
  plan.rest = {{"load", {10, 10, 0, 10}, "the loader uploads"}};
  return plan;
}

inline std::vector<VerifyRun> good_runs() {
  return {make_run({}, StepShape{}), make_run({"bn-pinning"}, StepShape{.bn = 0}),
          make_run({"async-loss"}, StepShape{.loss = 0}),
          make_run({"bn-pinning", "async-loss"}, StepShape{.bn = 0, .loss = 0})};
}

}  // namespace zerostall::testing
