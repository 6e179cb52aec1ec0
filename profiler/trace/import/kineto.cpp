#include "profiler/trace/import/kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "profiler/trace/import/event_chunks.h"
#include "profiler/trace/import/kineto_events.h"
#include "profiler/trace/import/kineto_merge.h"
#include "profiler/trace/import/kineto_meta.h"

namespace zerostall {
namespace {

using namespace kineto;

// Chunks are taken one after the other, parsed at the same time, and merged in order again.
class Pipeline {
 public:
  explicit Pipeline(EventChunks& chunks) : chunks_(chunks) {}

  Result<Merger> run(unsigned threads) {
    std::vector<std::thread> others;
    others.reserve(threads);
    try {
      for (unsigned i = 1; i < threads; ++i) others.emplace_back([this] { work(); });
    } catch (const std::exception&) {
      // no thread, or no memory for one, to be had: those that there are do it
    }
    work();
    for (std::thread& t : others) t.join();
    if (failure_) std::rethrow_exception(failure_);
    if (error_) return *error_;
    return std::move(merger_);
  }

 private:
  // What is thrown in a thread (out of memory, mostly) is thrown again by `run`.
  void work() noexcept {
    try {
      parse_and_merge();
    } catch (...) {
      std::lock_guard guard(turn_lock_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
      turn_.notify_all();  // the turn of those that wait never comes
    }
  }

  void parse_and_merge() {
    EventParser parser;
    ChunkNames names;
    EventChunk chunk;
    Events events;
    while (take(chunk)) {
      parser.parse(chunk, events);
      std::unique_lock guard(turn_lock_);
      turn_.wait(guard, [&] { return failure_ || chunk.number == next_; });
      if (failure_) return;
      merger_.add(parser, names, chunk, events);
      if (merger_.is_full()) stop_ = true;
      ++next_;
      turn_.notify_all();
    }
  }

  bool take(EventChunk& chunk) {
    std::lock_guard guard(source_lock_);
    if (error_ || stop_) return false;
    const auto more = chunks_.next(chunk);
    if (!more) error_ = more.error();
    return more && *more;
  }

  EventChunks& chunks_;
  std::mutex source_lock_, turn_lock_;
  std::condition_variable turn_;
  std::uint64_t next_ = 0;  // whose turn it is to be merged
  Merger merger_;
  std::atomic<bool> stop_{false};  // what is still unread is not worth reading
  std::optional<Error> error_;
  std::exception_ptr failure_;  // of a thread; under turn_lock_
};

unsigned choose_threads(unsigned wanted) {
  return wanted > 0 ? wanted : std::clamp(std::thread::hardware_concurrency(), 1u, 2u);
}

Result<std::vector<RawTrace>> import_text(TextSource source, const std::string& name, const ReadOptions& options) {
  EventChunks chunks(std::move(source));
  if (const auto begun = chunks.begin(); !begun) {
    const std::string& damage = chunks.source().damage();
    return Error{damage.empty() ? fmt::format("{} is no trace: {}", name, begun.error().message)
                                : fmt::format("{} is damaged from its beginning on: {}", name, damage)};
  }
  auto merger = Pipeline(chunks).run(choose_threads(options.threads));
  if (!merger) return Error{merger.error().message};
  auto traces = merger->finish(chunks);
  if (!traces) return Error{fmt::format("{} is no trace: {}", name, traces.error().message)};
  return traces;
}

}  // namespace

Result<std::vector<RawTrace>> import_kineto(const std::filesystem::path& path, const ReadOptions& options) {
  auto source = TextSource::open(path, options.most_expanded);
  if (!source) return source.error();
  return import_text(std::move(*source), path.string(), options);
}

Result<std::vector<RawTrace>> parse_kineto(std::span<const std::byte> bytes, const std::string& name,
                                           const ReadOptions& options) {
  return import_text(TextSource::of(bytes, name, options.most_expanded), name, options);
}

}  // namespace zerostall
