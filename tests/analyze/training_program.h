// Programs that train without saying where their steps are.
#pragma once
#include <string>

#include "tests/trace/trace_builder.h"

namespace zerostall::testing {

struct TrainingProgram {
  TraceBuilder t;
  int layers = 4;
  std::string tile = "128x64";

  void batch() { t.upload(4096); }
  void forward() {
    t.launch(7, "embedding");
    for (int i = 0; i < layers; ++i) {
      t.launch(7, "gemm_" + tile);
      t.launch(7, "gelu");
    }
    t.launch(7, "cross_entropy");
  }
  void backward() {
    t.launch(7, "cross_entropy_backward");
    for (int i = 0; i < layers; ++i) {
      t.launch(7, "gelu_backward");
      t.launch(7, "gemm_backward_" + tile);
    }
    t.launch(7, "embedding_backward");
  }
  void micro_step() {
    batch();
    forward();
    backward();
  }
  void update() {
    for (int i = 0; i < 2; ++i) t.launch(7, "void at::native::multi_tensor_apply_kernel<AdamFunctor<4>>(float*)");
  }
  // An optimizer whose kernels have names that nobody knows.
  void unknown_update() {
    for (int i = 0; i < 2; ++i) t.launch(7, "my_update");
  }
  void step() {
    micro_step();
    update();
  }
  void evaluate() {
    for (int i = 0; i < 3; ++i) {
      batch();
      forward();
      t.launch(7, "accuracy");
      t.item();
    }
  }
  void initialise(int weights = 5) {
    for (int i = 0; i < weights; ++i) t.upload(1'000'000);
    for (int i = 0; i < weights; ++i) t.launch(7, "uniform");
  }
};

}  // namespace zerostall::testing
