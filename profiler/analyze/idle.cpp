#include "profiler/analyze/idle.h"

#include <algorithm>

namespace zerostall {

IdleCheck::IdleCheck(const Trace& trace, const DeviceLoad& load) : trace_(trace), load_(load), transfers_(trace) {
  for (CallIndex i = 0; i < trace.calls.size(); ++i) {
    const Call& call = trace.calls[i];
    if (call.kind == ApiKind::event_record && call.outermost)
      records_[call.handle].push_back({{call.begin_ns, i}, call.stream});
  }
  for (auto& [event, list] : records_)  // calls stand thread by thread
    std::stable_sort(list.begin(), list.end(), [](const Record& a, const Record& b) { return a.at < b.at; });
}

const IdleCheck::Record* IdleCheck::last_record(std::uint64_t event, DeviceLoad::Moment before) const {
  if (event == 0) return nullptr;  // a tool that does not tell events apart
  const auto list = records_.find(event);
  if (list == records_.end()) return nullptr;
  const auto after = std::lower_bound(list->second.begin(), list->second.end(), before,
                                      [](const Record& r, const DeviceLoad::Moment& m) { return r.at < m; });
  return after == list->second.begin() ? nullptr : &*(after - 1);
}

IdleCheck::WaitedFor IdleCheck::waited_for(CallIndex copy, CallIndex sync) const {
  const CallIndex first = copy != kNoIndex ? copy : sync;
  const Call& begin = trace_.calls[first];
  const Call& last = trace_.calls[sync != kNoIndex ? sync : copy];
  WaitedFor what{begin.stream, {begin.begin_ns, first}};
  if (last.kind == ApiKind::device_sync) what.stream = std::nullopt;
  if (last.kind == ApiKind::event_sync && copy == kNoIndex) {
    const Record* record = last_record(last.handle, what.launched);
    what.stream = record == nullptr ? std::nullopt : std::optional(record->stream);
    if (record != nullptr) what.launched = record->at;
  }
  return what;
}

std::optional<bool> IdleCheck::idle(CallIndex copy, CallIndex sync) const {
  const Call& begin = trace_.calls[copy != kNoIndex ? copy : sync];
  const WaitedFor what = waited_for(copy, sync);
  return load_.done_by(begin.context, what.stream, what.launched, begin.begin_ns);
}

std::optional<Nanos> IdleCheck::work_end(CallIndex copy, CallIndex sync, Nanos returned) const {
  if (!load_.complete()) return std::nullopt;
  const CallIndex last_index = sync != kNoIndex ? sync : copy;
  const Call& last = trace_.calls[last_index];
  const auto own = transfers_.of(copy != kNoIndex ? copy : sync);
  if (last.kind == ApiKind::device_sync)
    return load_.work_end(last.context, std::nullopt, {last.begin_ns, last_index}, returned);
  if (own) return own->end_ns;
  if (last.kind == ApiKind::event_sync && copy == kNoIndex) {
    const Record* record = last_record(last.handle, {last.begin_ns, sync});
    return record == nullptr ? load_.last_end(returned)
                             : load_.work_end(last.context, record->stream, record->at, returned);
  }
  const CallIndex first = copy != kNoIndex ? copy : sync;
  const Call& begin = trace_.calls[first];
  return load_.work_end(begin.context, begin.stream, {begin.begin_ns, first}, returned);
}

}  // namespace zerostall
