// A program given to NVRTC: nothing is compiled, but the result names the kernels of the source, so that modules made
// of it can be loaded and their kernels launched by name.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zerostall::simgpu::nvrtc {

struct Kernel {
  std::string name;    // as written
  std::string symbol;  // as linked: the name itself for extern "C"
  bool is_template = false;
};

// The `__global__` functions that a CUDA source defines or declares, in order; comments and strings are skipped.
std::vector<Kernel> kernels_of(std::string_view source);

// The symbol behind a name expression ("scale<float>", "&ns::copy"). Exact for extern "C" kernels. Otherwise the
// argument types are unknown, so that the symbol is a valid, unique one, but not the one a compiler would make. Empty:
// the source has no such kernel.
std::string lowered_name(const std::vector<Kernel>& kernels, std::string_view expression);

// "sm_90" or "compute_90" of the options, with or without "=", else `otherwise`.
std::string architecture(const std::vector<std::string>& options, const std::string& otherwise);

// Text that a module can be loaded from: an empty entry for each symbol.
std::string ptx_for(const std::vector<std::string>& symbols, const std::string& architecture);
// The same inside an ELF header, since some callers look at the first bytes.
std::string cubin_for(const std::string& ptx);

}  // namespace zerostall::simgpu::nvrtc
