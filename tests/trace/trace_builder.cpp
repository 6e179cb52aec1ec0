#include "tests/trace/trace_builder.h"

#include <algorithm>
#include <map>
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
void spread(const std::vector<Record>& records, std::map<std::uint32_t, SegmentBuilder>& threads) {
  for (const Record& record : records)
    threads.try_emplace(record.thread, record.thread, threads.size() + 1).first->second.add(record);
}

std::string leb128(std::uint32_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}

// Layout: profiler/trace/stacks.h. One frame of Python, none native.
std::string stack_of(const std::array<std::uint32_t, 3>& line) {
  return leb128(1) + leb128(0) + leb128(0) + leb128(1) + leb128(line[0]) + leb128(line[1]) + leb128(line[2]);
}

constexpr std::uint8_t domain_of(std::string_view name) { return name.starts_with("cuda") ? 2 : 1; }

}  // namespace

SegmentBuilder& SegmentBuilder::define(format::DefinitionKind kind, std::uint32_t id, const std::string& text) {
  std::string buffer(format::kDefinitionHeadBytes + text.size(), '\0');
  auto* begin = reinterpret_cast<std::uint8_t*>(buffer.data());
  format::Encoder io(begin);
  format::encode_definition(io, kind, id, text);
  bytes.append(buffer, 0, static_cast<std::size_t>(io.at() - begin));
  return *this;
}

std::string SegmentBuilder::at(std::uint64_t place, bool sealed) const {
  format::SegmentHeader h = header;
  h.magic = format::kSegmentMagic;
  h.committed_bytes = static_cast<std::uint32_t>(bytes.size());
  h.bytes = static_cast<std::uint32_t>(sizeof h + bytes.size());
  h.place = place;
  if (sealed) {
    h.sealed = 1;
    h.sealed_bytes = h.committed_bytes;
    h.crc32 = format::crc32(bytes.data(), bytes.size());
  }
  return raw(h) + bytes;
}

std::string file_header(std::uint64_t file_bytes) {
  format::FileHeader header{format::kMagic, format::kVersion, kFileHeaderBytes, 1};
  if (file_bytes > 0) header.state = format::FileState::closed;
  header.file_bytes = file_bytes;
  std::string bytes = raw(header);
  bytes.resize(kFileHeaderBytes);
  return bytes;
}

std::string file_of(const std::vector<SegmentBuilder>& segments, bool closed) {
  std::string rest;
  for (const SegmentBuilder& segment : segments) rest += segment.at(kFileHeaderBytes + rest.size(), closed);
  return file_header(closed ? kFileHeaderBytes + rest.size() : 0) + rest;
}

std::uint32_t TraceBuilder::id_of(const std::string& text) {
  if (text.empty()) return 0;
  const auto known = std::find(texts_.begin(), texts_.end(), text);
  const auto id = static_cast<std::uint32_t>(known - texts_.begin()) + 1;
  if (known == texts_.end()) texts_.push_back(text);
  return id;
}

// Made up, as the names are.
std::uint32_t TraceBuilder::function_id(const std::string& name) {
  const auto known = std::find(functions_.begin(), functions_.end(), name);
  const auto id = static_cast<std::uint32_t>(known - functions_.begin()) + 1;
  if (known == functions_.end()) functions_.push_back(name);
  return id;
}

TraceBuilder& TraceBuilder::on_thread(std::uint32_t id) {
  thread_ = id;
  return *this;
}

TraceBuilder& TraceBuilder::at(const std::string& file, const std::string& function, std::uint32_t line) {
  stack_ = 0;
  if (file.empty()) return *this;
  const std::array place = {id_of(file), id_of(function), line};
  const auto known = std::find(lines_.begin(), lines_.end(), place);
  stack_ = static_cast<std::uint32_t>(known - lines_.begin()) + 1;
  if (known == lines_.end()) lines_.push_back(place);
  return *this;
}

void TraceBuilder::mark(format::MarkKind kind, const std::string& text, const std::string& domain, std::uint64_t id) {
  marks_.push_back({++now_ns, id, thread_, id_of(domain), id_of(text), kind});
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
  record.domain = domain_of(name);
  record.callback_id = function_id(name);
  record.depth = depth_.back();
  record.stack = stack_;
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

format::CallRecord& TraceBuilder::launch(std::uint64_t stream, const std::string& kernel) {
  format::CallRecord& record = call("cudaLaunchKernel_v7000");
  record.stream = stream;
  record.context = 1;
  run_on_device(format::GpuKind::kernel, record.correlation).name = id_of(kernel);
  return record;
}

format::CallRecord& TraceBuilder::launch_graph(std::uint64_t graph) {
  format::CallRecord& record = call("cudaGraphLaunch_v10000");
  record.stream = 7;
  record.context = 1;
  record.handle = graph;
  run_on_device(format::GpuKind::graph, record.correlation);
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
  notes_.push_back({++now_ns, value, thread_, id_of(text), kind});
}

std::string TraceBuilder::bytes() {
  std::map<std::uint32_t, SegmentBuilder> threads;
  spread(marks_, threads);
  spread(calls_, threads);
  spread(notes_, threads);
  SegmentBuilder shared(0);
  shared.define(format::DefinitionKind::meta, 0, meta);
  for (std::uint32_t i = 0; i < functions_.size(); ++i)
    shared.define(format::DefinitionKind::api_name, format::api_id(domain_of(functions_[i]), i + 1), functions_[i]);
  for (std::uint32_t i = 0; i < texts_.size(); ++i) shared.define(format::DefinitionKind::string, i + 1, texts_[i]);
  for (std::uint32_t i = 0; i < lines_.size(); ++i)
    shared.define(format::DefinitionKind::stack, i + 1, stack_of(lines_[i]));
  for (const format::GpuRecord& op : gpu_ops) shared.add(op);
  std::vector<SegmentBuilder> segments = {shared};
  for (auto& [thread, segment] : threads) segments.push_back(segment);
  return file_of(segments, closed);
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
