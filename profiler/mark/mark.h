// Step marks for programs under test: NVTX ranges that zerostall splits steps by. For C (C99) and C++; header only, as
// NVTX is, so that nothing has to be linked. Does nothing (a few nanoseconds a call) unless a tool is attached.
//
//   for (int n = 0; n < steps; ++n) {
//     zerostall_step_begin(n);                                        // "step 17" in domain "zerostall"
//     zerostall_region_push("load");                                  // counters can be asked for one region
//     batch = next();
//     zerostall_region_pop();
//     train_step(batch);
//     zerostall_step_end();
//   }
//
// The same in C++, which ends them by itself:
//
//   for (int n = 0; n < steps; ++n) {
//     zerostall::mark::Step step(n);
//     { zerostall::mark::Region load("load"); batch = next(); }
//     { zerostall::mark::Region train("train"); train_step(batch); }
//   }
//
// Ranges nest per thread: open and close them on one thread, in stack order. Regions of one name in one step are
// summed. Texts are copied by the tool during the call. Any thread may call.
#ifndef ZEROSTALL_MARK_H
#define ZEROSTALL_MARK_H

#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>

// How the functions are defined: libzerostall_mark.so exports them (mark.c).
#ifndef ZEROSTALL_MARK_FUNCTION
#define ZEROSTALL_MARK_FUNCTION static inline
#endif

// Null while no tool is attached. One for all threads of this copy; all copies have the same name, which is what
// counts.
ZEROSTALL_MARK_FUNCTION nvtxDomainHandle_t zerostall_mark_domain(void) {
  static nvtxDomainHandle_t shared = NULL;
  nvtxDomainHandle_t known = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
  if (known != NULL) return known;
  nvtxDomainHandle_t fresh = nvtxDomainCreateA("zerostall");
  if (fresh == NULL) return NULL;
  // Another thread may have been faster: ranges must end in the domain they began in.
  return __atomic_compare_exchange_n(&shared, &known, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ? fresh : known;
}

ZEROSTALL_MARK_FUNCTION nvtxEventAttributes_t zerostall_mark_event(const char* text) {
  nvtxEventAttributes_t event;
  memset(&event, 0, sizeof event);
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = text;
  return event;
}

// A named sub-range of a step.
ZEROSTALL_MARK_FUNCTION void zerostall_region_push(const char* name) {
  const nvtxDomainHandle_t domain = zerostall_mark_domain();
  if (domain == NULL) return;
  const nvtxEventAttributes_t event = zerostall_mark_event(name);
  nvtxDomainRangePushEx(domain, &event);
}
ZEROSTALL_MARK_FUNCTION void zerostall_region_pop(void) {
  const nvtxDomainHandle_t domain = zerostall_mark_domain();
  if (domain != NULL) nvtxDomainRangePop(domain);
}

// One training step (optimizer update).
ZEROSTALL_MARK_FUNCTION void zerostall_step_begin(long number) {
  if (zerostall_mark_domain() == NULL) return;
  char text[32];
  snprintf(text, sizeof text, "step %ld", number);
  zerostall_region_push(text);
}
ZEROSTALL_MARK_FUNCTION void zerostall_step_end(void) { zerostall_region_pop(); }

// Takes back the step that this thread is in, which must be ended all the same: for loops that begin a step before they
// know whether there is one more batch.
ZEROSTALL_MARK_FUNCTION void zerostall_step_cancel(void) {
  const nvtxDomainHandle_t domain = zerostall_mark_domain();
  if (domain == NULL) return;
  const nvtxEventAttributes_t event = zerostall_mark_event("no step");
  nvtxDomainMarkEx(domain, &event);
}

// Where a step has no end that could be marked: one call at its start, and it lasts to the next such call. The last
// step of a run then has no end and is not judged. Not together with zerostall_step_begin: ranges win.
ZEROSTALL_MARK_FUNCTION void zerostall_step_mark(long number) {
  const nvtxDomainHandle_t domain = zerostall_mark_domain();
  if (domain == NULL) return;
  char text[32];
  snprintf(text, sizeof text, "step %ld", number);
  const nvtxEventAttributes_t event = zerostall_mark_event(text);
  nvtxDomainMarkEx(domain, &event);
}

#ifdef __cplusplus
namespace zerostall::mark {

// A named sub-range of a step, open while the object lives.
class Region {
 public:
  explicit Region(const char* name) { zerostall_region_push(name); }
  ~Region() { zerostall_region_pop(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};

// One training step (optimizer update), open while the object lives.
class Step {
 public:
  explicit Step(long number) { zerostall_step_begin(number); }
  ~Step() { zerostall_step_end(); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
};

}  // namespace zerostall::mark
#endif

#endif  // ZEROSTALL_MARK_H
