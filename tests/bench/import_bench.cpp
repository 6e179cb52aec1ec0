// A program that import_bench.py measures: it reads a file once (argv[1]), and then, per line of its input, does one
// thing with it and answers with: nanoseconds of its CPU time, all threads; nanoseconds of wall time; events or bytes;
// bytes of JSON. Lines: "on-demand", "libdeflate", "zlib", "zlib-stream", "isal", "isal-stream", "expand-and-parse"
// (libdeflate, then on-demand), "ours THREADS" (file to finished Trace).
#include <time.h>

#include <cstdio>
#include <cstring>

#include "profiler/trace/build_trace.h"
#include "profiler/trace/read_trace.h"
#include "tests/bench/import_limits.h"

namespace zerostall {
namespace {

std::int64_t now_ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

// Of each trace of the file: its calls, GPU work and ranges.
std::int64_t read_ours(const std::string& path, unsigned threads, std::vector<Trace>& traces) {
  auto raw = read_trace(path, {.threads = threads});
  if (!raw) {
    std::fprintf(stderr, "import_bench: %s\n", raw.error().message.c_str());
    std::exit(2);
  }
  std::int64_t records = 0;
  for (RawTrace& one : *raw) {
    traces.push_back(build_trace(std::move(one)));
    records += static_cast<std::int64_t>(traces.back().calls.size() + traces.back().gpu_ops.size() +
                                         traces.back().ranges.size());
  }
  return records;
}

struct Answer {
  std::int64_t cpu_ns = 0, wall_ns = 0, result = 0;
};

template <class Work>
Answer timed(Work work) {
  Answer answer;
  const std::int64_t cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID), wall = now_ns(CLOCK_MONOTONIC);
  answer.result = static_cast<std::int64_t>(work());
  answer.wall_ns = now_ns(CLOCK_MONOTONIC) - wall;
  answer.cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  return answer;
}

Answer answer_to(const std::string& line, const std::string& path, Loaded& file) {
  std::vector<Trace> traces;  // destroyed when the time has been taken
  unsigned threads = 0;
  if (std::sscanf(line.c_str(), "ours %u", &threads) == 1) {
    return timed([&] { return read_ours(path, threads, traces); });
  }
  if (line == "on-demand") return timed([&] { return read_on_demand(file.text); });
  if (line == "libdeflate") return timed([&] { return expand_libdeflate(file.file, file.text); });
  if (line == "expand-and-parse")
    return timed([&] { return expand_libdeflate(file.file, file.text), read_on_demand(file.text); });
  std::vector<char> room(file.text.size());  // pieces overwrite each other
  if (line == "zlib") return timed([&] { return expand_zlib(file.file, room); });
  if (line == "zlib-stream") return timed([&] { return stream_zlib(file.file, room); });
  if (line == "isal") return timed([&] { return expand_isal(file.file, room); });
  if (line == "isal-stream") return timed([&] { return stream_isal(file.file, room); });
  std::fprintf(stderr, "import_bench: cannot do: %s\n", line.c_str());
  std::exit(2);
}

}  // namespace
}  // namespace zerostall

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: import_bench FILE; see import_bench.py\n");
    return 2;
  }
  zerostall::Loaded file = zerostall::load(argv[1]);
  for (char line[256]; std::fgets(line, sizeof line, stdin) != nullptr;) {
    line[std::strcspn(line, "\n")] = 0;
    const auto a = zerostall::answer_to(line, argv[1], file);
    std::printf("%lld %lld %lld %zu\n", static_cast<long long>(a.cpu_ns), static_cast<long long>(a.wall_ns),
                static_cast<long long>(a.result), file.characters());
    std::fflush(stdout);
  }
  return 0;
}
