#include "profiler/tracer/cupti_library.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "profiler/tracer/stored_path.h"

namespace zerostall::tracer {
namespace {

constexpr std::array kKnownMajors = {13, 12};
constexpr std::string_view kCupti = "libcupti.so", kRuntime = "libcudart.so.", kSimulator = "libzerostall_simcore.so";

std::string_view name_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }
std::string_view folder_of(std::string_view path) { return path.substr(0, path.find_last_of('/')); }

// "libcudart.so.13" or "libcudart.so.13.0.48", after the prefix: 13. 0 = no number.
int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_known(int major) { return std::find(kKnownMajors.begin(), kKnownMajors.end(), major) != kKnownMajors.end(); }

bool is_cupti(std::string_view path) {
  const std::string_view name = name_of(path);
  return name.starts_with(kCupti) && (name.size() == kCupti.size() || name[kCupti.size()] == '.');
}

// libcupti.so.13 -> 13. The file's full name (libcupti.so.2025.3.1) does not tell: 0.
int cupti_major(std::string_view path) {
  const std::string_view rest = name_of(path).substr(kCupti.size());
  const int number = rest.empty() ? 0 : leading_number(rest.substr(1));
  return is_known(number) ? number : 0;
}

// The toolkit's `stubs` hold libraries to link against, which answer every call with an error.
bool is_stub(std::string_view path) { return ("/" + std::string(folder_of(path)) + "/").find("/stubs/") != path.npos; }

bool exists(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

// One file may have several spellings: folder/../folder.
bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  return a == b || (stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
                    first.st_ino == second.st_ino);
}

// Libraries that lie in the same installation of CUDA as its libcupti.
bool tells_of_an_installation(std::string_view name) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"libcudart.so", "libtorch_cuda", "libtorch_cpu", "libc10_cuda",
                                                         "libcublas.so"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](auto prefix) { return name.starts_with(prefix); });
}

// Where an installation keeps libcupti, as seen from another of its libraries.
std::vector<std::string> folders_beside(std::string_view library, int major) {
  const std::string folder(folder_of(library));
  const std::string cu = "cu" + std::to_string(major) + "/lib";
  return {folder,                            // one folder for all: nvidia/cu13/lib, lib64
          folder + "/../../cuda_cupti/lib",  // nvidia/cuda_runtime/lib
          folder + "/../../nvidia/" + cu,    // torch/lib
          folder + "/../../nvidia/cuda_cupti/lib",
          folder + "/../extras/CUPTI/lib64",         // a toolkit's lib64
          folder + "/../../../extras/CUPTI/lib64"};  // a toolkit's targets/x86_64-linux/lib
}

std::vector<std::string> split_path(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::vector<std::string> folders_to_search(const CuptiSurroundings& around, int major) {
  std::vector<std::string> folders;
  const auto add = [&](const std::vector<std::string>& more) {
    folders.insert(folders.end(), more.begin(), more.end());
  };
  for (const std::string& library : around.loaded)
    if (tells_of_an_installation(name_of(library))) add(folders_beside(library, major));
  add(split_path(around.search_path));
  for (const std::string& toolkit : around.toolkits)
    add({toolkit + "/extras/CUPTI/lib64", toolkit + "/lib64", toolkit + "/targets/x86_64-linux/lib", toolkit + "/lib"});
  return folders;
}

// The CUDA version of the driver. Only asked where no runtime library tells: a program linked to the static one.
int driver_major() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver) return 0;
  const auto get = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  int version = 0;
  return get && get(&version) == 0 ? version / 1000 : 0;
}

std::uint32_t version_of(void* library) {
  const auto get = reinterpret_cast<int (*)(std::uint32_t*)>(dlsym(library, "cuptiGetVersion"));
  std::uint32_t version = 0;
  return get && get(&version) == 0 ? version : 0;
}

bool contains(const std::vector<int>& all, int one) { return std::find(all.begin(), all.end(), one) != all.end(); }

std::string not_found(const std::vector<int>& majors) {
  const int major = majors.empty() ? kKnownMajors.front() : majors.front();
  return "libcupti.so." + std::to_string(major) + " was not found: install it (pip install nvidia-cuda-cupti" +
         (major == 12 ? "-cu12" : "") + ") or add its folder to LD_LIBRARY_PATH";
}

// Where the dynamic linker itself finds it: its cache. What LD_LIBRARY_PATH has was among the offers, unless it is a
// stub, which the linker would not know.
std::vector<CuptiOffer> offers_of_the_linker(const CuptiSurroundings& around, const std::vector<int>& majors) {
  std::vector<CuptiOffer> offers;
  const auto folders = split_path(around.search_path);
  for (const int major : majors) {
    const std::string name = std::string(kCupti) + "." + std::to_string(major);
    const bool meets_a_stub = std::any_of(folders.begin(), folders.end(), [&](const auto& f) {
      return is_stub(f + "/" + name) && exists(f + "/" + name);
    });
    if (!meets_a_stub) offers.push_back({name, false});
  }
  return offers;
}

std::string path_of(void* handle, const std::string& otherwise) {
  link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name ? map->l_name : otherwise;
}

}  // namespace

CuptiSurroundings cupti_surroundings() {
  CuptiSurroundings around;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* paths) {
        if (info->dlpi_name && *info->dlpi_name)
          static_cast<std::vector<std::string>*>(paths)->emplace_back(info->dlpi_name);
        return 0;
      },
      &around.loaded);
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) around.search_path = path;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(variable); folder && *folder) around.toolkits.emplace_back(folder);
  for (const char* folder : {"/usr/local/cuda", "/usr/local/cuda-13", "/usr/local/cuda-12", "/opt/cuda"})
    around.toolkits.emplace_back(folder);
  const auto is_runtime = [](const std::string& path) { return name_of(path).starts_with(kRuntime); };
  if (std::none_of(around.loaded.begin(), around.loaded.end(), is_runtime)) around.driver_major = driver_major();
  return around;
}

std::vector<int> fitting_majors(const CuptiSurroundings& around) {
  std::vector<int> runtimes, fitting;
  for (const std::string& path : around.loaded)
    if (const std::string_view name = name_of(path); name.starts_with(kRuntime))
      runtimes.push_back(leading_number(name.substr(kRuntime.size())));
  for (const int major : kKnownMajors) {
    const bool fits =
        runtimes.empty() ? around.driver_major == 0 || major <= around.driver_major : contains(runtimes, major);
    if (fits) fitting.push_back(major);
  }
  return fitting;
}

std::vector<CuptiOffer> cupti_offers(const CuptiSurroundings& around) {
  const std::vector<int> majors = fitting_majors(around);
  std::vector<CuptiOffer> offers;
  const auto offer = [&](const std::string& path, bool loaded) {
    const bool known =
        std::any_of(offers.begin(), offers.end(), [&](const auto& o) { return is_same_file(o.path, path); });
    if (!known && !is_stub(path)) offers.push_back({path, loaded});
  };
  for (const int major : majors)
    for (const std::string& path : around.loaded)
      if (is_cupti(path) && cupti_major(path) == major) offer(path, true);
  for (const std::string& path : around.loaded)
    if (is_cupti(path) && cupti_major(path) == 0) offer(path, true);
  for (const int major : majors)
    for (const std::string& folder : folders_to_search(around, major)) {
      const std::string path = folder + "/" + std::string(kCupti) + "." + std::to_string(major);
      if (exists(path)) offer(path, false);
    }
  return offers;
}

int count_cupti_copies(const std::vector<std::string>& loaded) {
  std::string simulated;
  for (const std::string& path : loaded)
    if (name_of(path) == kSimulator) simulated = folder_of(path);
  int copies = 0;
  bool counted_simulated = false;
  for (const std::string& path : loaded) {
    if (!is_cupti(path)) continue;
    const bool is_simulated = !simulated.empty() && folder_of(path) == simulated;
    if (!is_simulated || !counted_simulated) ++copies;
    counted_simulated = counted_simulated || is_simulated;
  }
  return copies;
}

bool uses_cuda(const std::vector<std::string>& loaded) {
  return std::any_of(loaded.begin(), loaded.end(), [](const std::string& path) {
    const std::string_view name = name_of(path);
    return name.starts_with(kRuntime) || name.starts_with("libcuda.so") || is_cupti(path);
  });
}

int cuda_major_of(std::uint32_t version) {
  constexpr std::uint32_t kFirstOf12 = 18, kFirstByCudaVersion = 100'000;  // 12.0 to 12.9: 18 to 28
  if (version >= kFirstOf12 && version < 100) return 12;
  const int major = static_cast<int>(version / 10'000);
  return version >= kFirstByCudaVersion && is_known(major) ? major : 0;
}

CuptiLibrary open_cupti(const CuptiSurroundings& around) {
  const std::vector<int> majors = fitting_majors(around);
  std::vector<CuptiOffer> offers = cupti_offers(around);
  for (CuptiOffer& offer : offers_of_the_linker(around, majors)) offers.push_back(std::move(offer));
  CuptiLibrary library;
  for (const CuptiOffer& offer : offers) {
    void* handle = dlopen(offer.path.c_str(), RTLD_NOW | (offer.loaded ? RTLD_NOLOAD : 0));
    if (!handle) continue;
    const std::uint32_t version = version_of(handle);
    if (contains(majors, cuda_major_of(version))) {
      library.handle = handle;
      library.version = version;
      library.path = path_of(handle, offer.path);
      library.problem.clear();
      break;
    }
    if (library.problem.empty())
      library.problem = stored_path(path_of(handle, offer.path)) + " is CUPTI version " + std::to_string(version) +
                        ", which this zerostall does not know or this program's CUDA does not fit";
    if (!offer.loaded) dlclose(handle);
  }
  if (!library.handle && library.problem.empty()) library.problem = not_found(majors);
  library.copies = count_cupti_copies(cupti_surroundings().loaded);
  return library;
}

std::string copies_warning(int copies) {
  if (copies < 2) return {};
  return std::to_string(copies) + " copies of libcupti are loaded: tools that use another one compete with the tracer";
}

}  // namespace zerostall::tracer
