// Native trace files for tests, written as the program that they stand for would run:
//
//   TraceBuilder t;
//   for (int n = 0; n < 5; ++n) t.step(n, [&] { t.launch(); t.item(); });
//   const Trace trace = t.trace();
//
// The clock only moves by calls: each takes `cost_ns`, a blocking one until the device is done. One device, streams in
// order.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "profiler/trace/build_trace.h"
#include "profiler/trace/record_codec.h"

namespace zerostall::testing {

// CUPTI's and CUDA's numbers, as they stand in the file.
enum Memory : std::uint8_t { kUnknownMemory = 0, kPageable = 1, kPinned = 2, kDevice = 3, kManaged = 5 };
enum CopyKind : std::uint8_t { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kByAddress = 4 };

class TraceBuilder {
 public:
  using Body = std::function<void()>;

  std::int64_t now_ns = 1'000'000'000;
  std::int64_t cost_ns = 100;       // host time of a call
  std::int64_t kernel_ns = 10'000;  // device time of a kernel or copy
  std::string meta = R"({"tool": "test", "clock": "modelled", "simulated_model": "h200"})";
  bool closed = true;  // false: as a killed process leaves it

  // Everything from here on happens on this thread.
  TraceBuilder& on_thread(std::uint32_t id);
  // Calls from here on come from this line of Python; no file: from nowhere that is known.
  TraceBuilder& at(const std::string& file, const std::string& function = "", std::uint32_t line = 0);

  // Marks.
  void range(const std::string& text, const Body& body, const std::string& domain = "zerostall");
  void step(int number, const Body& body) { range("step " + std::to_string(number), body); }
  void mark(format::MarkKind kind, const std::string& text, const std::string& domain = "", std::uint64_t id = 0);

  // Any call; `inside` makes nested calls. Returns the record, for changes.
  format::CallRecord& call(const std::string& name, const Body& inside = {});

  // What programs do.
  format::CallRecord& launch(std::uint64_t stream = 7, const std::string& kernel = "kernel");
  format::CallRecord& launch_graph(std::uint64_t graph);  // an executable one
  format::CallRecord& copy(const std::string& name, std::uint8_t kind, std::uint64_t bytes, std::uint8_t host_memory,
                           std::uint64_t stream = 7, bool with_record = true);
  format::CallRecord& sync(const std::string& name = "cudaStreamSynchronize_v3020", std::uint64_t stream = 7);
  void item(std::uint64_t bytes = 4);  // .item(): copy to pinned memory, stream sync
  void upload(std::uint64_t bytes);    // blocking .to("cuda"): copy from pageable memory, stream sync

  void note(format::NoteKind kind, const std::string& text, std::uint64_t value = 0);

  // The file.
  std::string bytes();
  void write(const std::filesystem::path& path);
  Trace trace();  // read and built; throws when the file cannot be read

  std::vector<format::GpuRecord> gpu_ops;  // open to changes by tests

 private:
  std::uint32_t id_of(const std::string& text);
  std::uint32_t function_id(const std::string& name);
  format::GpuRecord& run_on_device(format::GpuKind kind, std::uint32_t correlation);

  std::uint32_t thread_ = 100;
  std::vector<std::uint8_t> depth_ = {0};
  std::uint32_t next_correlation_ = 1;
  std::int64_t device_free_ns_ = 0;
  std::vector<std::string> texts_, functions_;
  std::vector<std::array<std::uint32_t, 3>> lines_;  // file, function, line; id of its stack: position + 1
  std::uint32_t stack_ = 0;
  std::vector<format::CallRecord> calls_;
  std::vector<format::MarkRecord> marks_;
  std::vector<format::NoteRecord> notes_;
};

// One segment of a file, record by record.
class SegmentBuilder {
 public:
  explicit SegmentBuilder(std::uint32_t thread = 100, std::uint64_t owner = 0, std::uint32_t sequence = 0) {
    header.owner = owner;
    header.thread = thread;
    header.sequence = sequence;
  }
  template <class Record>
  SegmentBuilder& add(const Record& record) {
    std::uint8_t buffer[format::kMostRecordBytes];
    format::Encoder io(buffer);
    format::encode(io, record, state_);
    bytes.append(buffer, io.at());
    return *this;
  }
  SegmentBuilder& define(format::DefinitionKind kind, std::uint32_t id, const std::string& text);
  // As it stands in the file at byte `place`; unsealed = as a killed process leaves it.
  std::string at(std::uint64_t place, bool sealed = true) const;

  format::SegmentHeader header;
  std::string bytes;  // the records

 private:
  format::CodecState state_;
};

inline constexpr std::size_t kFileHeaderBytes = 128;
// `file_bytes`: of the whole file; 0 = as a killed process leaves it.
std::string file_header(std::uint64_t file_bytes = 0);
// Header and segments.
std::string file_of(const std::vector<SegmentBuilder>& segments, bool closed = true);

}  // namespace zerostall::testing
