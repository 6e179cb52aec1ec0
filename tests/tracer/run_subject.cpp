#include "tests/tracer/run_subject.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "profiler/record/record.h"
#include "profiler/trace/read_native.h"

namespace zerostall::testing {
namespace {

namespace fs = std::filesystem;

TempFolder make_folder() {
  auto made = TempFolder::make();
  if (!made) throw std::runtime_error(made.error().message);
  fs::create_directory(made->path() / "traces");
  return std::move(*made);
}

// What is in the pipe now; somebody may still hold its other end.
std::string content(const Fd& pipe) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(pipe.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

// "cudaFree_v3020" is cudaFree.
bool is_called(std::string_view text, std::string_view name) {
  return text == name || (text.starts_with(name) && text.substr(name.size()).starts_with("_v"));
}

}  // namespace

std::int64_t LeftTrace::calls(std::string_view name) const {
  return std::count_if(raw.calls.begin(), raw.calls.end(),
                       [&](const RawCall& call) { return is_called(raw.strings.text(call.name), name); });
}

std::int64_t LeftTrace::calls_of_thread(std::string_view name, std::uint32_t thread) const {
  return std::count_if(raw.calls.begin(), raw.calls.end(), [&](const RawCall& call) {
    return call.thread == thread && is_called(raw.strings.text(call.name), name);
  });
}

std::int64_t LeftTrace::marks_of_thread(std::uint32_t thread) const {
  return std::count_if(raw.marks.begin(), raw.marks.end(), [&](const RawMark& mark) { return mark.thread == thread; });
}

std::string LeftTrace::notes() const {
  std::string all;
  for (const RawNote& note : raw.notes) all += std::string(raw.strings.text(note.text)) + "\n";
  return all;
}

SubjectRun::SubjectRun() : folder_(make_folder()), progress_(map_progress((folder_.path() / "progress").string())) {
  if (progress_ == nullptr) throw std::runtime_error("no progress file");
}

SubjectRun::~SubjectRun() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::munmap(progress_, sizeof(Progress));
}

void SubjectRun::start(std::vector<std::string> argv, Environment more, bool traced) {
  Injection options;
  options.simulate = true;
  options.trace = traced;
  ChildCommand command{std::move(argv), injection(options, paths_beside(BIN_DIR), traces_folder() / "trace")};
  command.environment[kProgressVariable] = path("progress");
  for (const auto& [name, value] : more) command.environment[name] = value;
  const ExecArguments exec(command);
  auto errors = make_pipe();  // not a file: the subject may be forbidden to write any
  if (!errors) throw std::runtime_error(errors.error().message);
  ::fcntl(errors->read.get(), F_SETFL, O_NONBLOCK);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  sigset_t mask;
  ::sigprocmask(SIG_SETMASK, nullptr, &mask);
  pid_ = ::fork();
  if (pid_ != 0) {
    errors_ = std::move(errors->read);
    return;
  }
  ::dup2(errors->write.get(), STDERR_FILENO);
  exec.become(null, mask);
}

void SubjectRun::signal(int number) const { ::kill(pid_, number); }

Ended SubjectRun::wait() {
  using Clock = std::chrono::steady_clock;
  int status = 0;
  const auto give_up = Clock::now() + std::chrono::minutes(1);
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (Clock::now() > give_up) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  pid_ = 0;
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), content(errors_)};
}

Ended SubjectRun::run(std::vector<std::string> argv, Environment more, bool traced) {
  start(std::move(argv), std::move(more), traced);
  return wait();
}

std::vector<LeftTrace> SubjectRun::traces() const {
  std::vector<LeftTrace> all;
  std::error_code error;
  for (fs::directory_iterator it(traces_folder(), error), end; !error && it != end; it.increment(error)) {
    LeftTrace left;
    left.file = it->path().filename().string();
    if (auto raw = read_native(it->path()))
      left.raw = std::move(*raw);
    else
      left.problem = raw.error().message;
    all.push_back(std::move(left));
  }
  std::sort(all.begin(), all.end(), [](const LeftTrace& a, const LeftTrace& b) { return a.file < b.file; });
  return all;
}

LeftTrace SubjectRun::trace() const {
  auto all = traces();
  if (all.size() != 1) throw std::runtime_error(std::to_string(all.size()) + " traces");
  if (!all.front().problem.empty()) throw std::runtime_error(all.front().problem);
  return std::move(all.front());
}

}  // namespace zerostall::testing
