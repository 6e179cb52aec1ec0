#include "profiler/trace/import/split_processes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "profiler/trace/import/order_calls.h"

namespace zerostall {
namespace {

constexpr std::uint32_t kFirstOwnId = 0x80000000u;  // for threads without a usable id; no system's id is as large

std::vector<std::uint32_t> thread_ids(const std::vector<ProcessThread>& threads) {
  std::vector<std::uint32_t> ids;
  std::set<std::pair<std::int64_t, std::int64_t>> taken;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const auto [process, thread] = threads[i];
    const bool usable = thread >= 0 && thread < kFirstOwnId && taken.emplace(process, thread).second;
    ids.push_back(usable ? static_cast<std::uint32_t>(thread) : kFirstOwnId + static_cast<std::uint32_t>(i));
  }
  return ids;
}

// Processes that are worth a trace, by first appearance.
std::vector<std::int64_t> find_processes(const RawTrace& all, const std::vector<ProcessThread>& threads) {
  std::vector<std::int64_t> processes;
  const auto see = [&](std::int64_t process) {
    if (std::find(processes.begin(), processes.end(), process) == processes.end()) processes.push_back(process);
  };
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const RawCall& call : all.calls) {
    const std::int64_t process = threads[call.thread].process;
    if (process != last || processes.empty()) see(process);
    last = process;
  }
  for (const RawMark& mark : all.marks)
    if (all.strings.text(mark.text).starts_with("ProfilerStep#")) see(threads[mark.thread].process);
  return processes;
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

class Splitter {
 public:
  Splitter(RawTrace& all, const std::vector<ProcessThread>& threads, const std::vector<std::int64_t>& processes)
      : all_(all), threads_(threads) {
    for (const std::int64_t process : processes) {
      position_.emplace(process, parts_.size());
      RawTrace& part = parts_.emplace_back();
      part.meta = all.meta;
      part.meta.pid = process >= 0 ? std::optional(process) : std::nullopt;
      part.meta.rank.reset();  // of one of them: which, the file does not say
      // Interned in order, each text gets the same id again.
      for (StringId id = 0; id < all.strings.size(); ++id) part.strings.intern(all.strings.text(id));
      part.stacks = all.stacks;
      part.truncated = all.truncated;
      part.end = all.end;
    }
    parts_.front().contents = std::move(all.contents);
    parts_.front().oddities = std::move(all.oddities);
    parts_.front().notes = std::move(all.notes);
  }

  std::vector<RawTrace> run() {
    for (const RawCall& call : all_.calls) parts_[part_of(call.thread)].calls.push_back(call);
    for (const RawMark& mark : all_.marks)
      if (const std::size_t part = part_of(mark.thread); part != kNone) parts_[part].marks.push_back(mark);
    split_gpu_ops();
    return std::move(parts_);
  }

 private:
  std::size_t part_of(std::uint32_t thread) const {
    const auto found = position_.find(threads_[thread].process);
    return found == position_.end() ? kNone : found->second;
  }

  void split_gpu_ops() {
    std::unordered_map<std::uint32_t, std::size_t> owner;
    std::set<std::uint32_t> ambiguous;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      for (const RawCall& call : parts_[i].calls)
        if (call.correlation != 0 && !owner.try_emplace(call.correlation, i).second && owner[call.correlation] != i)
          ambiguous.insert(call.correlation);
    for (RawGpuOp op : all_.gpu_ops) {
      if (ambiguous.contains(op.correlation)) {
        ++parts_.front().oddities["ambiguous_correlations"];
        op.correlation = 0;
      }
      const auto found = op.correlation == 0 ? owner.end() : owner.find(op.correlation);
      parts_[found == owner.end() ? 0 : found->second].gpu_ops.push_back(op);
    }
  }

  RawTrace& all_;
  const std::vector<ProcessThread>& threads_;
  std::map<std::int64_t, std::size_t> position_;
  std::vector<RawTrace> parts_;
};

void name_threads(RawTrace& trace, const std::vector<std::uint32_t>& ids) {
  for (RawCall& call : trace.calls) call.thread = ids[call.thread];
  for (RawMark& mark : trace.marks) mark.thread = ids[mark.thread];
}

}  // namespace

std::vector<RawTrace> split_processes(RawTrace all, const std::vector<ProcessThread>& threads) {
  const std::vector<std::int64_t> processes = find_processes(all, threads);
  std::vector<RawTrace> parts;
  if (processes.size() > 1) {
    parts = Splitter(all, threads, processes).run();
  } else {
    if (!processes.empty() && processes.front() >= 0) all.meta.pid = processes.front();
    parts.push_back(std::move(all));
  }
  const std::vector<std::uint32_t> ids = thread_ids(threads);
  for (RawTrace& part : parts) {
    name_threads(part, ids);
    order_calls(part.calls, part.strings);
  }
  return parts;
}

}  // namespace zerostall
