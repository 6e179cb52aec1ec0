// When a process of `stat --mpi` dies the launcher ends all others by SIGTERM: what the last words are then.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "profiler/fleet/messages.h"

namespace zerostall::cli {

// Where this process runs, without files. Equal places see each other's pids.
fleet::Presence own_presence();

// While it lives SIGTERM ends this process at once, and one process of the job says which of them is gone, as far as
// that can be seen from its node. One object at a time, made before MPI starts: threads that are there already may take
// the signal.
class FleetEnd {
 public:
  FleetEnd();
  FleetEnd(const FleetEnd&) = delete;
  FleetEnd& operator=(const FleetEnd&) = delete;
  ~FleetEnd();

  // All processes of the job, and which of them this is.
  void know(std::vector<fleet::Presence> all, std::size_t own);
  // This process has done its part: from here on all but process 0 may find others gone, and are silent.
  void done();
  // "process 2 of 4 (counted from 0) died: no summary was made"; "" = as far as can be seen none is gone.
  std::string last_words() const;
  // Whether this process is the one to say it.
  bool speaks() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zerostall::cli
