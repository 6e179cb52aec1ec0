// What both ways of starting a child share: its environment, and how an exec that failed reports back.
#pragma once
#include <csignal>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace zerostall {

struct ChildCommand {
  std::vector<std::string> argv;                   // argv[0]: a path, or a name looked up in PATH
  std::map<std::string, std::string> environment;  // added to ours, replacing what is there
  std::set<std::string> without = {};              // variables of ours that it does not get
  bool out_to_err = false;                         // what it prints goes where its errors go
};

// A file descriptor that is closed with its owner. Move-only.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept;
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close(); }
  int get() const { return fd_; }
  void close();

 private:
  int fd_;
};

struct Pipe {
  Fd read, write;
};

// Both ends are closed by exec.
Result<Pipe> make_pipe();

// The command as the arguments of execvpe: made before fork, since nothing may be allocated after it. Move-only.
class ExecArguments {
 public:
  explicit ExecArguments(const ChildCommand& command);
  ExecArguments(const ExecArguments&) = delete;
  ExecArguments& operator=(const ExecArguments&) = delete;

  // In the child: becomes the program, or writes errno to `failure` and ends. Async-signal-safe.
  [[noreturn]] void become(const Fd& failure, const sigset_t& mask) const;

 private:
  std::vector<std::string> argv_texts_, environment_texts_;
  std::vector<char*> argv_, environment_;
  bool out_to_err_;
};

// In the parent, with its own write end closed: errno of an exec that failed, or 0 once the program runs.
int exec_failure(const Fd& failure);

}  // namespace zerostall
