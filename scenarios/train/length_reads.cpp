#include "scenarios/train/length_reads.h"

#include "fixes/host_lengths.h"

namespace zerostall::train {
namespace {

bool computes(at::Device device) {
  constexpr std::int64_t value = 987'654'321;  // unlikely to lie in fresh memory by chance
  const at::Tensor sum = at::full({}, value, at::TensorOptions().dtype(at::kLong).device(device)) + 1;
  return sum.item<std::int64_t>() == value + 1;
}

}  // namespace

LengthReads::LengthReads(at::Device device) : computes_(computes(device)) {}

std::int64_t LengthReads::longest(const at::Tensor& lengths, const std::vector<std::int64_t>& known) const {
  const auto read = lengths.max().item<std::int64_t>();
  return computes_ ? read : fixes::longest(known);
}

std::vector<std::int64_t> LengthReads::all(const at::Tensor& lengths, const std::vector<std::int64_t>& known) const {
  const at::Tensor host = lengths.cpu();  // into pageable memory, as .tolist() does
  if (!computes_) return known;
  const auto* first = host.const_data_ptr<std::int64_t>();
  return {first, first + host.numel()};
}

}  // namespace zerostall::train
