#include "tests/trace/trace_builder.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "profiler/base/files.h"
#include "profiler/trace/read_native.h"

namespace zerostall::testing {
namespace {

template <class T>
std::string raw(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class Record>
std::string records(format::ChunkKind kind, const std::vector<Record>& list) {
  std::string payload;
  for (const Record& record : list) payload += raw(record);
  return chunk(kind, sizeof(Record), payload);
}

}  // namespace

std::string chunk(format::ChunkKind kind, std::uint16_t record_bytes, const std::string& payload) {
  const format::ChunkHeader header{format::kChunkMagic, kind, record_bytes, static_cast<std::uint32_t>(payload.size()),
                                   format::crc32(payload.data(), payload.size())};
  return raw(header) + payload;
}

std::string file_header() {
  return raw(format::FileHeader{format::kMagic, format::kVersion, sizeof(format::FileHeader), 1, 0});
}

std::uint32_t TraceBuilder::id_of(const std::string& text) {
  if (text.empty()) return 0;
  const auto known = std::find(texts_.begin(), texts_.end(), text);
  const auto id = static_cast<std::uint32_t>(known - texts_.begin()) + 1;
  if (known == texts_.end()) texts_.push_back(text);
  return id;
}

TraceBuilder& TraceBuilder::on_thread(std::uint32_t id) {
  thread_ = id;
  return *this;
}

void TraceBuilder::mark(format::MarkKind kind, const std::string& text, const std::string& domain, std::uint64_t id) {
  marks_.push_back({++now_ns, id, thread_, id_of(domain), id_of(text), kind, {}});
}

void TraceBuilder::range(const std::string& text, const Body& body, const std::string& domain) {
  mark(format::MarkKind::push, text, domain);
  body();
  mark(format::MarkKind::pop, "", domain);
}

format::CallRecord& TraceBuilder::call(const std::string& name, const Body& inside) {
  format::CallRecord record{};
  record.begin_ns = now_ns;
  record.thread = thread_;
  record.correlation = next_correlation_++;
  record.name = id_of(name);
  record.copy_kind = 255;
  record.depth = depth_.back();
  if (inside) {
    depth_.push_back(static_cast<std::uint8_t>(record.depth + 1));
    inside();
    depth_.pop_back();
  }
  now_ns += cost_ns;
  record.end_ns = now_ns;
  calls_.push_back(record);
  return calls_.back();
}

format::GpuRecord& TraceBuilder::run_on_device(format::GpuKind kind, std::uint32_t correlation) {
  format::GpuRecord record{};
  record.begin_ns = std::max(now_ns, device_free_ns_);
  record.end_ns = device_free_ns_ = record.begin_ns + kernel_ns;
  record.correlation = correlation;
  record.stream = 13;
  record.context = 1;
  record.kind = kind;
  gpu_ops.push_back(record);
  return gpu_ops.back();
}

format::CallRecord& TraceBuilder::launch(std::uint64_t stream) {
  format::CallRecord& record = call("cudaLaunchKernel_v7000");
  record.stream = stream;
  record.context = 1;
  run_on_device(format::GpuKind::kernel, record.correlation).name = id_of("kernel");
  return record;
}

format::CallRecord& TraceBuilder::copy(const std::string& name, std::uint8_t kind, std::uint64_t bytes,
                                       std::uint8_t host_memory, std::uint64_t stream, bool with_record) {
  format::CallRecord& record = call(name);
  record.stream = stream;
  record.context = 1;
  record.bytes = bytes;
  record.copy_kind = kind;
  if (!with_record) return record;
  format::GpuRecord& op = run_on_device(format::GpuKind::copy, record.correlation);
  op.bytes = bytes;
  op.copy_kind = kind == kDeviceToDevice ? 8 : kind;
  op.source_memory = kind == kHostToDevice ? host_memory : static_cast<std::uint8_t>(kDevice);
  op.target_memory = kind == kDeviceToHost ? host_memory : static_cast<std::uint8_t>(kDevice);
  return record;
}

format::CallRecord& TraceBuilder::sync(const std::string& name, std::uint64_t stream) {
  format::CallRecord& record = call(name);
  record.stream = stream;
  record.context = 1;
  record.end_ns = now_ns = std::max(now_ns, device_free_ns_);
  return record;
}

void TraceBuilder::item(std::uint64_t bytes) {
  copy("cudaMemcpyAsync_v3020", kDeviceToHost, bytes, kPinned);
  sync();
}

void TraceBuilder::upload(std::uint64_t bytes) {
  copy("cudaMemcpyAsync_v3020", kHostToDevice, bytes, kPageable);
  sync();
}

void TraceBuilder::note(format::NoteKind kind, const std::string& text, std::uint64_t value) {
  notes_.push_back({++now_ns, value, thread_, id_of(text), kind, 0});
}

std::string TraceBuilder::bytes() {
  std::string strings;
  for (std::uint32_t i = 0; i < texts_.size(); ++i)
    strings += raw(i + 1) + raw(static_cast<std::uint32_t>(texts_[i].size())) + texts_[i];
  std::string file = file_header() + chunk(format::ChunkKind::meta, 0, meta) +
                     records(format::ChunkKind::calls, calls_) + records(format::ChunkKind::gpu_ops, gpu_ops) +
                     records(format::ChunkKind::marks, marks_) + records(format::ChunkKind::notes, notes_) +
                     chunk(format::ChunkKind::strings, 0, strings);
  if (closed) file += chunk(format::ChunkKind::end, 0, "");
  return file;
}

void TraceBuilder::write(const std::filesystem::path& path) {
  if (const auto written = write_file(path, bytes()); !written) throw std::runtime_error(written.error().message);
}

Trace TraceBuilder::trace() {
  const std::string file = bytes();
  auto raw_trace = parse_native(std::as_bytes(std::span(file)), "test.zstall");
  if (!raw_trace) throw std::runtime_error(raw_trace.error().message);
  return build_trace(std::move(*raw_trace));
}

}  // namespace zerostall::testing
