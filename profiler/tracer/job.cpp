#include "profiler/tracer/job.h"

#include <charconv>
#include <cstring>

namespace zerostall::tracer {
namespace {

using Variable = const char* (*)(const char*);

struct Launcher {
  const char *rank, *local_rank, *world_size;
};

// MPICH's and Intel MPI's starter (Hydra) sets PMI_RANK; Slurm's plugin for it as well, yet without the local rank.
constexpr Launcher kLaunchers[] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_NUM_TASKS"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
    {"FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID", "FLUX_JOB_SIZE"},
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_SIZE"},
};

// OMPI_COMM_WORLD_NODE_RANK is no number of a host, but one of a process on its host.
constexpr const char* kHostNumbers[] = {"GROUP_RANK", "NODE_RANK", "MACHINE_RANK", "SLURM_NODEID"};

std::optional<std::int64_t> number(Variable variable, const char* name) {
  const char* text = variable(name);
  if (text == nullptr) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end || value < 0) return std::nullopt;
  return value;
}

}  // namespace

Job find_job(Variable variable) {
  Job job;
  for (const Launcher& launcher : kLaunchers) {
    job.rank = number(variable, launcher.rank);
    job.local_rank = number(variable, launcher.local_rank);
    job.world_size = number(variable, launcher.world_size);
    if (job.rank || job.local_rank) break;
    job.world_size.reset();
  }
  for (const char* name : kHostNumbers)
    if (!job.host_number) job.host_number = number(variable, name);
  return job;
}

}  // namespace zerostall::tracer
