#include "profiler/simgpu/core/context.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zerostall::simgpu {

constinit thread_local Context* t_context = nullptr;

namespace {

thread_local int t_device = 0;

// Physical ordinals by visible ordinal. The list ends at the first entry that names no device, as the driver documents.
std::vector<int> visible_devices() {
  const int physical = machine_device_count();
  std::vector<int> devices;
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!visible) {
    for (int d = 0; d < physical; ++d) devices.push_back(d);
    return devices;
  }
  std::string_view rest(visible);
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    int ordinal = -1;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), ordinal);
    const bool known = error == std::errc{} && end == entry.data() + entry.size() && ordinal >= 0 && ordinal < physical;
    if (!known || std::find(devices.begin(), devices.end(), ordinal) != devices.end()) break;
    devices.push_back(ordinal);
  }
  if (devices.empty())
    std::fprintf(stderr, "[zerostall] simulated GPU: CUDA_VISIBLE_DEVICES=%s leaves none of %d device(s)\n", visible,
                 physical);
  return devices;
}

const std::vector<int>& devices() {
  static const auto* list = new std::vector<int>(visible_devices());
  return *list;
}

struct Contexts {
  std::mutex lock;
  std::array<Context, kMostDevices> primary;
  std::unordered_map<const void*, std::unique_ptr<Context>> created;
  std::uint32_t next_id = kMostDevices + 1;
};
Contexts& contexts() {
  static Contexts* instance = [] {
    auto* all = new Contexts;
    for (int d = 0; d < kMostDevices; ++d) {
      Context& c = all->primary[static_cast<std::size_t>(d)];
      c.id = static_cast<std::uint32_t>(d) + 1;
      c.device = d;
      c.primary = true;
    }
    return all;
  }();
  return *instance;
}

// Threads bind the same primary context at the same time.
void activate(Context& context) { std::atomic_ref<bool>(context.active).store(true, std::memory_order_relaxed); }

}  // namespace

int device_count() {
  static const int count = static_cast<int>(devices().size());
  return count;
}

int current_device() { return t_device; }

bool set_current_device(int device) {
  if (device < 0 || device >= device_count()) return false;
  t_device = device;
  t_context = primary_context(device);
  activate(*t_context);
  return true;
}

Context* primary_context(int device) { return &contexts().primary[static_cast<std::size_t>(device)]; }

Context* context_from(const void* handle) {
  Contexts& all = contexts();
  const auto* candidate = static_cast<const Context*>(handle);
  for (Context& c : all.primary)
    if (&c == candidate) return &c;
  std::lock_guard guard(all.lock);
  const auto it = all.created.find(handle);
  return it == all.created.end() ? nullptr : it->second.get();
}

Context* create_context(int device, unsigned flags) {
  Contexts& all = contexts();
  auto context = std::make_unique<Context>();
  context->device = device;
  context->flags = flags;
  context->active = true;
  std::lock_guard guard(all.lock);
  context->id = all.next_id++;
  Context* raw = context.get();
  all.created[raw] = std::move(context);
  return raw;
}

bool destroy_context(Context* context) {
  Contexts& all = contexts();
  std::lock_guard guard(all.lock);
  const auto it = all.created.find(context);
  if (it == all.created.end()) return false;
  if (t_context == context) t_context = nullptr;
  // Another thread may have it current: its device stays readable.
  static_cast<void>(it->second.release());
  all.created.erase(it);
  return true;
}

Context* current_context() { return t_context; }

void set_current_context(Context* context) {
  t_context = context;
  if (context) t_device = context->device;
}

void bind_primary_context() {
  if (device_count() == 0) return;
  t_context = primary_context(t_device);
  activate(*t_context);
}

int machine_device_count() {
  const char* text = std::getenv("ZEROSTALL_SIM_GPUS");
  return std::clamp(text && *text ? std::atoi(text) : 1, 1, kMostDevices);
}

DeviceIdentity device_identity(int device) {
  return machine_device_identity(devices()[static_cast<std::size_t>(device)]);
}

DeviceIdentity machine_device_identity(int physical) {
  DeviceIdentity identity{};
  // A name-based id of our own (version 8, variant 1): "zerostall" and the ordinal.
  const unsigned char base[16] = {'z', 'e', 'r', 'o', 's', 't', 0x80, 'a', 0x80, 'l', 'l', 0, 0, 0, 0, 0};
  std::memcpy(identity.uuid.data(), base, sizeof base);
  identity.uuid[15] = static_cast<unsigned char>(physical);
  identity.pci_domain = 0;
  identity.pci_bus = 0x10 + static_cast<unsigned>(physical);
  identity.pci_device = 0;
  return identity;
}

std::string pci_bus_id(int device) {
  const DeviceIdentity identity = device_identity(device);
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", identity.pci_domain, identity.pci_bus, identity.pci_device);
  return text;
}

int device_by_pci_bus_id(const char* id) {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  const bool with_domain = std::sscanf(id, "%x:%x:%x.%x", &domain, &bus, &device, &function) >= 3;
  if (!with_domain) {
    domain = function = 0;
    if (std::sscanf(id, "%x:%x.%x", &bus, &device, &function) < 2) return -1;
  }
  for (int d = 0; d < device_count(); ++d) {
    const DeviceIdentity known = device_identity(d);
    if (known.pci_domain == domain && known.pci_bus == bus && known.pci_device == device && function == 0) return d;
  }
  return -1;
}

}  // namespace zerostall::simgpu
