// A program under test that ends in every way there is. Usage: lifetime_subject MODE. Each wait it completes is counted
// in the progress file (progress.h).
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "profiler/mark/mark.h"
#include "tests/tracer/progress.h"

namespace {

using zerostall::testing::own_progress;

void pause_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

void count_wait() {
  if (auto* progress = own_progress()) ++progress->waits;
}

void call(cudaError_t result) {
  if (result != cudaSuccess) _exit(99);
}

void waits(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    call(cudaStreamSynchronize(nullptr));
    count_wait();
  }
}

void steps(int count = 3) {
  for (int n = 0; n < count; ++n) {
    zerostall::mark::Step step(n);
    waits(2);
  }
}

[[noreturn]] void wait_for_ever() {
  for (;;) pause_ms(1000);
}

// Threads that call until the process is gone.
void busy_threads(int count) {
  for (int t = 0; t < count; ++t)
    std::thread([] {
      for (;;) waits(1);
    }).detach();
  while (own_progress() && own_progress()->waits < 100) pause_ms(1);
}

int exit_from_another_thread() {
  busy_threads(3);
  std::thread([] { std::exit(5); }).detach();
  wait_for_ever();
}

struct Late {
  ~Late() { waits(3); }
};

// Made before main, and gone after whatever was registered later: a program's global that owns device memory.
struct Global {
  bool wanted = false;
  ~Global() {
    if (wanted) waits(3);
  }
} g_global;

int global_destructor() {
  steps();
  g_global.wanted = true;
  return 0;
}

int late_destructors() {
  steps();
  static const Late at_exit;
  std::thread([] {
    thread_local const Late at_thread_end;
    (void)&at_thread_end;
    waits(1);
  }).join();
  thread_local const Late of_main;
  (void)&of_main;
  return 0;
}

// The process ends when the last thread does.
int main_thread_leaves_first() {
  steps();
  std::thread([] {
    pause_ms(30);
    waits(4);
  }).detach();
  pthread_exit(nullptr);
}

// With work of the GPU, whose records CUPTI hands over on a thread of its own.
int worker_outlives_main() {
  steps();
  std::thread([] {
    void* memory = nullptr;
    call(cudaMalloc(&memory, 4096));
    for (int i = 0; i < 20; ++i) {
      call(cudaMemsetAsync(memory, 0, 4096, nullptr));
      waits(1);
      pause_ms(20);
    }
  }).detach();
  pthread_exit(nullptr);
}

int detached_threads_at_exit() {
  busy_threads(2);
  return 0;
}

int exit_in_a_signal_handler() {
  struct sigaction action {};
  action.sa_handler = [](int) { std::exit(6); };
  sigaction(SIGUSR1, &action, nullptr);
  steps();
  raise(SIGUSR1);
  return 0;
}

// As a trainer that saves a checkpoint first, and takes too long.
int ignores_sigterm() {
  signal(SIGTERM, SIG_IGN);
  for (int n = 0;; ++n) {
    zerostall::mark::Step step(n);
    waits(2);
    pause_ms(1);
  }
}

int ends_by_sigterm() {
  for (int n = 0;; ++n) {
    zerostall::mark::Step step(n);
    waits(2);
    pause_ms(1);
  }
}

int device_reset() {
  steps();
  call(cudaDeviceReset());
  steps();
  return 0;
}

// A child that dies by the rules of its own: 3 = it got the error that a real GPU gives.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) std::exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int fork_within_a_step(bool child_uses_cuda) {
  steps(2);
  int code = 0;
  {
    zerostall::mark::Step step(2);
    waits(1);
    code = in_child([&] {
      zerostall::mark::Step in_the_child(77);
      return child_uses_cuda ? static_cast<int>(cudaStreamSynchronize(nullptr)) : 0;
    });
    waits(1);
  }
  steps(1);
  return code;
}

// The marks of the parent are not the child's.
int fork_after_marks() {
  for (int n = 0; n < 10; ++n) nvtxMarkA("of the parent");
  return in_child([] { return steps(), 0; });
}

// Nothing but a version was asked for before.
int fork_before_cuda_is_used() {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  int device = 0;
  cudaGetDevice(&device);
  return in_child([] {
    steps();
    return 0;
  });
}

std::string own_path() {
  char path[4096] = {};
  return readlink("/proc/self/exe", path, sizeof path - 1) > 0 ? path : "";
}

[[noreturn]] void become(const char* mode) {
  const std::string path = own_path();
  execl(path.c_str(), path.c_str(), mode, static_cast<char*>(nullptr));
  _exit(98);
}

int run_spawned(const char* mode) {
  std::string path = own_path(), argument = mode;
  char* arguments[] = {path.data(), argument.data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, path.c_str(), nullptr, nullptr, arguments, environ) != 0) return 97;
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

int run_vforked(const char* mode) {
  const std::string path = own_path();
  const pid_t child = vfork();
  if (child == 0) {
    execl(path.c_str(), path.c_str(), mode, static_cast<char*>(nullptr));
    _exit(98);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// The grandchild works when its parents are gone.
int daemonise(int delay_ms) {
  if (fork() != 0) return 0;
  setsid();
  if (fork() != 0) _exit(0);
  pause_ms(delay_ms);
  steps();
  std::exit(0);
}

int initialised_twice() {
  steps();
  void* tracer = dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW | RTLD_NOLOAD);
  const auto start = tracer ? reinterpret_cast<int (*)()>(dlsym(tracer, "InitializeInjection")) : nullptr;
  if (!start) return std::getenv("CUDA_INJECTION64_PATH") ? 96 : 0;
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t) all.emplace_back([=] { start(); });
  for (auto& thread : all) thread.join();
  steps();
  return start() == 1 ? 0 : 95;
}

int closes_libraries() {
  steps();
  const char* tracer = std::getenv("CUDA_INJECTION64_PATH");
  for (const char* name : {"libcudart.so.13", "libcuda.so.1", "libcupti.so.13", tracer ? tracer : "none"})
    for (int times = 0; times < 3; ++times)
      if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) {
        dlclose(library);
        dlclose(library);  // once too often, as programs do
      }
  steps();
  return 0;
}

int limited_file_size(rlim_t bytes, int rounds) {
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
  waits(rounds);
  return 0;
}

// The trace is taken away while it grows: its file cut to nothing, or its folder removed. `what`: a shell command.
int spoiled(const char* variable) {
  steps();
  const char* command = std::getenv(variable);
  if (!command || std::system(command) != 0) return 94;
  waits(20000);
  pause_ms(600);  // long enough for whatever the tracer does now and then
  waits(20000);
  return 0;
}

[[noreturn]] void by_abort() {
  steps();
  std::abort();
}

using Mode = std::function<int()>;

const std::map<std::string, Mode>& modes() {
  static const std::map<std::string, Mode> table = {
      {"normal", [] { return steps(), 0; }},
      {"nothing", [] { return 0; }},
      {"exit-code", [] { return steps(), 7; }},
      {"exit-from-thread", exit_from_another_thread},
      {"_exit",
       [] {
         steps(), _exit(3);
         return 0;
       }},
      {"quick-exit",
       [] {
         steps(), std::quick_exit(4);
         return 0;
       }},
      {"abort",
       [] {
         by_abort();
         return 0;
       }},
      {"exception",
       []() -> int {
         steps();
         throw std::runtime_error("nobody catches it");
       }},
      {"terminate",
       [] {
         steps(), std::terminate();
         return 0;
       }},
      {"segfault",
       [] {
         steps(), raise(SIGSEGV);
         return 0;
       }},
      {"sigterm", ends_by_sigterm},
      {"ignores-sigterm", ignores_sigterm},
      {"main-leaves-first", main_thread_leaves_first},
      {"worker-outlives-main", worker_outlives_main},
      {"handler-exits", exit_in_a_signal_handler},
      {"closes-libraries", closes_libraries},
      {"device-reset", device_reset},
      {"late-destructors", late_destructors},
      {"detached", detached_threads_at_exit},
      {"fork-in-step", [] { return fork_within_a_step(false); }},
      {"fork-uses-cuda", [] { return fork_within_a_step(true); }},
      {"fork-before-use", fork_before_cuda_is_used},
      {"fork-after-marks", fork_after_marks},
      {"global-destructor", global_destructor},
      {"exec-before",
       [] {
         become("normal");
         return 0;
       }},
      {"exec-after",
       [] {
         steps(), become("normal");
         return 0;
       }},
      {"exec-chain",
       [] {
         steps(), become("exec-after");
         return 0;
       }},
      {"spawn", [] { return steps(), run_spawned("exit-code"); }},
      {"vfork", [] { return steps(), run_vforked("exit-code"); }},
      {"helper-spawns", [] { return run_spawned("normal"); }},
      {"daemon", [] { return daemonise(0); }},
      {"late-daemon", [] { return daemonise(1500); }},
      {"twice", initialised_twice},
      {"no-room-at-all", [] { return limited_file_size(0, 20000); }},
      {"little-room", [] { return limited_file_size(100 * 1024, 400000); }},
      {"many", [] { return waits(400000), 0; }},
      {"spoiled", [] { return spoiled("SPOIL"); }},
  };
  return table;
}

}  // namespace

int main(int, char** argv) {
  const auto mode = modes().find(argv[1]);
  return mode == modes().end() ? 93 : mode->second();
}
