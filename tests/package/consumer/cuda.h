/* The CUDA runtime without its headers: what a program that loads it at run time declares. */
#ifndef CONSUMER_CUDA_H
#define CONSUMER_CUDA_H
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void* cuda(const char* name) {
  static void* library = NULL;
  void* function;
  if (library == NULL) library = dlopen("libcudart.so.13", RTLD_NOW);
  function = library == NULL ? NULL : dlsym(library, name);
  if (function == NULL) {
    fprintf(stderr, "no CUDA runtime: %s\n", dlerror());
    exit(9);
  }
  return function;
}
#endif
