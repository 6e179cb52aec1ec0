// For tests of tracers: ZEROSTALL_SIM_CUPTI_NEW_API=OLD:NEW (names with version suffix) makes this library one that is
// newer than its headers. It reports calls of OLD under an id past all known ones, by the name NEW.
#include <cstdlib>
#include <cstring>

#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {
namespace {

NewApi* find() {
  const char* text = std::getenv("ZEROSTALL_SIM_CUPTI_NEW_API");
  const char* colon = text ? std::strchr(text, ':') : nullptr;
  if (!colon) return nullptr;
  const std::string old(text, colon);
  for (const int domain : {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API})
    for (std::uint32_t id = 1; id < callback_count(domain); ++id)
      if (const char* name = callback_name(domain, id); name && name == old)
        return new NewApi{domain, id, callback_count(domain), colon + 1};
  return nullptr;
}

}  // namespace

const NewApi* new_api() {
  static const NewApi* const found = find();
  return found;
}

}  // namespace zerostall::simgpu::cupti
