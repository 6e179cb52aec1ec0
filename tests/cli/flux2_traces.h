// Traces as the flux2 step would leave them, to be handed out in place of running it.
#pragma once
#include <map>
#include <string>

#include "tests/trace/trace_builder.h"

namespace zerostall::testing {

// A trace of the flux2 step at batch 2: `bn` uploads and `loss` reads in `train`; step `odd_step` has `odd_bn` uploads.
inline std::string trace_with(int bn, int loss, int odd_step = -1, int odd_bn = 0, int steps = 12) {
  TraceBuilder t;
  for (int n = 0; n < steps; ++n)
    t.step(n, [&] {
      t.range("load", [&] {
        for (int i = 0; i < 10; ++i) t.upload(4096);
      });
      t.range("train", [&] {
        for (int i = 0; i < (n == odd_step ? odd_bn : bn); ++i) t.upload(512);
        t.launch();
        for (int i = 0; i < loss; ++i) t.item();
      });
    });
  return t.bytes();
}

inline std::map<std::string, std::string> good_traces() {
  return {{"none", trace_with(2, 1)},
          {"bn-pinning", trace_with(0, 1)},
          {"async-loss", trace_with(2, 0)},
          {"bn-pinning+async-loss", trace_with(0, 0)}};
}

}  // namespace zerostall::testing
