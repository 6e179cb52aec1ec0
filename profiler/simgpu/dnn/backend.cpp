// Life of backend descriptors: create, finalize, execute.
#include "profiler/simgpu/dnn/backend.h"

#include <algorithm>

using namespace zerostall::simgpu::dnn;

namespace zerostall::simgpu::dnn {
namespace {

bool is_set(const Descriptor& d, std::initializer_list<int> names) {
  return std::all_of(names.begin(), names.end(), [&](int name) { return find(d, name) != nullptr; });
}

int check_tensor(const Descriptor& d) {
  if (!is_set(d, {attribute::kTensorType, attribute::kTensorDims, attribute::kTensorStrides, attribute::kTensorId}))
    return fail(kBadParam, "a tensor needs a type, dimensions, strides and an identity");
  const auto dims = integers(d, attribute::kTensorDims), strides = integers(d, attribute::kTensorStrides);
  if (dims.size() != strides.size() || dims.empty()) return fail(kBadParam, "dimensions and strides differ in number");
  if (std::any_of(dims.begin(), dims.end(), [](std::int64_t n) { return n <= 0; }))
    return fail(kBadParam, "dimensions are positive");
  return kSuccess;
}

int check_pack(const Descriptor& d) {
  const Attribute *ids = find(d, attribute::kPackIds), *pointers = find(d, attribute::kPackPointers);
  if (!ids || !pointers) return fail(kBadParam, "a variant pack needs identities and pointers");
  return ids->count == pointers->count ? kSuccess : fail(kBadParam, "identities and pointers differ in number");
}

// What must be set before a descriptor of this kind can be finalized.
int check(const Descriptor& d) {
  switch (d.kind) {
    case kind::kTensor:
      return check_tensor(d);
    case kind::kVariantPack:
      return check_pack(d);
    case kind::kGraph:
      if (const Attribute* a = find(d, attribute::kGraphOperations); a && !a->descriptors.empty()) return kSuccess;
      return fail(kBadParam, "an operation graph needs operations");
    case kind::kEngine:
      if (!is_set(d, {attribute::kEngineGraph, attribute::kEngineIndex})) return fail(kBadParam, "no graph or index");
      if (integers(d, attribute::kEngineIndex).at(0) >= kEngines) return fail(kNotSupported, "no such engine");
      return kSuccess;
    case kind::kEngineConfig:
      return is_set(d, {attribute::kConfigEngine}) ? kSuccess : fail(kBadParam, "no engine");
    case kind::kHeuristics:
      return is_set(d, {attribute::kHeuristicsGraph, attribute::kHeuristicsMode}) ? kSuccess
                                                                                  : fail(kBadParam, "no graph or mode");
    case kind::kPlan:
      return is_set(d, {attribute::kPlanConfig}) ? kSuccess : fail(kBadParam, "no engine configuration");
    default:
      return kSuccess;
  }
}

// Every tensor of the graph that is in memory must be in the pack.
bool supplies(const Descriptor& pack, const std::vector<std::int64_t>& wanted) {
  const auto ids = integers(pack, attribute::kPackIds);
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](std::int64_t id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); });
}

}  // namespace
}  // namespace zerostall::simgpu::dnn

EXPORT int cudnnBackendCreateDescriptor(int descriptor_kind, BackendHandle** handle) {
  if (!handle) return kBadParamNull;
  if (descriptor_kind < 0 || descriptor_kind > kind::kLast) return fail(kNotSupported, "no such descriptor");
  *handle = new BackendHandle{std::make_shared<Descriptor>()};
  (*handle)->descriptor->kind = descriptor_kind;
  return kSuccess;
}
EXPORT int cudnnBackendDestroyDescriptor(BackendHandle* handle) {
  delete handle;
  return kSuccess;
}
EXPORT int cudnnBackendFinalize(BackendHandle* handle) {
  if (!handle) return kBadParamNull;
  Descriptor& d = *handle->descriptor;
  if (const int status = check(d)) return status;
  if (d.kind == kind::kGraph) d.cost = cost_of(d);
  d.finalized = true;
  return kSuccess;
}

EXPORT int cudnnBackendExecute(Handle* handle, BackendHandle* plan, BackendHandle* pack) {
  if (!handle || !plan || !pack) return kBadParamNull;
  if (!plan->descriptor->finalized || !pack->descriptor->finalized)
    return fail(kBadParamNotFinalized, "the plan or the variant pack is not finalized");
  const Shared config = first(*plan->descriptor, attribute::kPlanConfig);
  const Shared engine = config ? first(*config, attribute::kConfigEngine) : nullptr;
  const Shared graph = engine ? first(*engine, attribute::kEngineGraph) : nullptr;
  if (!graph) return fail(kBadParam, "the plan has no operation graph");
  if (!supplies(*pack->descriptor, graph->cost.ids)) return fail(kBadParam, "the variant pack lacks a tensor");
  const auto index = integers(*engine, attribute::kEngineIndex);
  return kernel(handle, graph->cost.kernel, engine_ns(graph->cost, index.empty() ? 0 : index[0]), graph->cost.threads);
}
