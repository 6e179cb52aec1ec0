// Step marks for programs under test: NVTX ranges that zerostall splits steps by. Header only: NVTX is header only too,
// and does nothing (a few nanoseconds a call) unless a tool is attached. Nothing to link.
//
//   for (int n = 0; n < steps; ++n) {
//     zerostall::mark::Step step(n);                                  // "step 17" in domain "zerostall"
//     { zerostall::mark::Region load("load"); batch = next(); }       // counters can be asked for one region
//     { zerostall::mark::Region train("train"); train_step(batch); }
//   }
//
// Ranges nest per thread: create and destroy them on one thread, in stack order. Regions of one name in one step are
// summed.
#pragma once
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

namespace zerostall::mark {

inline nvtxDomainHandle_t domain() {
  static nvtxDomainHandle_t handle = nvtxDomainCreateA("zerostall");
  return handle;
}

// A named sub-range of a step, open while the object lives. `name` is copied by the tool during the call.
class Region {
 public:
  explicit Region(const char* name) {
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name;
    nvtxDomainRangePushEx(domain(), &event);
  }
  ~Region() { nvtxDomainRangePop(domain()); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};

// One training step (optimizer update), open while the object lives.
class Step {
 public:
  explicit Step(long number) : range_(Name(number).text) {}

 private:
  struct Name {
    explicit Name(long number) { std::snprintf(text, sizeof text, "step %ld", number); }
    char text[32];
  };
  Region range_;
};

}  // namespace zerostall::mark
