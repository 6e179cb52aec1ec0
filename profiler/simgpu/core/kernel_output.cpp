#include "profiler/simgpu/core/kernel_output.h"

#include <cxxabi.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/simgpu/core/functions.h"
#include "profiler/simgpu/core/simulator.h"

namespace zerostall::simgpu {
namespace {

constexpr std::int64_t kUnknown = -1;
constexpr std::int64_t kOffsets = 1 << 16;  // a place is: number of the argument * kOffsets + offset in bytes
constexpr std::uintptr_t kMostScanned = 1024, kPage = 4096;

// Allocators of frameworks hand out multiples of 256 bytes and more; views of them begin anywhere.
constexpr int kTableBits = 14;
std::array<std::atomic<const void*>, 1 << kTableBits> g_outputs;

std::atomic<const void*>& slot_of(const void* address) {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // neighbours end up far apart
  return g_outputs[reinterpret_cast<std::uintptr_t>(address) / 16 * kSpread >> (64 - kTableBits)];
}

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string copy = status == 0 && text ? text : "";
  std::free(text);
  return copy;
}

bool opens(char c) { return c == '(' || c == '<' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == '>' || c == ']' || c == '}'; }

std::string trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

// "void f<(int)4>(int, T const*)" -> {"int", "T const*"}.
std::vector<std::string> parameters(std::string_view function) {
  std::vector<std::string> list;
  if (!function.ends_with(')')) return list;
  int depth = 0;
  std::size_t end = function.size() - 1;
  for (std::size_t i = function.size(); i-- > 0;) {
    if (closes(function[i])) ++depth;
    const bool begins = opens(function[i]) && --depth == 0;
    if (!begins && !(depth == 1 && function[i] == ',')) continue;
    list.insert(list.begin(), trimmed(function.substr(i + 1, end - i - 1)));
    end = i;
    if (begins) break;
  }
  return list;
}

std::string_view template_name(std::string_view type) { return type.substr(0, type.find('<')); }

bool of_const(std::string_view type) {  // TensorInfo<float const, unsigned int>
  const std::size_t begin = type.find('<');
  const std::string_view first = type.substr(std::min(begin, type.size()));
  return first.substr(0, first.find_first_of(",>")).ends_with(" const");
}

bool is_array(const std::string& t) {
  return t.starts_with("std::array<char*,") || t.starts_with("at::detail::Array<char*,");
}
bool is_writable_pointer(const std::string& t) { return t.ends_with('*') && !t.ends_with("const*"); }
bool is_writable_tensor(const std::string& t) {
  const std::string_view name = template_name(t);
  return (name.ends_with("TensorInfo") || name.find("TensorAccessor") != name.npos) && !of_const(t);
}
bool is_reduction(const std::string& t) { return template_name(t).ends_with("::ReduceOp"); }
bool is_lambda(const std::string& t) { return t.ends_with('}'); }

bool readable(std::uintptr_t address) {
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address / kPage * kPage), kPage, &resident) == 0;
}

// Offset of the device pointer number `nth` from 0 in an argument of unknown size.
std::int64_t scan(const void* argument, int nth) {
  const auto begin = reinterpret_cast<std::uintptr_t>(argument);
  if (begin % sizeof(void*)) return kUnknown;
  for (std::uintptr_t at = begin; at < begin + kMostScanned; at += sizeof(void*)) {
    if (at % kPage == 0 && !readable(at)) break;
    const void* value = nullptr;
    std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof value);
    if (reinterpret_cast<std::uintptr_t>(value) < kPage) continue;
    if (simulator().memory.find(value).kind == MemoryKind::device && nth-- == 0)
      return static_cast<std::int64_t>(at - begin);
  }
  return kUnknown;
}

struct Holder {  // of pointers, at an offset that its type does not tell
  bool (*fits)(const std::string& type);
  int nth;
};

std::int64_t find_place(const char* name, void** arguments) {
  const std::vector<std::string> types = parameters(demangled(name));
  const auto number_of = [&](const auto& it) { return static_cast<std::int64_t>(it - types.begin()); };
  for (const auto fits : {is_array, is_writable_pointer, is_writable_tensor})
    if (const auto it = std::find_if(types.begin(), types.end(), fits); it != types.end())
      return number_of(it) * kOffsets;
  for (const Holder& holder : {Holder{is_reduction, 1}, Holder{is_lambda, 0}}) {
    const auto it = std::find_if(types.rbegin(), types.rend(), holder.fits);  // the last lambda: those before compute
    if (it == types.rend()) continue;
    const std::int64_t number = number_of(it.base() - 1);
    if (!arguments[number]) return kUnknown;
    const std::int64_t offset = scan(arguments[number], holder.nth);
    return offset < 0 ? kUnknown : number * kOffsets + offset;
  }
  return kUnknown;
}

}  // namespace

void* output_of(Function& f, void** arguments) {
  if (!arguments) return nullptr;
  std::int64_t place = f.output.load(std::memory_order_relaxed);
  if (place == Function::kOutputNotLookedUp) f.output = place = find_place(f.name, arguments);
  if (place < 0 || !arguments[place / kOffsets]) return nullptr;
  void* output = nullptr;
  std::memcpy(&output, static_cast<const char*>(arguments[place / kOffsets]) + place % kOffsets, sizeof output);
  return output;
}

void note_output(const void* address) {
  if (address) slot_of(address).store(address, std::memory_order_relaxed);
}

void forget_output(const void* address) {
  if (is_output(address)) slot_of(address).store(nullptr, std::memory_order_relaxed);
}

bool is_output(const void* address) { return slot_of(address).load(std::memory_order_relaxed) == address; }

}  // namespace zerostall::simgpu
