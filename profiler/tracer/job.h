// The place of a process in a job of several, as its launcher says in the environment.
#pragma once
#include <cstdint>
#include <optional>

namespace zerostall::tracer {

// What is not there, or is no plain number, is unknown.
struct Job {
  std::optional<std::int64_t> rank, local_rank, world_size;
  std::optional<std::int64_t> host_number;  // of this host within the job, from 0
};

// `variable` is getenv. torchrun and its kin (RANK, LOCAL_RANK, WORLD_SIZE) come first; else the first of Slurm, Open
// MPI, MVAPICH, MPICH and Intel MPI (PMI), Flux and JSM that says a rank, for all three numbers: those of different
// launchers do not go together. The host's number: GROUP_RANK (torchrun), NODE_RANK, MACHINE_RANK, SLURM_NODEID;
// nothing else tells it.
Job find_job(const char* (*variable)(const char* name));

}  // namespace zerostall::tracer
