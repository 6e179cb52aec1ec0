// cuDNN's graph ("backend") API: descriptors are bags of typed attributes; a graph of operations becomes, by way of an
// engine, an engine configuration and a plan, one kernel. Numbers as in NVIDIA's public documentation.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "profiler/simgpu/dnn/types.h"

namespace zerostall::simgpu::dnn {

// cudnnBackendDescriptorType_t, as far as the simulation tells them apart
namespace kind {
inline constexpr int kConvolution = 1, kEngine = 2, kEngineConfig = 3, kHeuristics = 4, kPlan = 5,
                     kConvolutionForward = 10, kConvolutionBackwardFilter = 11, kConvolutionBackwardData = 12,
                     kGraph = 15, kVariantPack = 16, kTensor = 17, kMatmul = 19, kNormForward = 29, kNormBackward = 30,
                     kReduction = 22, kPointwise = 13, kResampleForward = 25, kResampleBackward = 26, kSdpaForward = 41,
                     kGroupedMatmul = 42, kSdpaBackward = 43, kLast = 63;
}
// cudnnBackendAttributeType_t
namespace type {
inline constexpr int kBoolean = 2, kInt64 = 3, kDescriptor = 15, kChar = 24, kFraction = 26;
}
// cudnnBackendAttributeName_t
namespace attribute {
inline constexpr int kHeuristicsMode = 200, kHeuristicsGraph = 201, kHeuristicsResults = 202, kConfigEngine = 300,
                     kConfigIntermediates = 301, kConfigKnobs = 302, kConfigWorkspace = 303, kConfigShared = 304,
                     kPlanConfig = 401, kPlanWorkspace = 402, kForwardFilter = 703, kForwardY = 705, kDataFilter = 709,
                     kDataDy = 711, kFilterDw = 715, kFilterDy = 717, kGraphOperations = 801, kGraphEngineCount = 802,
                     kTensorType = 901, kTensorDims = 902, kTensorStrides = 903, kTensorId = 906, kTensorVirtual = 907,
                     kTensorByValue = 908, kPackIds = 1000, kPackPointers = 1001, kPackWorkspace = 1003,
                     kEngineGraph = 1300, kEngineIndex = 1301, kEngineKnobs = 1302, kEngineNumericalNote = 1303,
                     kEngineLayout = 1304, kEngineBehaviorNote = 1305, kMatmulA = 1520, kMatmulB = 1521,
                     kMatmulC = 1522, kSdpaForwardQ = 2800, kSdpaForwardK = 2801, kSdpaForwardV = 2802,
                     kSdpaBackwardQ = 2851, kSdpaBackwardK = 2852, kSdpaBackwardV = 2853, kGroupedToken = 2902,
                     kGroupedWeight = 2903;
}

struct Descriptor;
using Shared = std::shared_ptr<Descriptor>;

struct Attribute {
  int name = 0, type = 0;
  std::int64_t count = 0;
  std::vector<std::byte> bytes;  // values, unless they are descriptors
  std::vector<Shared> descriptors;
};

// What a finalized operation graph costs and needs.
struct GraphCost {
  const char* kernel = "";
  std::int64_t ns = 0;
  double threads = 0;
  bool tensor_cores = false;      // inputs of 16 bits or fewer
  std::vector<std::int64_t> ids;  // tensors that a variant pack must supply
};

struct Descriptor {
  int kind = 0;
  bool finalized = false;
  std::vector<Attribute> attributes;
  GraphCost cost;  // of operation graphs
};

// A cudnnBackendDescriptor_t points to one: several handles can name the same descriptor.
struct BackendHandle {
  Shared descriptor;
};

const Attribute* find(const Descriptor& d, int name);
std::vector<std::int64_t> integers(const Descriptor& d, int name);  // empty: not set
Shared first(const Descriptor& d, int name);                        // null: not set
bool flag(const Descriptor& d, int name);                           // false: not set

// Cost of the operations of a graph. Never fails: an unknown operation counts as moving its tensors.
GraphCost cost_of(const Descriptor& graph);

// The two engines there are for any graph: the second is slower, so that choosing among engines has a point.
inline constexpr int kEngines = 2;
std::int64_t engine_ns(const GraphCost& cost, std::int64_t engine);

}  // namespace zerostall::simgpu::dnn
