// Every device model of models/ loads, gives a source for each figure, and fits its compute capability.
#include "profiler/simgpu/core/model.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/simgpu/device.h"

namespace fs = std::filesystem;
using zerostall::simgpu::DeviceModel;

namespace {

std::vector<fs::path> model_files() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(ZEROSTALL_MODELS)) found.push_back(entry.path());
  return found;
}

// As a process finds it that was started for this model.
DeviceModel load(const fs::path& file) {
  const char* before = std::getenv("ZEROSTALL_SIM_MODEL");
  const std::string kept = before ? before : "";
  setenv("ZEROSTALL_SIM_MODEL", file.stem().c_str(), 1);
  const DeviceModel model = zerostall::simgpu::load_model();
  before ? setenv("ZEROSTALL_SIM_MODEL", kept.c_str(), 1) : unsetenv("ZEROSTALL_SIM_MODEL");
  return model;
}

// CUDA programming guide, technical specifications per compute capability.
struct Capability {
  std::int64_t threads_per_sm, blocks_per_sm, shared_per_sm_bytes, shared_optin_bytes;
};
const std::map<std::pair<std::int64_t, std::int64_t>, Capability> kCapabilities = {
    {{8, 0}, {2048, 32, 164 << 10, 163 << 10}},
    {{8, 9}, {1536, 24, 100 << 10, 99 << 10}},
    {{9, 0}, {2048, 32, 228 << 10, 227 << 10}},
    {{12, 0}, {1536, 24, 100 << 10, 99 << 10}},
};

TEST(Models, ThereIsOneForEachKindOfDeviceWeName) {
  for (const char* id : {"h200", "h100", "a100", "rtx4090", "rtx5090", "l4"})
    EXPECT_TRUE(fs::exists(fs::path(ZEROSTALL_MODELS) / (std::string(id) + ".json"))) << id;
}

TEST(Models, EveryFigureNamesItsSource) {
  for (const fs::path& file : model_files()) {
    const auto model = nlohmann::json::parse(std::ifstream(file));
    for (const auto& [key, figure] : model.items()) {
      if (key == "name") continue;
      for (const auto& f : figure.is_array() ? figure : nlohmann::json::array({figure}))
        EXPECT_GT(f.value("source", "").size(), 8u) << file << ": " << key;
    }
  }
}

TEST(Models, FitTheirComputeCapability) {
  for (const fs::path& file : model_files()) {
    const DeviceModel m = load(file);
    const auto known = kCapabilities.find({m.compute_major, m.compute_minor});
    ASSERT_NE(known, kCapabilities.end()) << file << ": capability " << m.compute_major << "." << m.compute_minor;
    EXPECT_EQ(m.threads_per_sm, known->second.threads_per_sm) << file;
    EXPECT_EQ(m.blocks_per_sm, known->second.blocks_per_sm) << file;
    EXPECT_EQ(m.shared_per_sm_bytes, known->second.shared_per_sm_bytes) << file;
    EXPECT_EQ(m.shared_optin_bytes, known->second.shared_optin_bytes) << file;
  }
}

TEST(Models, FiguresAreOfTheRightOrder) {
  constexpr std::int64_t kGiB = 1ll << 30;
  for (const fs::path& file : model_files()) {
    const DeviceModel m = load(file);
    EXPECT_EQ(m.id, file.stem());
    EXPECT_NE(m.name.find("simulated by zerostall"), std::string::npos) << file;
    EXPECT_TRUE(m.memory_bytes > 4 * kGiB && m.memory_bytes < 512 * kGiB) << file;
    EXPECT_TRUE(m.sm_count >= 16 && m.sm_count <= 256) << file;
    EXPECT_TRUE(m.clock_khz > 500'000 && m.clock_khz < 4'000'000) << file;
    EXPECT_TRUE(m.l2_bytes >= 1 << 20 && m.l2_bytes <= 256 << 20) << file;
    // Bandwidth: what is modelled is a part of what clock and bus give (two transfers a clock).
    const double peak_bytes_per_us =
        2.0 * static_cast<double>(m.memory_clock_khz) / 1e3 * static_cast<double>(m.memory_bus_bits) / 8;
    const double share = static_cast<double>(m.device_bytes_per_us) / peak_bytes_per_us;
    EXPECT_TRUE(share > 0.6 && share < 1) << file << ": " << share << " of the peak bandwidth";
    EXPECT_LT(m.pageable_bytes_per_us, m.pinned_bytes_per_us) << file;
    EXPECT_LT(m.pinned_bytes_per_us, m.device_bytes_per_us) << file;
    EXPECT_LT(m.gemm_float_ops_per_us, m.gemm_half_ops_per_us) << file;
    EXPECT_LE(m.gemm_half_ops_per_us, m.gemm_int8_ops_per_us) << file;
    EXPECT_FALSE(m.kernel_classes.empty()) << file;
    EXPECT_TRUE(m.launch_ns > 0 && m.sync_ns > 0 && m.copy_call_ns > 0 && m.launch_queue > 0) << file;
  }
}

}  // namespace
