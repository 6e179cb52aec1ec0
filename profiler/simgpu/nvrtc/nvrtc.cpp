// NVRTC's entry points. Numbers are those of nvrtc.h, which comes only inside a larger download.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>

#include "profiler/simgpu/core/simulator.h"
#include "profiler/simgpu/nvrtc/program.h"

using namespace zerostall::simgpu;
using namespace zerostall::simgpu::nvrtc;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum Result : int {
  kSuccess = 0,
  kInvalidInput = 3,
  kInvalidProgram = 4,
  kNoNameExpressionsAfterCompilation = 8,
  kNoLoweredNamesBeforeCompilation = 9,
  kNameExpressionNotValid = 10,
};

constexpr int kNvrtcMajor = 13;

struct Program {
  std::string source;
  std::vector<std::string> expressions;
  bool compiled = false;
  std::map<std::string, std::string> lowered;
  std::string ptx, cubin, log;
};

std::mutex g_lock;
std::set<Program*>& programs() {
  static auto* all = new std::set<Program*>;
  return *all;
}
Program* program_of(void* handle) {
  std::lock_guard guard(g_lock);
  const auto it = programs().find(static_cast<Program*>(handle));
  return it == programs().end() ? nullptr : *it;
}

std::string own_architecture() {
  const DeviceModel& m = simulator().model;
  return "compute_" + std::to_string(m.compute_major * 10 + m.compute_minor);
}

bool compile(Program* p, const std::vector<std::string>& options) {
  const std::vector<Kernel> kernels = kernels_of(p->source);
  std::vector<std::string> symbols;
  for (const Kernel& k : kernels)
    if (!k.is_template) symbols.push_back(k.symbol);
  for (const std::string& expression : p->expressions) {
    const std::string symbol = lowered_name(kernels, expression);
    if (symbol.empty()) {
      p->log = "error: name expression '" + expression + "' names no __global__ function of the source\n";
      return false;
    }
    p->lowered[expression] = symbol;
    if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) symbols.push_back(symbol);
  }
  const std::string arch = architecture(options, own_architecture());
  p->ptx = ptx_for(symbols, arch);
  p->cubin = arch.starts_with("sm_") ? cubin_for(p->ptx) : "";  // none for virtual architectures, as documented
  p->compiled = true;
  return true;
}

int give_size(void* handle, std::size_t* size, const std::string Program::*text, std::size_t extra) {
  const Program* p = program_of(handle);
  if (!p) return kInvalidProgram;
  if (!size) return kInvalidInput;
  *size = (p->*text).size() + extra;
  return kSuccess;
}
int give(void* handle, char* out, const std::string Program::*text, std::size_t extra) {
  const Program* p = program_of(handle);
  if (!p) return kInvalidProgram;
  if (!out) return kInvalidInput;
  // NOLINTNEXTLINE(bugprone-not-null-terminated-result): `extra` is the end of a text, or nothing
  std::memcpy(out, (p->*text).c_str(), (p->*text).size() + extra);
  return kSuccess;
}

}  // namespace

EXPORT int nvrtcVersion(int* major, int* minor) {
  if (!major || !minor) return kInvalidInput;
  *major = kNvrtcMajor;
  *minor = 0;
  return kSuccess;
}
EXPORT const char* nvrtcGetErrorString(int result) {
  static const char* texts[] = {"NVRTC_SUCCESS",
                                "NVRTC_ERROR_OUT_OF_MEMORY",
                                "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                "NVRTC_ERROR_INVALID_INPUT",
                                "NVRTC_ERROR_INVALID_PROGRAM",
                                "NVRTC_ERROR_INVALID_OPTION",
                                "NVRTC_ERROR_COMPILATION",
                                "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                "NVRTC_ERROR_INTERNAL_ERROR"};
  return result >= 0 && result <= 11 ? texts[result] : "NVRTC_ERROR unknown";
}

namespace {
constexpr int kArchitectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};  // of CUDA 13
}
EXPORT int nvrtcGetNumSupportedArchs(int* count) {
  if (!count) return kInvalidInput;
  *count = static_cast<int>(std::size(kArchitectures));
  return kSuccess;
}
EXPORT int nvrtcGetSupportedArchs(int* architectures) {
  if (!architectures) return kInvalidInput;
  std::copy(std::begin(kArchitectures), std::end(kArchitectures), architectures);
  return kSuccess;
}

EXPORT int nvrtcCreateProgram(void** program, const char* source, const char*, int headers, const char* const* texts,
                              const char* const*) {
  if (!program || !source || headers < 0 || (headers > 0 && !texts)) return kInvalidInput;
  auto made = std::make_unique<Program>();
  made->source = source;
  for (int i = 0; i < headers; ++i) made->source += std::string("\n") + texts[i];
  std::lock_guard guard(g_lock);
  programs().insert(made.get());
  *program = made.release();
  return kSuccess;
}
EXPORT int nvrtcDestroyProgram(void** program) {
  if (!program) return kInvalidProgram;
  std::lock_guard guard(g_lock);
  auto* p = static_cast<Program*>(*program);
  if (programs().erase(p) == 0) return kInvalidProgram;
  delete p;
  *program = nullptr;
  return kSuccess;
}
EXPORT int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  Program* p = program_of(program);
  if (!p) return kInvalidProgram;
  if (count < 0 || (count > 0 && !options)) return kInvalidInput;
  return compile(p, std::vector<std::string>(options, options + count)) ? kSuccess : kNameExpressionNotValid;
}

EXPORT int nvrtcAddNameExpression(void* program, const char* expression) {
  Program* p = program_of(program);
  if (!p) return kInvalidProgram;
  if (!expression) return kInvalidInput;
  if (p->compiled) return kNoNameExpressionsAfterCompilation;
  p->expressions.push_back(expression);
  return kSuccess;
}
EXPORT int nvrtcGetLoweredName(void* program, const char* expression, const char** name) {
  const Program* p = program_of(program);
  if (!p) return kInvalidProgram;
  if (!expression || !name) return kInvalidInput;
  if (!p->compiled) return kNoLoweredNamesBeforeCompilation;
  const auto it = p->lowered.find(expression);
  if (it == p->lowered.end()) return kNameExpressionNotValid;
  *name = it->second.c_str();
  return kSuccess;
}

EXPORT int nvrtcGetPTXSize(void* program, std::size_t* size) { return give_size(program, size, &Program::ptx, 1); }
EXPORT int nvrtcGetPTX(void* program, char* ptx) { return give(program, ptx, &Program::ptx, 1); }
EXPORT int nvrtcGetCUBINSize(void* program, std::size_t* size) { return give_size(program, size, &Program::cubin, 0); }
EXPORT int nvrtcGetCUBIN(void* program, char* cubin) { return give(program, cubin, &Program::cubin, 0); }
EXPORT int nvrtcGetProgramLogSize(void* program, std::size_t* size) {
  return give_size(program, size, &Program::log, 1);
}
EXPORT int nvrtcGetProgramLog(void* program, char* log) { return give(program, log, &Program::log, 1); }
