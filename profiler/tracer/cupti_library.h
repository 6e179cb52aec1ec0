// Which copy of libcupti the tracer uses. Programs bring several: PyTorch's wheel, Triton, the toolkit. Two copies in
// one process compete for the one subscription, and one of another CUDA version sees no calls at all.
//
// The rules, in order: what is loaded already; what lies beside the CUDA libraries the process has loaded (the wheels'
// folders, a toolkit's extras/CUPTI); LD_LIBRARY_PATH; the toolkit. Never a folder called `stubs`. The major version
// must be that of the CUDA runtime in use, where one is loaded.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zerostall::tracer {

// What the choice depends on.
struct CuptiSurroundings {
  std::vector<std::string> loaded;    // paths of the libraries of this process
  std::string search_path;            // LD_LIBRARY_PATH
  std::vector<std::string> toolkits;  // folders of CUDA toolkits
  int driver_major = 0;               // CUDA version the driver is for; 0 = not known
};

// Of this process, as it is now.
CuptiSurroundings cupti_surroundings();

// CUDA versions whose libcupti fits, the best first: those of the loaded runtimes, else what the driver can do, else
// all that are known here.
std::vector<int> fitting_majors(const CuptiSurroundings& around);

struct CuptiOffer {
  std::string path;
  bool loaded = false;
};

// Copies to try, the best first. Looks at the disk; loads nothing.
std::vector<CuptiOffer> cupti_offers(const CuptiSurroundings& around);

// Copies of libcupti among loaded libraries; those of the simulated GPU are forwarders to one, and count as one.
int count_cupti_copies(const std::vector<std::string>& loaded);

// Whether any library of CUDA is among them: its driver, its runtime or libcupti.
bool uses_cuda(const std::vector<std::string>& loaded);

// CUDA's major version of what cuptiGetVersion said: 12, 13; 0 = a version that is not known here.
int cuda_major_of(std::uint32_t cupti_version);

// The chosen copy. `handle` is null where none is usable; `problem` then says why, and what to do.
struct CuptiLibrary {
  void* handle = nullptr;
  std::string path;  // as it is on this machine; traces tell it by stored_path()
  std::uint32_t version = 0;
  int copies = 0;  // loaded in the process, this one included
  std::string problem;
};
CuptiLibrary open_cupti(const CuptiSurroundings& around);

// What is wrong with several copies; "" for one.
std::string copies_warning(int copies);

}  // namespace zerostall::tracer
