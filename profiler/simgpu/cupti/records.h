// Writing one record of any kind, cut to the client's layout.
#pragma once
#include "profiler/simgpu/cupti/buffers.h"
#include "profiler/simgpu/cupti/layouts.h"
#include "profiler/simgpu/cupti/state.h"

namespace zerostall::simgpu::cupti {

template <class Record>
void write(const Record& record) {
  static_assert(sizeof(Record) % 8 == 0);
  write_record(&record, record_bytes(record.kind, client_cuda_major()));
}

// What the records of kernels, copies and memsets have in common.
template <class Record>
Record record_of(CUpti_ActivityKind kind, const Work& w, std::uint64_t begin, std::uint64_t end) {
  Record r{};
  r.kind = kind;
  r.start = begin;
  r.end = end;
  r.deviceId = w.device;
  r.contextId = w.context;
  r.streamId = w.stream_id;
  r.correlationId = w.correlation;
  return r;
}

}  // namespace zerostall::simgpu::cupti
