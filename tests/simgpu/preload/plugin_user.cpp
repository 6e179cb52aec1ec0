#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) void* open_plugin() {
  void* volatile handle =
      dlopen("libhidden_plugin.so", RTLD_NOW);  // volatile: else the call is a jump and the caller lost
  return handle;
}
