// nvJitLink: PyTorch and the libraries it loads ask for its version only. Linking is done by real CUDA libraries, which
// the simulated ones replace.
extern "C" __attribute__((visibility("default"))) int nvJitLinkVersion(unsigned* major, unsigned* minor) {
  if (!major || !minor) return 2;  // NVJITLINK_ERROR_INVALID_INPUT
  *major = 13;
  *minor = 0;
  return 0;
}
