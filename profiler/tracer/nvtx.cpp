// NVTX: ranges and marks of the program, taken by our own injection (works without a GPU, costs no CUPTI records).
// Entry point: InitializeInjectionNvtx2, which the header-only NVTX calls at the first NVTX call of each library.
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <string>
#include <utility>

#include "profiler/tracer/collector.h"
#include "profiler/tracer/cupti_api.h"
#include "profiler/tracer/window.h"

// NVTX leaves these opaque to tools to define. Both are created once per name by programs and never freed.
struct nvtxDomainRegistration_st {
  std::uint32_t name;
};
struct nvtxStringRegistration_st {
  std::uint32_t text;
  std::string name;
};

namespace zerostall::tracer {
namespace {

using format::MarkKind;

constexpr int kNoLevel = -2;   // of ranges that do not nest
thread_local int t_level = 0;  // what push and pop return; 0 = outside every range
std::atomic<std::uint64_t> g_next_range{1};

std::uint32_t text_of(const nvtxEventAttributes_t* event) {
  if (!event) return 0;
  switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return event->message.ascii ? collector().string_id(event->message.ascii) : 0;
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return event->message.registered ? event->message.registered->text : 0;
    default:
      return 0;  // wide characters: no program on Linux has been seen to use them
  }
}

std::uint32_t name_of(nvtxDomainHandle_t domain) { return domain ? domain->name : 0; }

void emit(MarkKind kind, std::uint32_t domain, std::uint32_t text, std::uint64_t range = 0) {
  if (!in_window()) return;
  format::MarkRecord m{};
  m.time_ns = timestamp_ns();
  m.range = range;
  m.domain = domain;
  m.text = text;
  m.kind = kind;
  collector().add(m);
}

// The simulated GPU wants to know the ranges too (values by range); NVTX has room for one injection only, and that is
// us. Both null on a real GPU.
struct SimulatorRanges {
  void (*push)(const char*) = reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "zerostall_sim_range_push"));
  void (*pop)() = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "zerostall_sim_range_pop"));
};
const SimulatorRanges& simulator_ranges() {
  static const SimulatorRanges ranges;
  return ranges;
}

const char* name_of(const nvtxEventAttributes_t* event) {
  if (!event) return "";
  if (event->messageType == NVTX_MESSAGE_TYPE_ASCII) return event->message.ascii;
  if (event->messageType == NVTX_MESSAGE_TYPE_REGISTERED && event->message.registered)
    return event->message.registered->name.c_str();
  return "";
}

int push(std::uint32_t domain, std::uint32_t text, const char* name) {
  if (const auto tell = simulator_ranges().push) tell(name);
  before_range(name ? name : "", t_level);
  emit(MarkKind::push, domain, text);
  return t_level++;
}
int pop(std::uint32_t domain) {
  if (const auto tell = simulator_ranges().pop) tell();
  emit(MarkKind::pop, domain, 0);
  if (t_level == 0) return -1;
  after_range(--t_level);
  return t_level;
}
std::uint64_t start(std::uint32_t domain, std::uint32_t text, const char* name) {
  before_range(name ? name : "", kNoLevel);
  const std::uint64_t range = g_next_range++;
  emit(MarkKind::start, domain, text, range);
  return range;
}

void mark(std::uint32_t domain, std::uint32_t text, const char* name) {
  before_instant(name ? name : "");
  emit(MarkKind::instant, domain, text);
  after_instant(name ? name : "");
}

void NVTX_API mark_a(const char* text) { mark(0, collector().string_id(text ? text : ""), text); }
void NVTX_API mark_ex(const nvtxEventAttributes_t* e) { mark(0, text_of(e), name_of(e)); }
int NVTX_API push_a(const char* text) { return push(0, collector().string_id(text ? text : ""), text); }
int NVTX_API push_ex(const nvtxEventAttributes_t* e) { return push(0, text_of(e), name_of(e)); }
int NVTX_API pop_default() { return pop(0); }
nvtxRangeId_t NVTX_API start_a(const char* text) { return start(0, collector().string_id(text ? text : ""), text); }
nvtxRangeId_t NVTX_API start_ex(const nvtxEventAttributes_t* e) { return start(0, text_of(e), name_of(e)); }
void NVTX_API end_default(nvtxRangeId_t range) { emit(MarkKind::end, 0, 0, range); }

// What a handle of the program stands for lives as long as the process; listed, so that no leak checker takes it for
// lost.
template <class T>
T* keep(T value) {
  struct Kept {
    T value;
    Kept* next;
  };
  static constinit std::atomic<Kept*> all{nullptr};
  auto* kept = new Kept{std::move(value), all.load(std::memory_order_relaxed)};
  while (!all.compare_exchange_weak(kept->next, kept, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return &kept->value;
}

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  return keep(nvtxDomainRegistration_st{collector().string_id(name ? name : "")});
}
nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t, const char* text) {
  return keep(nvtxStringRegistration_st{collector().string_id(text ? text : ""), text ? text : ""});
}
void NVTX_API domain_mark(nvtxDomainHandle_t d, const nvtxEventAttributes_t* e) {
  mark(name_of(d), text_of(e), name_of(e));
}
int NVTX_API domain_push(nvtxDomainHandle_t d, const nvtxEventAttributes_t* e) {
  return push(name_of(d), text_of(e), name_of(e));
}
int NVTX_API domain_pop(nvtxDomainHandle_t d) { return pop(name_of(d)); }
nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t d, const nvtxEventAttributes_t* e) {
  return start(name_of(d), text_of(e), name_of(e));
}
void NVTX_API domain_end(nvtxDomainHandle_t d, nvtxRangeId_t range) { emit(MarkKind::end, name_of(d), 0, range); }

struct Slot {
  unsigned id;
  NvtxFunctionPointer function;
};

template <class F>
Slot slot(unsigned id, F* function) {
  return {id, reinterpret_cast<NvtxFunctionPointer>(function)};
}

void install(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module, std::initializer_list<Slot> slots) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks.GetModuleFunctionTable(module, &table, &size)) return;
  for (const Slot& s : slots)
    if (s.id < size) *table[s.id] = s.function;
}

}  // namespace
}  // namespace zerostall::tracer

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  using namespace zerostall::tracer;
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  if (!callbacks || !has_clock()) return 0;  // without CUPTI's clock the marks could not be placed
  install(*callbacks, NVTX_CB_MODULE_CORE,
          {slot(NVTX_CBID_CORE_MarkA, mark_a), slot(NVTX_CBID_CORE_MarkEx, mark_ex),
           slot(NVTX_CBID_CORE_RangePushA, push_a), slot(NVTX_CBID_CORE_RangePushEx, push_ex),
           slot(NVTX_CBID_CORE_RangePop, pop_default), slot(NVTX_CBID_CORE_RangeStartA, start_a),
           slot(NVTX_CBID_CORE_RangeStartEx, start_ex), slot(NVTX_CBID_CORE_RangeEnd, end_default)});
  install(
      *callbacks, NVTX_CB_MODULE_CORE2,
      {slot(NVTX_CBID_CORE2_DomainCreateA, create_domain), slot(NVTX_CBID_CORE2_DomainRegisterStringA, register_string),
       slot(NVTX_CBID_CORE2_DomainMarkEx, domain_mark), slot(NVTX_CBID_CORE2_DomainRangePushEx, domain_push),
       slot(NVTX_CBID_CORE2_DomainRangePop, domain_pop), slot(NVTX_CBID_CORE2_DomainRangeStartEx, domain_start),
       slot(NVTX_CBID_CORE2_DomainRangeEnd, domain_end)});
  return 1;
}
