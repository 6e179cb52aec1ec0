// The only place that knows MPI: a library of its own, opened by `stat --mpi` alone, so that the program needs none.
// Plain C. All calls come from one thread; where one returns no 0 the job is broken and no other may follow but
// zerostall_mpi_end(1).
#pragma once
#include <cstddef>

extern "C" {

// Once, at first. `asked`: which process of how many this is.
struct ZerostallMpiPlace {
  int rank, size;
};
int zerostall_mpi_start(ZerostallMpiPlace* asked);

// Process 0 gets the bytes of each, its own included, in order of processes: take(context, process, bytes, size).
using ZerostallMpiTake = void (*)(void* context, int process, const char* bytes, std::size_t size);
int zerostall_mpi_gather(const char* bytes, std::size_t size, ZerostallMpiTake take, void* context);

// Every process gets what process 0 gave: take as above, with process 0.
int zerostall_mpi_broadcast(const char* bytes, std::size_t size, ZerostallMpiTake take, void* context);

// Once, at last; `broken`: ends the other processes too, and does not return where MPI ends this one with them.
void zerostall_mpi_end(int broken);
}
