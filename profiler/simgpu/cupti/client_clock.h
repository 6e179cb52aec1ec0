// Records in the client's own clock. A client (PyTorch's Kineto) may register a clock of its own, which is real time,
// while the device's times are virtual and may run ahead of it. Host times of records are then readings of that clock.
// Device times are converted so that: work begins no earlier than the call that launched it; work ends no later than
// the call that waited for it; order is kept; and durations are the modelled ones wherever real time leaves room for
// them (else all work since the last wait is squeezed into the time there was). So conversion waits until the host has
// waited, and records of GPU work are held back until then: as many as the launch queues hold.
#pragma once
#include <cupti.h>

#include <cstdint>

#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {

void set_client_clock(CUpti_TimestampCallbackFunc clock);  // null: records carry virtual time
bool has_client_clock();

// Host time for records: the client's clock, or the virtual one (then no two readings are equal).
std::uint64_t host_time();

// The calling thread enters an API call at `host_time` / leaves it at `host_time`. `waited`: the call found GPU work
// finished, so that work must lie before its end.
void clock_enter(std::uint64_t host_time);
void clock_exit(std::uint64_t host_time, bool waited);
std::uint64_t clock_entered();  // when the thread entered the call it is in

// A GPU record to be written with converted times.
void hold_back(const GpuItem& item);

// Writes all that is held back; what has not ended yet is made to end now.
void release_held_back();

// A virtual time in the client's clock, without waiting: for time stamps of events.
std::uint64_t to_client(std::int64_t virtual_ns);

void detach_client_clock();  // drops what is held back
void forget_client_clock();  // after fork

}  // namespace zerostall::simgpu::cupti
