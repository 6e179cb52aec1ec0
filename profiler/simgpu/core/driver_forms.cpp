#include "profiler/simgpu/core/driver_forms.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

namespace zerostall::simgpu {

std::string form_of(const char* name, int version) {
  const DriverForms* end = kDriverForms + kDriverFormsCount;
  const DriverForms* found = std::lower_bound(kDriverForms, end, name, [](const DriverForms& row, const char* wanted) {
    return std::strcmp(row.name, wanted) < 0;
  });
  if (found == end || std::strcmp(found->name, name) != 0) return name;
  int form = 0;
  while (form < kMostForms && found->since[form] != 0 && found->since[form] <= version) ++form;
  if (form == 0) return {};
  return form == 1 ? std::string(name) : name + ("_v" + std::to_string(form));
}

void* find_driver_function(const char* name, int version, bool per_thread_stream) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const std::string form = form_of(name, version);
  if (!driver || form.empty()) return nullptr;
  if (per_thread_stream)
    for (const char* suffix : {"_ptsz", "_ptds"})
      if (void* function = dlsym(driver, (form + suffix).c_str())) return function;
  return dlsym(driver, form.c_str());
}

}  // namespace zerostall::simgpu
