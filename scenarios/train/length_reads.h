// How the models learn the lengths of their padded texts from the device, as the reference does, each read one wait for
// the whole stream. Sources: reference-step.md rows I1 to I3 and E1. What replaces it: fixes/host_lengths.h.
#pragma once
#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace zerostall::train {

class LengthReads {
 public:
  // Looks once whether kernels of `device` leave results (one wait). On the simulated GPU they leave none: there every
  // read is made and costs what it costs, and `known` is what comes back.
  explicit LengthReads(at::Device device);

  // lengths: int64 [B] on the device; known: the same numbers, from the host.
  std::int64_t longest(const at::Tensor& lengths, const std::vector<std::int64_t>& known) const;  // .max().item()
  std::vector<std::int64_t> all(const at::Tensor& lengths, const std::vector<std::int64_t>& known) const;  // .tolist()

 private:
  bool computes_;
};

}  // namespace zerostall::train
