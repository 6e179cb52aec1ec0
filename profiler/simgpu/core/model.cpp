#include "profiler/simgpu/core/model.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace zerostall::simgpu {
namespace {

std::string library_folder() {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&load_model), &info);
  const std::string path = info.dli_fname ? info.dli_fname : "";
  return path.substr(0, path.find_last_of('/'));
}

void read_fields(DeviceModel& m, const nlohmann::json& file) {
  const struct {
    const char* key;
    std::int64_t DeviceModel::*field;
  } fields[] = {
      {"memory_bytes", &DeviceModel::memory_bytes},
      {"sm_count", &DeviceModel::sm_count},
      {"compute_major", &DeviceModel::compute_major},
      {"compute_minor", &DeviceModel::compute_minor},
      {"clock_khz", &DeviceModel::clock_khz},
      {"memory_clock_khz", &DeviceModel::memory_clock_khz},
      {"memory_bus_bits", &DeviceModel::memory_bus_bits},
      {"ecc", &DeviceModel::ecc},
      {"l2_bytes", &DeviceModel::l2_bytes},
      {"shared_per_sm_bytes", &DeviceModel::shared_per_sm_bytes},
      {"shared_optin_bytes", &DeviceModel::shared_optin_bytes},
      {"blocks_per_sm", &DeviceModel::blocks_per_sm},
      {"threads_per_sm", &DeviceModel::threads_per_sm},
      {"device_bytes_per_us", &DeviceModel::device_bytes_per_us},
      {"pinned_bytes_per_us", &DeviceModel::pinned_bytes_per_us},
      {"pageable_bytes_per_us", &DeviceModel::pageable_bytes_per_us},
      {"gemm_int8_ops_per_us", &DeviceModel::gemm_int8_ops_per_us},
      {"gemm_half_ops_per_us", &DeviceModel::gemm_half_ops_per_us},
      {"gemm_float_ops_per_us", &DeviceModel::gemm_float_ops_per_us},
      {"launch_ns", &DeviceModel::launch_ns},
      {"launch_latency_ns", &DeviceModel::launch_latency_ns},
      {"between_launches_ns", &DeviceModel::between_launches_ns},
      {"kernel_floor_ns", &DeviceModel::kernel_floor_ns},
      {"copy_call_ns", &DeviceModel::copy_call_ns},
      {"copy_latency_ns", &DeviceModel::copy_latency_ns},
      {"sync_ns", &DeviceModel::sync_ns},
      {"event_ns", &DeviceModel::event_ns},
      {"query_ns", &DeviceModel::query_ns},
      {"allocate_ns", &DeviceModel::allocate_ns},
      {"host_allocate_ns", &DeviceModel::host_allocate_ns},
      {"launch_queue", &DeviceModel::launch_queue},
      {"staged_copy_limit_bytes", &DeviceModel::staged_copy_limit_bytes},
      {"bytes_per_thread", &DeviceModel::bytes_per_thread},
  };
  for (const auto& f : fields) m.*f.field = file.at(f.key).at("value").get<std::int64_t>();
  const auto optional = [&](const char* key, std::int64_t otherwise) {
    return file.contains(key) ? file.at(key).at("value").get<std::int64_t>() : otherwise;
  };
  m.link_bytes_per_us = optional("link_bytes_per_us", m.pinned_bytes_per_us);
  m.link_latency_ns = optional("link_latency_ns", m.copy_latency_ns);
  for (const auto& k : file.at("kernel_block_ns")) m.kernel_classes.push_back({k.at("name"), k.at("value")});
}

}  // namespace

DeviceModel load_model() {
  const char* id = std::getenv("ZEROSTALL_SIM_MODEL");
  DeviceModel model{};
  model.id = id && *id ? id : "h200";
  const std::string path = library_folder() + "/models/" + model.id + ".json";
  try {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("no such file");
    const auto file = nlohmann::json::parse(in);
    model.name = file.at("name").get<std::string>();
    read_fields(model, file);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "[zerostall] simulated GPU: cannot read device model '%s' (%s): %s\n", model.id.c_str(),
                 path.c_str(), e.what());
    std::_Exit(4);
  }
  return model;
}

}  // namespace zerostall::simgpu
