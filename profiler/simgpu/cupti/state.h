// State shared by the callback part and the activity part of the simulated libcupti.
#pragma once
#include <cupti.h>

#include <cstdint>

#include "profiler/simgpu/core/hooks.h"

namespace zerostall::simgpu::cupti {

// Installed in core while a callback or an activity kind is on; removed when nothing is.
void update_hooks();
bool callbacks_wanted();
bool activities_wanted();

// Callback part.
void callback_enter(CallInfo& call);
void callback_exit(CallInfo& call, const int* result);

// Activity part.
void activity_enter(CallInfo& call);
void activity_exit(const CallInfo& call, int result);
void activity_work(const Work& work);
void activity_sync(const SyncInfo& sync);

// The virtual clock; every reading differs from every other, so that records can be put in order.
std::uint64_t timestamp();

// Generated: CUPTI's name of a callback id, or null.
const char* callback_name(int domain, std::uint32_t id);
std::uint32_t callback_count(int domain);  // ids are below this

inline constexpr std::uint32_t kContext = 1, kDevice = 0;

}  // namespace zerostall::simgpu::cupti
