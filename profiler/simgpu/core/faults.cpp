#include "profiler/simgpu/core/faults.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "profiler/simgpu/core/errors.h"
#include "profiler/simgpu/core/fork.h"
#include "profiler/simgpu/core/journal.h"

namespace zerostall::simgpu {

std::atomic<bool> g_faults{false};

namespace {

constexpr int kInitializationError = 3;  // of both APIs

struct Fault {
  std::uint64_t call = 0;  // 0: each
  int error = 0;
};

struct Function {
  std::vector<Fault> faults;
  std::uint64_t calls = 0;
};

struct Faults {
  std::mutex lock;
  std::map<std::string, Function, std::less<>> functions;
  std::set<std::string> given;  // those that have happened
  int sticky = 0;
};

Faults& faults() {
  static Faults* instance = new Faults;
  return *instance;
}

std::string name_and_number(const std::string& function, const Fault& fault) {
  return function + ":" + (fault.call ? std::to_string(fault.call) : "*");
}

// These ask for nothing of the device and work on a broken one.
bool survives(std::string_view function) {
  static const std::set<std::string_view> names = {"cudaGetDevice",
                                                   "cudaSetDevice",
                                                   "cudaGetDeviceCount",
                                                   "cudaDriverGetVersion",
                                                   "cudaRuntimeGetVersion",
                                                   "cudaDeviceGetAttribute",
                                                   "cudaDeviceGetPCIBusId",
                                                   "cudaDeviceCanAccessPeer",
                                                   "cudaGetDeviceProperties",
                                                   "cudaGetDriverEntryPointByVersion",
                                                   "cudaThreadExchangeStreamCaptureMode",
                                                   "cuInit",
                                                   "cuDriverGetVersion",
                                                   "cuCtxGetCurrent",
                                                   "cuCtxSetCurrent",
                                                   "cuCtxGetDevice",
                                                   "cuCtxPushCurrent_v2",
                                                   "cuCtxPopCurrent_v2",
                                                   "cuGetProcAddress_v2"};
  return function.starts_with("cuDevice") || names.contains(function);
}

// A name of the CUDA APIs, or a number: statuses of libraries have no names here.
int number_of(const std::string& error) {
  const bool digits = !error.empty() && error.size() < 6 && error.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::stoi(error) : error_number(error);
}

// "cudaMalloc:3=cudaErrorMemoryAllocation"
bool parse_entry(const std::string& entry, std::map<std::string, Function, std::less<>>& into, std::string* error) {
  const auto fail = [&](const char* why) {
    *error = "'" + entry + "': " + why;
    return false;
  };
  const auto colon = entry.find(':'), equals = entry.find('=');
  if (colon == std::string::npos || equals == std::string::npos || equals < colon || colon == 0)
    return fail("needs FUNCTION:NUMBER=ERROR, such as cudaMalloc:3=cudaErrorMemoryAllocation");
  const std::string function = entry.substr(0, colon), number = entry.substr(colon + 1, equals - colon - 1);
  Fault fault;
  fault.error = number_of(entry.substr(equals + 1));
  if (fault.error <= 0) return fail("no such error");
  if (function.compare(0, 2, "cu") != 0) return fail("no function of the CUDA runtime or driver");
  if (number != "*") {
    if (number.empty() || number.size() > 18 || number.find_first_not_of("0123456789") != std::string::npos)
      return fail("the number of the call is a whole number above 0, or *");
    fault.call = std::stoull(number);
    if (fault.call == 0) return fail("calls are counted from 1");
  }
  into[function].faults.push_back(fault);
  return true;
}

}  // namespace

bool set_faults(const std::string& specification, std::string* error) {
  std::map<std::string, Function, std::less<>> wanted;
  std::istringstream entries(specification);
  for (std::string entry; std::getline(entries, entry, ';');) {
    const auto first = entry.find_first_not_of(" \n"), last = entry.find_last_not_of(" \n");
    if (first == std::string::npos) continue;
    if (!parse_entry(entry.substr(first, last - first + 1), wanted, error)) return false;
  }
  Faults& f = faults();
  std::lock_guard guard(f.lock);
  f.functions = std::move(wanted);
  f.given.clear();
  f.sticky = 0;
  g_faults = !f.functions.empty() || g_forked;
  return true;
}

namespace {

// `library`: the status that a function of a library answers on a broken device; 0: a function of the CUDA API.
int fault_of(std::string_view name, int library) {
  if (name.starts_with("__")) name.remove_prefix(2);  // __cudaLaunchKernel: what <<<>>> compiles to
  if (g_forked.load(std::memory_order_relaxed))
    return needs_no_device(name) ? 0 : library ? library : kInitializationError;
  Faults& f = faults();
  std::lock_guard guard(f.lock);
  if (f.sticky && !survives(name)) return library ? library : f.sticky;
  const auto it = f.functions.find(name);
  if (it == f.functions.end()) return 0;
  const std::uint64_t call = ++it->second.calls;
  for (const Fault& fault : it->second.faults)
    if (fault.call == 0 || fault.call == call) {
      if (!library && is_sticky(fault.error)) f.sticky = fault.error;
      f.given.insert(name_and_number(it->first, fault));
      return fault.error;
    }
  return 0;
}

// A fault that was asked for and never happened is most likely a misspelt name.
void report_missed_faults() {
  Faults& f = faults();
  if (g_forked) return;
  std::lock_guard guard(f.lock);
  for (const auto& [name, function] : f.functions)
    for (const Fault& fault : function.faults)
      if (!f.given.contains(name_and_number(name, fault)))
        std::fprintf(stderr, "[zerostall] ZEROSTALL_SIM_FAULT: %s did not happen: the function was called %llu times\n",
                     name_and_number(name, fault).c_str(), static_cast<unsigned long long>(function.calls));
}

}  // namespace

void load_faults() {
  const char* text = std::getenv("ZEROSTALL_SIM_FAULT");
  std::string error;
  if (!text || !*text) return;
  if (set_faults(text, &error)) {
    std::atexit(report_missed_faults);
    return;
  }
  std::fprintf(stderr, "[zerostall] ZEROSTALL_SIM_FAULT: %s\n", error.c_str());
  std::fflush(nullptr);
  _exit(2);
}

int fault_of_call(Counter* counter) { return fault_of(counter->function, 0); }
int library_fault_of_call(const char* function, int not_initialized) { return fault_of(function, not_initialized); }

}  // namespace zerostall::simgpu
