// Stands for the tracer and the simulated GPU where a test only needs something that can be preloaded.
extern "C" int zerostall_empty_library() { return 0; }
