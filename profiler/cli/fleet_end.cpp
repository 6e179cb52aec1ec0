#include "profiler/cli/fleet_end.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <mutex>
#include <thread>

#include "profiler/base/strings.h"
#include "profiler/cli/outcome.h"
#include "profiler/cli/say.h"
#include "profiler/fleet/group.h"

namespace zerostall::cli {
namespace {

std::string first_line(const char* file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

// A launcher that has not yet taken note of the death leaves a zombie.
bool is_gone(std::int64_t pid) {
  if (::kill(static_cast<pid_t>(pid), 0) != 0) return errno == ESRCH;
  const std::string stat = first_line(fmt::format("/proc/{}/stat", pid).c_str());
  const auto name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] == 'Z';
}

sigset_t termination() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

fleet::Presence own_presence() {
  std::array<char, 64> pids{};  // in containers pids mean something else
  const auto size = ::readlink("/proc/self/ns/pid", pids.data(), pids.size());
  return {first_line("/proc/sys/kernel/random/boot_id") +
              std::string(pids.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))),
          ::getpid(),
          {}};
}

struct FleetEnd::State {
  mutable std::mutex mutex;
  std::vector<fleet::Presence> all;
  std::size_t own = static_cast<std::size_t>(fleet::launched().rank);
  bool is_done = false;
  sigset_t before{};
  int signals = -1, stop = -1;
  std::thread watcher;

  std::vector<std::size_t> gone() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i != own && all[i].place == all[own].place && is_gone(all[i].pid)) found.push_back(i);
    return found;
  }

  std::string last_words(const std::vector<std::size_t>& dead) const {
    if (dead.empty()) return "";
    std::vector<std::string> numbers;
    for (const std::size_t i : dead) numbers.push_back(std::to_string(i));
    return fmt::format("--mpi: {} {} of {} (counted from 0) died: no summary was made",
                       dead.size() == 1 ? "process" : "processes", join(numbers, ", "), all.size());
  }

  // The first of those that live.
  bool speaks(const std::vector<std::size_t>& dead) const {
    std::size_t speaker = 0;
    for (const std::size_t i : dead) speaker += i == speaker;
    return own == speaker;
  }

  // Who died did so before the launcher ended the others, one after the other: each looks at once and stays for a
  // while, so that none takes one that has spoken for dead.
  [[noreturn]] void end() const {
    using namespace std::chrono_literals;
    const std::lock_guard lock(mutex);
    const auto dead = gone();
    const std::string words = last_words(dead);
    const bool is_silent = is_done && own != 0;
    if (speaks(dead) && !is_silent)
      say(!words.empty() ? words : all.size() < 2 ? "interrupted" : "--mpi: the job was ended: no summary was made");
    if (all.size() > 1) std::this_thread::sleep_for(500ms);
    if (is_silent) ::_exit(static_cast<int>(ExitCode::ok));
    ::_exit(words.empty() || !speaks(dead) ? 128 + SIGTERM : static_cast<int>(ExitCode::environment));
  }

  void watch() const {
    std::array<pollfd, 2> waits = {{{signals, POLLIN, 0}, {stop, POLLIN, 0}}};
    while (::poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) {
    }
    if ((waits[0].revents & POLLIN) != 0) end();
  }
};

FleetEnd::FleetEnd() : state_(std::make_unique<State>()) {
  const sigset_t set = termination();
  ::pthread_sigmask(SIG_BLOCK, &set, &state_->before);
  state_->signals = ::signalfd(-1, &set, SFD_CLOEXEC);
  state_->stop = ::eventfd(0, EFD_CLOEXEC);
  state_->watcher = std::thread([state = state_.get()] { state->watch(); });
}

FleetEnd::~FleetEnd() {
  const std::uint64_t one = 1;
  if (::write(state_->stop, &one, sizeof one) == sizeof one) state_->watcher.join();
  ::close(state_->signals);
  ::close(state_->stop);
  ::pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
}

void FleetEnd::know(std::vector<fleet::Presence> all, std::size_t own) {
  const std::lock_guard lock(state_->mutex);
  for (fleet::Presence& one : all) one.files.clear();
  state_->all = std::move(all);
  state_->own = own;
}

void FleetEnd::done() {
  const std::lock_guard lock(state_->mutex);
  state_->is_done = true;
}

std::string FleetEnd::last_words() const {
  const std::lock_guard lock(state_->mutex);
  return state_->last_words(state_->gone());
}

bool FleetEnd::speaks() const {
  const std::lock_guard lock(state_->mutex);
  return state_->speaks(state_->gone());
}

}  // namespace zerostall::cli
