#include "profiler/record/exec.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace zerostall {
namespace {

std::vector<std::string> merged_environment(const ChildCommand& command) {
  const auto& added = command.environment;
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    if (!added.contains(name) && !command.without.contains(name)) merged.push_back(text);
  }
  for (const auto& [name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Fd::Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Fd& Fd::operator=(Fd&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

void Fd::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

ExecArguments::ExecArguments(const ChildCommand& command)
    : argv_texts_(command.argv), environment_texts_(merged_environment(command)), out_to_err_(command.out_to_err) {
  argv_ = pointers(argv_texts_);
  environment_ = pointers(environment_texts_);
}

void ExecArguments::become(const Fd& failure, const sigset_t& mask) const {
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (out_to_err_) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::execvpe(argv_[0], argv_.data(), environment_.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(failure.get(), &error, sizeof error);
  ::_exit(127);
}

int exec_failure(const Fd& failure) {
  int error = 0;
  ssize_t n = 0;
  while ((n = ::read(failure.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  return n == static_cast<ssize_t>(sizeof error) ? error : 0;
}

}  // namespace zerostall
