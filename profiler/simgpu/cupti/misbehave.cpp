#include "profiler/simgpu/cupti/misbehave.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {

std::atomic<bool> g_misbehaves{false};

namespace {

constexpr std::uint64_t kHighTime = 0x8000000000000000ull;
constexpr std::uint64_t kEarlyBy_ns = 1'000'000;
constexpr std::uint32_t kStrayCorrelation = 0x7f000000;

bool set(Misbehaviour& m, std::string_view name, std::string_view value) {
  if (name == "holder") {
    m.holder = value;
    return !value.empty();
  }
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != value.data() + value.size() || number == 0) return false;
  if (name == "refuse")
    m.refuse = static_cast<CUptiResult>(number);
  else if (name == "refuse-activity")
    m.refuse_activity = static_cast<CUptiResult>(number);
  else if (name == "without-names")
    m.without_names = true;
  else if (name == "high-times")
    m.high_times = number;
  else if (name == "early")
    m.early = number;
  else if (name == "twice")
    m.twice = number;
  else if (name == "stray")
    m.stray = number;
  else if (name == "only-forced")
    m.only_forced = true;
  else if (name == "hoard")
    m.hoard = true;
  else if (name == "old")
    m.old = true;
  else if (name == "shut-down-after")
    m.shut_down_after = number;
  else
    return false;
  return true;
}

Misbehaviour from_environment() {
  Misbehaviour wanted;
  const char* text = std::getenv("ZEROSTALL_SIM_CUPTI_FAULTS");
  if (text == nullptr || *text == '\0') return wanted;
  std::string error;
  if (!parse_misbehaviour(text, wanted, &error)) {
    std::fprintf(stderr, "[zerostall] ZEROSTALL_SIM_CUPTI_FAULTS: %s\n", error.c_str());
    std::_Exit(2);
  }
  g_misbehaves = true;
  return wanted;
}

struct Common {  // where the fields lie in a record
  std::uint64_t *start = nullptr, *end = nullptr;
  std::uint32_t* correlation = nullptr;
};

template <class Record>
Common fields(void* record) {
  auto* bytes = static_cast<std::uint8_t*>(record);
  return {reinterpret_cast<std::uint64_t*>(bytes + offsetof(Record, start)),
          reinterpret_cast<std::uint64_t*>(bytes + offsetof(Record, end)),
          reinterpret_cast<std::uint32_t*>(bytes + offsetof(Record, correlationId))};
}

Common fields_of(void* record) {
  switch (static_cast<const CUpti_Activity*>(record)->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return fields<CUpti_ActivityKernel9>(record);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return fields<CUpti_ActivityMemcpy5>(record);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return fields<CUpti_ActivityMemcpyPtoP4>(record);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return fields<CUpti_ActivityMemset4>(record);
    default:
      return {};
  }
}

bool is_turn(std::uint64_t every, std::uint64_t number) { return every != 0 && number % every == every - 1; }

// Before any other thread, and so that no guard is held when the process forks.
__attribute__((constructor)) void read_environment() { misbehaviour(); }

}  // namespace

bool parse_misbehaviour(const std::string& text, Misbehaviour& wanted, std::string* error) {
  Misbehaviour read;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t equals = item.find('=');
    if (equals == item.npos || !set(read, item.substr(0, equals), item.substr(equals + 1))) {
      *error = "unknown or without a value: '" + std::string(item) + "'; profiler/simgpu/cupti/misbehave.h lists them";
      return false;
    }
  }
  wanted = read;
  return true;
}

const Misbehaviour& misbehaviour() {
  static const Misbehaviour* wanted = new Misbehaviour(from_environment());
  return *wanted;
}

CUptiResult refused_call() { return misbehaviour().refuse; }
CUptiResult refused_activity() {
  const Misbehaviour& m = misbehaviour();
  return m.refuse != CUPTI_SUCCESS ? m.refuse : m.refuse_activity;
}

int spoil(void* record) {
  const Misbehaviour& m = misbehaviour();
  const Common at = fields_of(record);
  if (at.start == nullptr) return 1;
  static std::atomic<std::uint64_t> records{0};
  const std::uint64_t number = records.fetch_add(1, std::memory_order_relaxed);
  if (is_turn(m.high_times, number)) *at.start = *at.end = kHighTime;
  if (is_turn(m.early, number)) *at.start = *at.start > kEarlyBy_ns ? *at.start - kEarlyBy_ns : 1;
  if (is_turn(m.stray, number)) *at.correlation = kStrayCorrelation + static_cast<std::uint32_t>(number);
  return is_turn(m.twice, number) ? 2 : 1;
}

void maybe_shut_down() {
  const std::uint64_t after = misbehaviour().shut_down_after;
  if (after == 0) return;
  static std::atomic<std::uint64_t> calls{0};
  if (calls.fetch_add(1, std::memory_order_relaxed) + 1 != after) return;
  if (callback_wanted(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR)) {
    CUpti_StateData data{};
    data.notification.result = CUPTI_ERROR_UNKNOWN;
    data.notification.message = "asked for by ZEROSTALL_SIM_CUPTI_FAULTS";
    call_subscriber(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &data);
  }
  cuptiFinalize();
}

}  // namespace zerostall::simgpu::cupti
