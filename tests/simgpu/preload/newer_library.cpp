// A library that was built against NVIDIA libraries newer than the simulation knows.
extern "C" {
long cudnnInventedTomorrow();  // of a library whose functions carry versions
long ncclInventedTomorrow();   // of one whose functions carry none
void** __cudaRegisterFatBinary(void*);

__attribute__((visibility("default"))) long call_cudnn() { return cudnnInventedTomorrow() + 0; }
__attribute__((visibility("default"))) long call_nccl() { return ncclInventedTomorrow() + 0; }
}

// As every library with kernels does.
[[maybe_unused]] static void** const g_registered = __cudaRegisterFatBinary(nullptr);
