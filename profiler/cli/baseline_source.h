// tmp
#pragma once
#include "profiler/gate/baseline.h"
#include "profiler/base/result.h"
namespace zerostall::cli { Result<Baseline> load_baseline(const std::string& path, const Policy& policy); }
