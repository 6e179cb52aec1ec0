#include "profiler/mpi/group_mpi.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 28;  // MPI counts by int
constexpr int kTag = 1, kBrokenCode = 4;

// MPI's own waiting keeps a core busy, which another process of this job needs to read its traces.
bool finish(MPI_Request& request) {
  using namespace std::chrono_literals;
  auto nap = 10us;
  for (int done = 0;;) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done != 0) return true;
    std::this_thread::sleep_for(nap);
    nap = std::min(nap * 2, std::chrono::microseconds(2ms));
  }
}

bool send_piece(const void* bytes, std::size_t size, int to) {
  MPI_Request request;
  return MPI_Isend(bytes, static_cast<int>(size), MPI_BYTE, to, kTag, MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
         finish(request);
}

bool receive_piece(void* bytes, std::size_t size, int from) {
  MPI_Request request;
  return MPI_Irecv(bytes, static_cast<int>(size), MPI_BYTE, from, kTag, MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
         finish(request);
}

bool send(const char* bytes, std::uint64_t size, int to) {
  bool ok = send_piece(&size, sizeof size, to);
  for (std::uint64_t at = 0; ok && at < size; at += kPiece)
    ok = send_piece(bytes + at, std::min<std::uint64_t>(kPiece, size - at), to);
  return ok;
}

bool receive(std::string& bytes, int from) {
  std::uint64_t size = 0;
  if (!receive_piece(&size, sizeof size, from)) return false;
  bytes.resize(size);
  bool ok = true;
  for (std::uint64_t at = 0; ok && at < size; at += kPiece)
    ok = receive_piece(bytes.data() + at, std::min<std::uint64_t>(kPiece, size - at), from);
  return ok;
}

ZerostallMpiPlace own_place() {
  ZerostallMpiPlace place{};
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.size);
  return place;
}

// No exception may cross the border of a C function.
template <class Body>
int guarded(const Body& body) {
  try {
    return body() ? 0 : 1;
  } catch (const std::exception&) {
    return 1;
  }
}

}  // namespace

__attribute__((visibility("default"))) int zerostall_mpi_start(ZerostallMpiPlace* asked) {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  *asked = own_place();
  return 0;
}

__attribute__((visibility("default"))) int zerostall_mpi_gather(const char* bytes, std::size_t size,
                                                                ZerostallMpiTake take, void* context) {
  return guarded([&] {
    const auto [rank, processes] = own_place();
    if (rank != 0) return send(bytes, size, 0);
    take(context, 0, bytes, size);
    std::string of_other;
    for (int other = 1; other < processes; ++other) {
      if (!receive(of_other, other)) return false;
      take(context, other, of_other.data(), of_other.size());
    }
    return true;
  });
}

__attribute__((visibility("default"))) int zerostall_mpi_broadcast(const char* bytes, std::size_t size,
                                                                   ZerostallMpiTake take, void* context) {
  return guarded([&] {
    const auto [rank, processes] = own_place();
    if (rank == 0) {
      for (int other = 1; other < processes; ++other)
        if (!send(bytes, size, other)) return false;
      take(context, 0, bytes, size);
      return true;
    }
    std::string of_first;
    if (!receive(of_first, 0)) return false;
    take(context, 0, of_first.data(), of_first.size());
    return true;
  });
}

__attribute__((visibility("default"))) void zerostall_mpi_end(int broken) {
  if (broken != 0)
    MPI_Abort(MPI_COMM_WORLD, kBrokenCode);
  else
    MPI_Finalize();
}
