// What an operation graph costs. All operations are taken to be fused into one kernel: it takes the sum of its products
// or the time of moving its non-virtual tensors, whichever is longer.
#include <algorithm>

#include "profiler/simgpu/core/launch.h"
#include "profiler/simgpu/core/library.h"
#include "profiler/simgpu/dnn/backend.h"
#include "profiler/simgpu/dnn/convolution.h"

namespace zerostall::simgpu::dnn {
namespace {

constexpr double kSecondEngineSlowdown = 1.25;  // assumption

double product(const std::vector<std::int64_t>& values, std::size_t from = 0) {
  double n = 1;
  for (std::size_t i = from; i < values.size(); ++i) n *= double(values[i]);
  return n;
}

int bits_of(const Descriptor& tensor) {
  const Attribute* a = find(tensor, attribute::kTensorType);
  int data_type = kFloat;
  if (a && a->bytes.size() >= sizeof data_type)
    std::copy_n(a->bytes.data(), sizeof data_type, reinterpret_cast<std::byte*>(&data_type));
  return type_bits(data_type);
}

std::vector<std::int64_t> dims_of(const Descriptor& operation, int name) {
  const Shared tensor = first(operation, name);
  return tensor ? integers(*tensor, attribute::kTensorDims) : std::vector<std::int64_t>{};
}

int bits_of(const Descriptor& operation, int name) {
  const Shared tensor = first(operation, name);
  return tensor ? bits_of(*tensor) : 32;
}

std::int64_t convolution_cost(const Descriptor& op, int filter, int result) {
  const auto w = dims_of(op, filter), y = dims_of(op, result);
  if (w.size() < 3 || y.size() != w.size()) return 0;
  return convolution_ns(product(y), double(w[0]), product(w), bits_of(op, filter));
}

std::int64_t matmul_cost(const Descriptor& op, int left, int right) {
  const auto a = dims_of(op, left), b = dims_of(op, right);
  if (a.size() < 2 || b.size() < 2) return 0;
  const double m = double(a[a.size() - 2]), k = double(a.back()), n = double(b.back());
  const double batch = product(a) / std::max(1.0, m * k);
  // A batch is a product as many times as long.
  return static_cast<std::int64_t>(batch * double(gemm_ns(m, n, k, bits_of(op, left))));
}

// Two products forward, five backward, each over queries x keys.
std::int64_t attention_cost(const Descriptor& op, int query, int key, double products) {
  const auto q = dims_of(op, query), k = dims_of(op, key);
  if (q.size() != 4 || k.size() != 4) return 0;
  const double batch = double(q[0] * q[1]);
  const auto one = gemm_ns(double(q[2]), double(k[2]), double(q[3]), bits_of(op, query));
  return static_cast<std::int64_t>(products * batch * double(one));
}

struct Kind {
  int kind;
  int rank;  // the graph's kernel is called after its operation of the highest rank
  const char* kernel;
};
constexpr Kind kKinds[] = {{kind::kConvolutionForward, 9, "sim_cudnn_conv_fprop"},
                           {kind::kConvolutionBackwardFilter, 9, "sim_cudnn_conv_wgrad"},
                           {kind::kConvolutionBackwardData, 9, "sim_cudnn_conv_dgrad"},
                           {kind::kSdpaForward, 8, "sim_cudnn_sdpa_forward"},
                           {kind::kSdpaBackward, 8, "sim_cudnn_sdpa_backward"},
                           {kind::kMatmul, 7, "sim_cudnn_matmul"},
                           {kind::kGroupedMatmul, 7, "sim_cudnn_grouped_matmul"},
                           {kind::kNormForward, 6, "sim_cudnn_norm_forward"},
                           {kind::kNormBackward, 6, "sim_cudnn_norm_backward"},
                           {kind::kResampleForward, 5, "sim_cudnn_resample_forward"},
                           {kind::kResampleBackward, 5, "sim_cudnn_resample_backward"},
                           {kind::kReduction, 4, "sim_cudnn_reduction"},
                           {kind::kPointwise, 3, "sim_cudnn_pointwise"}};
constexpr Kind kOther = {0, 0, "sim_cudnn_graph"};

const Kind& kind_of(const Descriptor& op) {
  const auto* it = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return k.kind == op.kind; });
  return it == std::end(kKinds) ? kOther : *it;
}

std::int64_t operation_cost(const Descriptor& op) {
  switch (op.kind) {
    case kind::kConvolutionForward:
      return convolution_cost(op, attribute::kForwardFilter, attribute::kForwardY);
    case kind::kConvolutionBackwardData:
      return convolution_cost(op, attribute::kDataFilter, attribute::kDataDy);
    case kind::kConvolutionBackwardFilter:
      return convolution_cost(op, attribute::kFilterDw, attribute::kFilterDy);
    case kind::kMatmul:
      return matmul_cost(op, attribute::kMatmulA, attribute::kMatmulB);
    case kind::kGroupedMatmul:
      return matmul_cost(op, attribute::kGroupedToken, attribute::kGroupedWeight);
    case kind::kSdpaForward:
      return attention_cost(op, attribute::kSdpaForwardQ, attribute::kSdpaForwardK, 2);
    case kind::kSdpaBackward:
      return attention_cost(op, attribute::kSdpaBackwardQ, attribute::kSdpaBackwardK, 5);
    default:
      return 0;
  }
}

struct Traffic {
  std::vector<std::int64_t> ids;
  double bytes = 0, largest = 0;
  int narrowest_bits = 64;
};

// Counts each tensor once that lives in memory.
void add_tensors(const Descriptor& op, Traffic& traffic) {
  for (const Attribute& a : op.attributes)
    for (const Shared& d : a.descriptors) {
      if (d->kind != kind::kTensor || flag(*d, attribute::kTensorVirtual)) continue;
      const auto id = integers(*d, attribute::kTensorId);
      if (id.empty() || std::find(traffic.ids.begin(), traffic.ids.end(), id[0]) != traffic.ids.end()) continue;
      traffic.ids.push_back(id[0]);
      const double elements = product(integers(*d, attribute::kTensorDims));
      traffic.bytes += elements * bits_of(*d) / 8;
      if (elements > traffic.largest) traffic.narrowest_bits = bits_of(*d);
      traffic.largest = std::max(traffic.largest, elements);
    }
}

}  // namespace

GraphCost cost_of(const Descriptor& graph) {
  GraphCost cost;
  Traffic traffic;
  const Kind* name = &kOther;
  int products = 0;
  const Attribute* operations = find(graph, attribute::kGraphOperations);
  for (const Shared& op : operations ? operations->descriptors : std::vector<Shared>{}) {
    cost.ns += operation_cost(*op);
    products += op->kind == kind::kMatmul;
    if (kind_of(*op).rank > name->rank) name = &kind_of(*op);
    add_tensors(*op, traffic);
  }
  cost.kernel = name->kernel;
  // Attention spelled out as a graph: two products forward, five backward.
  if (name->kind == kind::kMatmul && products >= 2)
    cost.kernel = products == 2 ? "sim_cudnn_sdpa_forward" : "sim_cudnn_sdpa_backward";
  cost.ns = std::max(cost.ns, transfer_ns(traffic.bytes));
  cost.threads = traffic.largest;
  cost.tensor_cores = traffic.narrowest_bits <= 16;
  cost.ids = std::move(traffic.ids);
  return cost;
}

std::int64_t engine_ns(const GraphCost& cost, std::int64_t engine) {
  return engine == 0 ? cost.ns : static_cast<std::int64_t>(double(cost.ns) * kSecondEngineSlowdown);
}

}  // namespace zerostall::simgpu::dnn
