#include "profiler/tracer/subscription.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "profiler/tracer/clock_watch.h"
#include "profiler/tracer/collector.h"
#include "profiler/tracer/cupti_library.h"

namespace zerostall::tracer {
namespace {

constexpr const char* kOurName = "zerostall";
constexpr std::size_t kHolderBytes = 256;

std::atomic<CUpti_SubscriberHandle> g_subscriber{nullptr};
std::atomic<bool> g_is_alive{false};

// As they were when the tracer started; guarded by the lock of check_surroundings.
std::optional<std::uint8_t> g_per_thread;
int g_copies = 1;
ClockWatch g_clock;

std::optional<std::uint8_t> buffers_per_thread(const CuptiApi& api) {
  std::uint8_t value = 0;
  std::size_t bytes = sizeof value;
  if (!api.get_attribute) return std::nullopt;
  const auto result = api.get_attribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &bytes, &value);
  return result == CUPTI_SUCCESS ? std::optional(value) : std::nullopt;
}

CUptiResult subscribe_by_name(const CuptiApi& api, CUpti_CallbackFunc callback, CUpti_SubscriberHandle* subscriber,
                              std::string* holder) {
  std::array<char, kHolderBytes> name{};
  CUpti_SubscriberParams params{};
  params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  params.subscriberName = kOurName;
  params.oldSubscriberName = name.data();
  params.oldSubscriberSize = name.size() - 1;
  const CUptiResult result = api.subscribe_v2(subscriber, callback, nullptr, &params);
  *holder = name.data();
  return result;
}

// Said once, whoever finds it first.
void shut_down(const std::string& how) {
  if (!g_is_alive.exchange(false)) return;
  collector().note(format::NoteKind::detached,
                   how + ": calls from here on are not recorded, and those of the last moments may be missing", 0);
}

// After cuptiFinalize the handle means nothing any more. Asking does not start CUPTI again.
void check_subscription(const CuptiApi& api) {
  auto* const subscriber = g_subscriber.load();
  std::uint32_t enabled = 0;
  if (!api.get_callback_state || !subscriber) return;
  const std::unique_lock guard(callback_state_lock(), std::try_to_lock);
  if (!guard) return;  // a window opens or closes: the next time will do
  const CUptiResult result =
      api.get_callback_state(&enabled, subscriber, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR);
  if (result != CUPTI_SUCCESS) shut_down("CUPTI was shut down by another tool of this process");
}

void check_buffers(const CuptiApi& api) {
  const auto now = buffers_per_thread(api);
  if (!g_per_thread || !now || *now == *g_per_thread) return;
  g_per_thread = now;
  collector().note(format::NoteKind::warning,
                   "another tool of this process changed CUPTI's buffers: GPU records may be missing", *now);
}

// The simulated GPU's clock is its own.
bool clock_can_be_set() {
  static const bool real = dlsym(RTLD_DEFAULT, "zerostall_sim_model") == nullptr;
  return real;
}

void check_clock() {
  if (!clock_can_be_set()) return;
  const auto step_ns = g_clock.step_since_last(read_clocks());
  if (!step_ns) return;
  collector().note(
      format::NoteKind::clock_step,
      "clock stepped by " + std::to_string(*step_ns / 1'000'000) + " ms: times before and after it do not fit together",
      static_cast<std::uint64_t>(std::llabs(*step_ns)));
}

void check_copies() {
  const int copies = cupti_copies_now();
  if (copies <= g_copies) return;
  g_copies = copies;
  collector().note(format::NoteKind::warning, copies_warning(copies), static_cast<std::uint64_t>(copies));
}

}  // namespace

std::string why_not_subscribed(CUptiResult result, const std::string& holder) {
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return (holder.empty() ? "another tool holds CUPTI in this process (torch.profiler, Nsight, compute-sanitizer)"
                             : "'" + holder + "' holds CUPTI in this process") +
             ": run without it";
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return "the driver lets only administrators profile (cuptiSubscribe: " + result_text(result) +
             "): set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module, or give the container CAP_SYS_ADMIN";
    case CUPTI_ERROR_INVALID_DEVICE:
      return "this libcupti does not know the GPU or its driver (cuptiSubscribe: " + result_text(result) +
             "): install the libcupti of the driver's CUDA version";
    case CUPTI_ERROR_UNKNOWN:
    case CUPTI_ERROR_NOT_INITIALIZED:  // what libcupti says without a driver, or with a stub of it
      return "libcupti finds no usable NVIDIA driver (cuptiSubscribe: " + result_text(result) +
             "): see whether nvidia-smi works, and take folders called stubs out of LD_LIBRARY_PATH";
    default:
      return "cuptiSubscribe: " + result_text(result);
  }
}

bool subscribe(const CuptiApi& api, CUpti_CallbackFunc callback, CUpti_SubscriberHandle* subscriber,
               std::string* error) {
  std::string holder;
  const CUptiResult result = api.subscribe_v2 ? subscribe_by_name(api, callback, subscriber, &holder)
                                              : api.subscribe(subscriber, callback, nullptr);
  if (result != CUPTI_SUCCESS) {
    *error = why_not_subscribed(result, holder);
    return false;
  }
  g_subscriber = *subscriber;
  g_is_alive = true;
  g_per_thread = buffers_per_thread(api);
  api.enable_callback(1, *subscriber, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR);  // not everywhere
  return true;
}

void on_cupti_state(CUpti_CallbackId id, const void* data) {
  if (id != CUPTI_CBID_STATE_FATAL_ERROR || !data) return;
  const auto& state = *static_cast<const CUpti_StateData*>(data);
  const char* message = state.notification.message;
  shut_down("CUPTI failed and detached itself" + (message ? " (" + std::string(message) + ")" : std::string()));
}

std::mutex& callback_state_lock() {
  static std::mutex* lock = new std::mutex;
  return *lock;
}

bool cupti_is_alive() { return g_is_alive.load(std::memory_order_relaxed); }

void check_surroundings(bool everything) {
  static std::mutex one_at_a_time;
  std::lock_guard guard(one_at_a_time);
  const CuptiApi* api = cupti_api();
  if (!api || !cupti_is_alive()) return;
  check_subscription(*api);
  if (!cupti_is_alive()) return;
  check_buffers(*api);
  check_clock();
  if (everything) check_copies();
}

}  // namespace zerostall::tracer
