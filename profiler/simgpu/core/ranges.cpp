#include "profiler/simgpu/core/ranges.h"

#include <nvtx3/nvToolsExt.h>

#include <initializer_list>

#include "profiler/base/late_local.h"

// NVTX leaves these opaque to tools to define. Programs create them once per name and never free them.
struct nvtxDomainRegistration_st {};
struct nvtxStringRegistration_st {
  std::string text;
};

namespace zerostall::simgpu {
namespace {

std::vector<std::string>& ranges() { return late_local<std::vector<std::string>>(); }

const char* text_of(const nvtxEventAttributes_t* event) {
  if (!event) return "";
  if (event->messageType == NVTX_MESSAGE_TYPE_ASCII) return event->message.ascii;
  if (event->messageType == NVTX_MESSAGE_TYPE_REGISTERED && event->message.registered)
    return event->message.registered->text.c_str();
  return "";
}

int push(const char* name) {
  push_range(name);
  return static_cast<int>(ranges().size()) - 1;
}
int NVTX_API push_a(const char* text) { return push(text); }
int NVTX_API push_ex(const nvtxEventAttributes_t* e) { return push(text_of(e)); }
int NVTX_API pop() {
  if (ranges().empty()) return -1;
  pop_range();
  return static_cast<int>(ranges().size());
}
int NVTX_API domain_push(nvtxDomainHandle_t, const nvtxEventAttributes_t* e) { return push(text_of(e)); }
int NVTX_API domain_pop(nvtxDomainHandle_t) { return pop(); }
nvtxDomainHandle_t NVTX_API create_domain(const char*) { return new nvtxDomainRegistration_st; }
nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t, const char* text) {
  return new nvtxStringRegistration_st{text ? text : ""};
}

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

void push_range(const char* name) { ranges().emplace_back(name ? name : ""); }

void pop_range() {
  if (!ranges().empty()) ranges().pop_back();
}

const std::vector<std::string>& thread_ranges() { return ranges(); }

}  // namespace zerostall::simgpu

// For a tracer that holds NVTX's one injection slot itself.
extern "C" __attribute__((visibility("default"))) void zerostall_sim_range_push(const char* name) {
  zerostall::simgpu::push_range(name);
}
extern "C" __attribute__((visibility("default"))) void zerostall_sim_range_pop() { zerostall::simgpu::pop_range(); }

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  using namespace zerostall::simgpu;
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  if (!callbacks) return 0;
  install(*callbacks, NVTX_CB_MODULE_CORE,
          {slot(NVTX_CBID_CORE_RangePushA, push_a), slot(NVTX_CBID_CORE_RangePushEx, push_ex),
           slot(NVTX_CBID_CORE_RangePop, pop)});
  install(
      *callbacks, NVTX_CB_MODULE_CORE2,
      {slot(NVTX_CBID_CORE2_DomainCreateA, create_domain), slot(NVTX_CBID_CORE2_DomainRegisterStringA, register_string),
       slot(NVTX_CBID_CORE2_DomainRangePushEx, domain_push), slot(NVTX_CBID_CORE2_DomainRangePop, domain_pop)});
  return 1;
}
