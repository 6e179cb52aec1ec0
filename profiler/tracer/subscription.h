// The one subscription for CUPTI callbacks a process has, and whether it still is ours. A later tool can shut CUPTI
// down under us, or take the GPU records: that must show in the trace, never as counts that are too small.
#pragma once
#include <mutex>
#include <string>

#include "profiler/tracer/cupti_api.h"

namespace zerostall::tracer {

// Takes the subscription. False: `error` says who holds it, or what is wrong, and what to do. To be called before any
// other function of CUPTI that needs a driver.
bool subscribe(const CuptiApi& api, CUpti_CallbackFunc callback, CUpti_SubscriberHandle* subscriber,
               std::string* error);

// What `subscribe` says of a result; `holder` = the name of the tool that has the subscription, "" = not known.
std::string why_not_subscribed(CUptiResult result, const std::string& holder);

// A callback of the STATE domain: a fatal error, after which CUPTI detaches itself.
void on_cupti_state(CUpti_CallbackId id, const void* data);

// Whether callbacks can still arrive. False once CUPTI was shut down: then nothing of it must be called any more, since
// that would start it again.
bool cupti_is_alive();

// CUPTI wants the calls that switch callbacks on or off, or ask whether they are, one at a time.
std::mutex& callback_state_lock();

// Looks at what other tools may have changed since the last time, and writes a note for each of it, once: CUPTI shut
// down, buffers no longer per thread, the clock set; with `everything` (at the start and at the end) also another copy
// of libcupti. Cheap without; called by the tracer's background thread. Any thread.
void check_surroundings(bool everything);

}  // namespace zerostall::tracer
