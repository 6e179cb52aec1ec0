// libzerostall_mark.so: the functions of mark.h for languages that cannot include it (Python's ctypes).
#define ZEROSTALL_MARK_FUNCTION __attribute__((visibility("default")))
#include "profiler/mark/mark.h"
