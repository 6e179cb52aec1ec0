// The processes that `mpirun` started together, by the library that knows MPI (profiler/mpi/group_mpi.h).
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/mpi/group_mpi.h"

namespace zerostall::fleet {

// Position of this process among those that a launcher says to have started (Open MPI, PMIx, PMI, Slurm), and how many:
// read from the environment, before and without MPI. 0 of 1 where nothing says so.
struct Launched {
  int rank = 0;
  int size = 1;
};
Launched launched();

class Group {
 public:
  // Fails with one line on what to install, and where a launcher started several processes that MPI does not bring
  // together. Without a launcher it is a group of one. At most once in a process: MPI does not start twice.
  static Result<Group> start(const std::filesystem::path& library);

  Group(Group&& other) noexcept;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  Group& operator=(Group&&) = delete;
  // Without `end` it was cut short: ends the other processes too, and this one.
  ~Group();

  std::size_t rank() const { return static_cast<std::size_t>(place_.rank); }
  std::size_t size() const { return static_cast<std::size_t>(place_.size); }

  // Every process calls these, in the same order. They fail where another process is gone: one line.
  // Process 0 takes what each gives, its own included, in order of processes, one at a time.
  using Take = std::function<void(std::size_t process, std::string_view bytes)>;
  Result<Done> gather(std::string_view bytes, const Take& take);
  // What each gives, by process, in every process.
  Result<std::vector<std::string>> gather_for_all(std::string_view bytes);
  // All are done: nothing may be asked of it any more.
  void end();

 private:
  struct Functions {
    decltype(&zerostall_mpi_start) start = nullptr;
    decltype(&zerostall_mpi_gather) gather = nullptr;
    decltype(&zerostall_mpi_broadcast) broadcast = nullptr;
    decltype(&zerostall_mpi_end) end = nullptr;
  };
  Group(Functions functions, ZerostallMpiPlace place) : functions_(functions), place_(place) {}
  static Result<Functions> load(const std::filesystem::path& library);

  Functions functions_;
  ZerostallMpiPlace place_;
  bool running_ = true;
};

}  // namespace zerostall::fleet
