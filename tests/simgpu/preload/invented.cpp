// The newer NVIDIA libraries that newer_library.cpp is linked with; never loaded.
extern "C" __attribute__((visibility("default"))) long INVENTED() { return 0; }
