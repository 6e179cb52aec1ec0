#include "profiler/simgpu/core/errors.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string>

namespace zerostall::simgpu {
namespace {

struct Text {
  int number;
  const char* text;
};

// What programs are known to look for, and what a name alone would not tell. All others: the name in words.
constexpr Text kTexts[] = {
    {0, "no error"},
    {1, "invalid argument"},
    {2, "out of memory"},
    {3, "initialization error"},
    {4, "driver shutting down"},
    {9, "invalid configuration argument"},
    {12, "invalid pitch argument"},
    {13, "invalid device symbol"},
    {21, "invalid copy direction for memcpy"},
    {34, "a stub library was loaded instead of the driver"},
    {35, "CUDA driver version is insufficient for CUDA runtime version"},
    {46, "CUDA-capable device(s) is/are busy or unavailable"},
    {98, "invalid device function"},
    {100, "no CUDA-capable device is detected"},
    {101, "invalid device ordinal"},
    {200, "device kernel image is invalid"},
    {201, "invalid device context"},
    {209, "no kernel image is available for execution on the device"},
    {214, "uncorrectable ECC error encountered"},
    {217, "peer access is not supported between these two devices"},
    {218, "a PTX JIT compilation failed"},
    {304, "OS call failed or operation not supported on this OS"},
    {400, "invalid resource handle"},
    {500, "named symbol not found"},
    {600, "device not ready"},
    {700, "an illegal memory access was encountered"},
    {701, "too many resources requested for launch"},
    {702, "the launch timed out and was terminated"},
    {704, "peer access is already enabled"},
    {705, "peer access has not been enabled"},
    {709, "context is destroyed"},
    {710, "device-side assert triggered"},
    {712, "part or all of the requested memory range is already mapped"},
    {713, "pointer does not correspond to a registered memory region"},
    {714, "hardware stack error"},
    {715, "an illegal instruction was encountered"},
    {716, "misaligned address"},
    {717, "operation not supported on global/shared address space"},
    {718, "invalid program counter"},
    {719, "unspecified launch failure"},
    {720, "too many blocks in cooperative launch"},
    {800, "operation not permitted"},
    {801, "operation not supported"},
    {802, "system not yet initialized"},
    {900, "operation not permitted when stream is capturing"},
    {901, "operation failed due to a previous error during capture"},
    {902, "operation would result in a merge of separate capture sequences"},
    {903, "capture was not ended in the same stream as it began"},
    {904, "capturing stream has unjoined work"},
    {905, "dependency created on uncaptured work in another stream"},
    {906, "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "operation not permitted on an event last recorded in a capturing stream"},
    {908, "attempt to terminate a thread-local capture sequence from another thread"},
    {910, "the graph update was not performed because it included changes which violated constraints"},
    {999, "unknown error"},
};

// "CUDA_ERROR_MAP_FAILED" -> "map failed"
std::string words_of(std::string name) {
  name = name.substr(std::string_view("CUDA_ERROR_").size());
  for (char& c : name) c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

// "cudaErrorMapBufferObjectFailed" -> "map buffer object failed"
std::string words_of_camel(const std::string& name) {
  std::string words;
  for (const char c : name.substr(std::string_view("cudaError").size())) {
    if (std::isupper(static_cast<unsigned char>(c)) && !words.empty()) words += ' ';
    words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

using Texts = std::map<int, std::string>;

const Texts& texts() {
  static const Texts* all = [] {
    auto* t = new Texts;
    for (const Text& text : kTexts) t->emplace(text.number, text.text);
    for (std::size_t i = 0; i < kDriverErrorsCount; ++i)
      t->emplace(kDriverErrors[i].number, words_of(kDriverErrors[i].name));
    for (std::size_t i = 0; i < kRuntimeErrorsCount; ++i)
      t->emplace(kRuntimeErrors[i].number, words_of_camel(kRuntimeErrors[i].name));
    return t;
  }();
  return *all;
}

const char* name_in(const ErrorName* names, std::size_t count, int number) {
  const auto* found = std::find_if(names, names + count, [&](const ErrorName& e) { return e.number == number; });
  return found == names + count ? nullptr : found->name;
}

}  // namespace

const char* runtime_error_name(int number) { return name_in(kRuntimeErrors, kRuntimeErrorsCount, number); }
const char* driver_error_name(int number) { return name_in(kDriverErrors, kDriverErrorsCount, number); }

const char* error_text(int number) {
  const auto it = texts().find(number);
  return it == texts().end() ? nullptr : it->second.c_str();
}

int error_number(std::string_view name) {
  for (std::size_t i = 0; i < kRuntimeErrorsCount; ++i)
    if (name == kRuntimeErrors[i].name) return kRuntimeErrors[i].number;
  for (std::size_t i = 0; i < kDriverErrorsCount; ++i)
    if (name == kDriverErrors[i].name) return kDriverErrors[i].number;
  return -1;
}

bool is_sticky(int error) {
  // Hardware that cannot be trusted, and exceptions of kernels: the documentation tells to end the process.
  constexpr int kSticky[] = {214, 220, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721};
  return std::find(std::begin(kSticky), std::end(kSticky), error) != std::end(kSticky);
}

}  // namespace zerostall::simgpu
