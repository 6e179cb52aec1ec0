// Setting and reading attributes of backend descriptors.
#include <algorithm>
#include <cstring>

#include "profiler/simgpu/dnn/backend.h"

using namespace zerostall::simgpu::dnn;

namespace zerostall::simgpu::dnn {

const Attribute* find(const Descriptor& d, int name) {
  for (const Attribute& a : d.attributes)
    if (a.name == name) return &a;
  return nullptr;
}

std::vector<std::int64_t> integers(const Descriptor& d, int name) {
  const Attribute* a = find(d, name);
  if (!a || a->type != type::kInt64) return {};
  std::vector<std::int64_t> values(static_cast<std::size_t>(a->count));
  if (!values.empty()) std::memcpy(values.data(), a->bytes.data(), a->bytes.size());
  return values;
}

Shared first(const Descriptor& d, int name) {
  const Attribute* a = find(d, name);
  return a && !a->descriptors.empty() ? a->descriptors[0] : nullptr;
}

bool flag(const Descriptor& d, int name) {
  const Attribute* a = find(d, name);
  return a && !a->bytes.empty() && a->bytes[0] != std::byte{0};
}

namespace {

constexpr int kAttributeTypes = 64;  // more than there are: later ones are enumerations too

std::size_t size_of(int attribute_type) {
  switch (attribute_type) {
    case type::kBoolean:
    case type::kChar:
      return 1;
    case 0:  // handle
    case type::kInt64:
    case 5:  // double
    case 6:  // pointer
    case type::kDescriptor:
      return 8;
    case type::kFraction:
      return 16;
    default:  // float, int32, enumerations
      return 4;
  }
}

int answer_int64(std::int64_t value, std::int64_t wanted, std::int64_t* count, void* out) {
  if (count) *count = 1;
  if (out && wanted > 0) std::memcpy(out, &value, sizeof value);
  return kSuccess;
}

int answer_int32(std::int32_t value, std::int64_t wanted, std::int64_t* count, void* out) {
  if (count) *count = 1;
  if (out && wanted > 0) std::memcpy(out, &value, sizeof value);
  return kSuccess;
}

int answer_nothing(std::int64_t* count) {
  if (count) *count = 0;
  return kSuccess;
}

// The handles in `out` exist already and are made to name what is asked for.
int answer_descriptors(const std::vector<Shared>& found, std::int64_t wanted, std::int64_t* count, void* out) {
  if (count) *count = static_cast<std::int64_t>(found.size());
  if (!out) return kSuccess;
  const std::size_t n =
      std::min<std::size_t>(found.size(), static_cast<std::size_t>(std::max<std::int64_t>(wanted, 0)));
  auto** handles = static_cast<BackendHandle**>(out);
  for (std::size_t i = 0; i < n; ++i) {
    if (!handles[i]) return fail(kBadParamNull, "a descriptor to fill is null");
    handles[i]->descriptor = found[i];
  }
  if (count) *count = static_cast<std::int64_t>(wanted > 0 ? n : found.size());
  return kSuccess;
}

std::vector<Shared> engine_configurations(const Descriptor& heuristics) {
  std::vector<Shared> found;
  for (int i = 0; i < kEngines; ++i) {
    auto engine = std::make_shared<Descriptor>();
    engine->kind = kind::kEngine;
    engine->finalized = true;
    engine->attributes.push_back({attribute::kEngineGraph, type::kDescriptor, 1, {}, {}});
    engine->attributes.back().descriptors = {first(heuristics, attribute::kHeuristicsGraph)};
    engine->attributes.push_back({attribute::kEngineIndex, type::kInt64, 1, {}, {}});
    const std::int64_t index = i;
    engine->attributes.back().bytes.resize(sizeof index);
    std::memcpy(engine->attributes.back().bytes.data(), &index, sizeof index);
    auto config = std::make_shared<Descriptor>();
    config->kind = kind::kEngineConfig;
    config->finalized = true;
    config->attributes.push_back({attribute::kConfigEngine, type::kDescriptor, 1, {}, {engine}});
    found.push_back(std::move(config));
  }
  return found;
}

int engine_note(const Descriptor& engine, std::int64_t wanted, std::int64_t* count, void* out) {
  const Shared graph = first(engine, attribute::kEngineGraph);
  if (!graph || !graph->cost.tensor_cores) return answer_nothing(count);
  constexpr int kTensorCores = 0;  // CUDNN_NUMERICAL_NOTE_TENSOR_CORE
  return answer_int32(kTensorCores, wanted, count, out);
}

// Attributes that cuDNN computes. Returns -1 if `name` is not one of them.
int computed(const Descriptor& d, int name, std::int64_t wanted, std::int64_t* count, void* out) {
  switch (name) {
    case attribute::kHeuristicsResults:
      return answer_descriptors(engine_configurations(d), wanted, count, out);
    case attribute::kGraphEngineCount:
      return answer_int64(kEngines, wanted, count, out);
    case attribute::kPlanWorkspace:
    case attribute::kConfigWorkspace:
      return answer_int64(0, wanted, count, out);
    case attribute::kConfigShared:
      return answer_int32(0, wanted, count, out);
    case attribute::kEngineNumericalNote:
      return engine_note(d, wanted, count, out);
    case attribute::kConfigIntermediates:
    case attribute::kConfigKnobs:
    case attribute::kEngineKnobs:
    case attribute::kEngineLayout:
    case attribute::kEngineBehaviorNote:
      return answer_nothing(count);
    default:
      return -1;
  }
}

}  // namespace
}  // namespace zerostall::simgpu::dnn

EXPORT int cudnnBackendSetAttribute(BackendHandle* handle, int name, int attribute_type, std::int64_t count,
                                    const void* values) {
  if (!handle || (count > 0 && !values)) return kBadParamNull;
  if (count < 0 || attribute_type < 0 || attribute_type >= kAttributeTypes) return fail(kBadParam, "no such type");
  Descriptor& d = *handle->descriptor;
  if (d.finalized) return fail(kNotInitialized, "the descriptor is already finalized");
  Attribute a{name, attribute_type, count, {}, {}};
  if (attribute_type == type::kDescriptor) {
    for (std::int64_t i = 0; i < count; ++i) {
      BackendHandle* element = static_cast<BackendHandle* const*>(values)[i];
      if (!element) return fail(kBadParamNull, "a descriptor is null");
      if (!element->descriptor->finalized) return fail(kBadParamNotFinalized, "a descriptor is not finalized");
      a.descriptors.push_back(element->descriptor);
    }
  } else {
    const auto* bytes = static_cast<const std::byte*>(values);
    a.bytes.assign(bytes, bytes + std::size_t(count) * size_of(attribute_type));
  }
  const auto old =
      std::find_if(d.attributes.begin(), d.attributes.end(), [&](const Attribute& x) { return x.name == name; });
  if (old == d.attributes.end())
    d.attributes.push_back(std::move(a));
  else
    *old = std::move(a);
  return kSuccess;
}

EXPORT int cudnnBackendGetAttribute(BackendHandle* handle, int name, int attribute_type, std::int64_t wanted,
                                    std::int64_t* count, void* out) {
  if (!handle) return kBadParamNull;
  const Descriptor& d = *handle->descriptor;
  if (!d.finalized) return fail(kNotInitialized, "the descriptor is not finalized");
  if (const int status = computed(d, name, wanted, count, out); status >= 0) return status;
  const Attribute* a = find(d, name);
  if (!a) {
    if (count) *count = 0;
    return fail(kNotSupported, "the attribute is not modelled, or was never set");
  }
  if (a->type != attribute_type) return fail(kBadParam, "the attribute has another type");
  if (a->type == type::kDescriptor) return answer_descriptors(a->descriptors, wanted, count, out);
  if (count) *count = a->count;
  const std::size_t bytes = size_of(attribute_type) * std::size_t(std::clamp<std::int64_t>(wanted, 0, a->count));
  if (out && bytes > 0) std::memcpy(out, a->bytes.data(), bytes);
  return kSuccess;
}
