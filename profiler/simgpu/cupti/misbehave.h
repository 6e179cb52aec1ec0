// What real copies of CUPTI have been seen to do wrong, on demand, for tests of tools:
// ZEROSTALL_SIM_CUPTI_FAULTS="NAME=VALUE,NAME=VALUE..."
//
//   refuse=CODE            every call that needs a driver gives this CUptiResult: 15, 999 (no driver), 2, 35, 39
//   refuse-activity=CODE   the activity functions do, while the subscription works
//   holder=NAME            a tool of that name has subscribed before anybody of this process
//   without-names=1        the name of the holder is not told, as by cuptiSubscribe
//   high-times=N           each N-th GPU record has times of 0x8000000000000000 (device buffers used up)
//   early=N                ... begins 1 ms before the call that launched it
//   twice=N                ... comes twice
//   stray=N                ... carries a correlation id that belongs to no call
//   only-forced=1          cuptiActivityFlushAll(0) hands nothing over
//   hoard=1                buffers never come back, and each record asks for a new one
//   shut-down-after=N      at the N-th call of the API a fatal error: CUPTI finalizes itself
//   old=1                  the version of CUDA 12.4; a client that gives no buffer is aborted: those wrote there all
//   the same
//
// Read when the library is loaded; a mistake in it ends the process with one line and exit code 2. Costs one load where
// nothing is asked.
#pragma once
#include <cupti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace zerostall::simgpu::cupti {

struct Misbehaviour {
  CUptiResult refuse = CUPTI_SUCCESS, refuse_activity = CUPTI_SUCCESS;
  std::string holder;
  bool without_names = false;
  std::uint64_t high_times = 0, early = 0, twice = 0, stray = 0;
  bool only_forced = false, hoard = false, old = false;
  std::uint64_t shut_down_after = 0;
};

// False with one line in `error`: nothing is changed.
bool parse_misbehaviour(const std::string& text, Misbehaviour& wanted, std::string* error);

extern std::atomic<bool> g_misbehaves;  // whether anything is asked for
const Misbehaviour& misbehaviour();
inline bool misbehaves() { return g_misbehaves.load(std::memory_order_relaxed); }

// CUPTI_SUCCESS, or what a function of that group must answer instead of doing its work.
CUptiResult refused_call();
CUptiResult refused_activity();

// Changes a record of GPU work as asked. How often it is to be written: 1 or 2.
int spoil(void* record);

// At each call of the API, before it is reported: finalizes where asked. The STATE subscriber is told first.
void maybe_shut_down();

}  // namespace zerostall::simgpu::cupti
