// Texts of the program under test on their way to a terminal.
#pragma once
#include "profiler/base/printable.h"  // IWYU pragma: export
