// Which parts of the model are on the train device. Source: reference-step.md A.5 (materialize, evict,
// setup_train_device).
#pragma once
#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <vector>

namespace zerostall::train {

struct Part {
  std::string name;
  std::function<void(at::Device)> move_to;
  bool needed_in_step;  // kept on the train device
};

// apply() is called before training and again after everything that may move parts (backup, sampling, caching), so
// whatever must hold afterwards belongs into `after`: hooks run at its end, in order. That is where fix bn-pinning
// sits.
struct DeviceSetup {
  at::Device train_device;
  at::Device temp_device = at::kCPU;
  std::vector<Part> parts;
  std::vector<std::function<void()>> after;

  void apply()
      const;  // evict what the step does not need, free the device's cache, materialize the rest, run the hooks
  void evict() const;  // everything to temp_device, as before a backup
};

}  // namespace zerostall::train
