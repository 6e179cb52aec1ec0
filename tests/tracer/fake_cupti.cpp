// A libcupti of a given version that does nothing else.
extern "C" __attribute__((visibility("default"))) int cuptiGetVersion(unsigned* version) {
  *version = FAKE_VERSION;
  return 0;
}
