// A function of a library opened at run time.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace zerostall::testing {

inline void* library(const char* name) {
  void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << dlerror();
  return handle;
}

template <class Result = int, class... Arguments>
Result call(void* handle, const char* name, Arguments... arguments) {
  auto* function = handle ? reinterpret_cast<Result (*)(Arguments...)>(dlsym(handle, name)) : nullptr;
  EXPECT_NE(function, nullptr) << name;
  return function ? function(arguments...) : Result{};
}

}  // namespace zerostall::testing
