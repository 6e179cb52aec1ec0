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
constexpr std::uintptr_t kMostScanned = 1280, kPage = 4096;

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

const void* pointer_at(std::uintptr_t address) {
  const void* value = nullptr;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

bool is_device(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) >= kPage && simulator().memory.find(p).kind == MemoryKind::device;
}

bool is_device_or_null(std::uint64_t word) { return word == 0 || is_device(reinterpret_cast<const void*>(word)); }

// The end of PyTorch's ReduceOp (aten/src/ATen/native/cuda/Reduce.cuh): source, two targets of which the second holds
// anything when there is one output, three buffers, an index, two flags and the number of outputs.
bool ends_reduction(const std::array<std::uint64_t, 8>& words) {
  const auto flag = [&](int byte) { return (words[7] >> (8 * byte) & 0xff) <= 1; };
  const std::uint64_t outputs = words[7] >> 32;
  return words[0] != 0 && is_device_or_null(words[0]) && words[1] != 0 && is_device_or_null(words[1]) &&
         is_device_or_null(words[3]) && is_device_or_null(words[4]) && is_device_or_null(words[5]) &&
         words[6] < std::uint64_t{1} << 48 && flag(0) && flag(1) && (outputs == 1 || outputs == 2);
}

// Offset of a reduction's (first) target in an argument of unknown size. Unused fields before it hold old pointers.
std::int64_t find_target(const void* argument) {
  const auto begin = reinterpret_cast<std::uintptr_t>(argument);
  if (begin % sizeof(void*)) return kUnknown;
  std::array<std::uint64_t, 8> words{};
  for (std::uintptr_t at = begin; at < begin + kMostScanned; at += sizeof(void*)) {
    if (at % kPage == 0 && !readable(at)) break;
    std::rotate(words.begin(), words.begin() + 1, words.end());
    words.back() = reinterpret_cast<std::uint64_t>(pointer_at(at));
    const std::uintptr_t first = at - (words.size() - 1) * sizeof(void*);
    if (at >= begin + (words.size() - 1) * sizeof(void*) && ends_reduction(words))
      return static_cast<std::int64_t>(first + sizeof(void*) - begin);
  }
  return kUnknown;
}

// Offset of the first device pointer with another one `gap` bytes behind it, in an argument of unknown size. One alone
// may be what an unused field happens to hold.
std::int64_t find_pair(const void* argument, std::uintptr_t gap) {
  const auto begin = reinterpret_cast<std::uintptr_t>(argument);
  if (begin % sizeof(void*)) return kUnknown;
  std::vector<bool> device;  // by pointer-sized piece
  for (std::uintptr_t at = begin; at < begin + kMostScanned; at += sizeof(void*)) {
    if (at % kPage == 0 && !readable(at)) break;
    device.push_back(is_device(pointer_at(at)));
    const std::size_t back = gap / sizeof(void*);
    if (device.back() && device.size() > back && device[device.size() - 1 - back])
      return static_cast<std::int64_t>(at - begin - gap);
  }
  return kUnknown;
}

std::int64_t find_place(const char* name, void** arguments) {
  const std::string function = demangled(name);
  const std::vector<std::string> types = parameters(function);
  const auto number_of = [&](const auto& it) { return static_cast<std::int64_t>(it - types.begin()); };
  for (const auto fits : {is_array, is_writable_pointer, is_writable_tensor})
    if (const auto it = std::find_if(types.begin(), types.end(), fits); it != types.end())
      return number_of(it) * kOffsets;
  // The last lambda: those before it compute.
  const auto it = std::find_if(types.rbegin(), types.rend(), [](auto& t) { return is_reduction(t) || is_lambda(t); });
  if (it == types.rend()) return kUnknown;
  const std::int64_t number = number_of(it.base() - 1);
  if (!arguments[number]) return kUnknown;
  if (is_lambda(*it) && is_device(pointer_at(reinterpret_cast<std::uintptr_t>(arguments[number]))))
    return number * kOffsets;
  // All hold what they read before what they write; scatter's lambda has two numbers in between.
  if (is_reduction(*it)) {
    const std::int64_t offset = find_target(arguments[number]);
    return offset < 0 ? kUnknown : number * kOffsets + offset;
  }
  const bool scatters = function.find("_scatter_gather_elementwise_kernel") != function.npos;
  const std::int64_t gap = sizeof(void*) * (scatters ? 3 : 1);
  const std::int64_t offset = find_pair(arguments[number], static_cast<std::uintptr_t>(gap));
  if (offset < 0) return kUnknown;
  return number * kOffsets + offset + (scatters ? gap : 0);
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
