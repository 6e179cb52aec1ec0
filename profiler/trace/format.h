// The native trace file (`.zstall`): layout on disk, shared by the writer (profiler/tracer) and the reader
// (read_native.h). This header and record_codec.h are the whole description.
//
//   FileHeader (one page), then segments, each a multiple of the page size long. A segment belongs to one thread: a
//   SegmentHeader, then records one after the other, as record_codec.h lays them out. The writer maps segments into
//   its memory and raises `committed_bytes` after each record, so that a killed process loses nothing that was
//   recorded. A full segment is sealed: `sealed_bytes` and `crc32` are final. Every segment can be decoded by itself;
//   segments of one owner follow each other by `sequence`, whatever their place in the file.
//
// A file whose state is not `closed` comes from a process that ended without saying so (a signal, _exit). Unknown
// kinds of definitions are skipped and counted; an unknown kind of record ends the readable part of its segment.
//
// Byte order little endian. Times are nanoseconds of the clock that CUPTI stamps with (one clock per process; the
// simulated GPU's is virtual), signed.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace zerostall::format {

inline constexpr std::array<char, 8> kMagic = {'Z', 'S', 'T', 'A', 'L', 'L', '\r', '\n'};
inline constexpr std::uint32_t kVersion = 2;                 // raised when an old reader would misread the file
inline constexpr std::uint32_t kSegmentMagic = 0x4745535au;  // "ZSEG"

enum class FileState : std::uint32_t { recording = 0, closed = 1 };

// Why recording ended before the process did.
enum class StopReason : std::uint32_t {
  none = 0,
  no_space = 1,    // the disk is full
  file_limit = 2,  // the process may not write larger files (ulimit -f)
  max_bytes = 3,   // the limit that the user gave
  failed = 4,      // another error: stop_errno
};

// What was not recorded. The fields from `state` on change while the process runs.
struct FileHeader {
  std::array<char, 8> magic{};
  std::uint32_t version{};
  std::uint32_t header_bytes{};  // segments start there: the writer's page size
  std::uint64_t process_id{};
  std::int64_t unix_start_ns{};  // wall clock when the file was opened
  FileState state{};
  StopReason stop_reason{};
  std::int32_t stop_errno{};
  std::uint32_t reserved{};
  std::uint64_t file_bytes{};  // once closed
  std::uint64_t lost_calls{};  // made after recording had ended, or by a signal handler inside the tracer
  std::uint64_t lost_marks{};
  std::uint64_t lost_gpu_ops{};
  std::uint64_t late_calls{};  // made after the process had begun to exit; recorded until the file was closed
};
static_assert(sizeof(FileHeader) == 88);

struct SegmentHeader {
  std::uint32_t magic{};            // kSegmentMagic
  std::uint32_t bytes{};            // of the segment, this header included
  std::uint64_t owner{};            // one number per thread that ever recorded, in order of their beginning
  std::uint32_t thread{};           // kernel thread id (numbers may be used again)
  std::uint32_t sequence{};         // of this owner's segments, from 0
  std::uint32_t committed_bytes{};  // of records, at any moment
  std::uint32_t sealed_bytes{};     // of records, when sealed; the checksum is over them
  std::uint32_t crc32{};
  std::uint32_t sealed{};  // 0: still growing, no checksum yet
  std::uint64_t place{};   // of this header in the file, in bytes
  std::uint64_t reserved[2]{};
};
static_assert(sizeof(SegmentHeader) == 64);

// --- records as they are before encoding and after decoding -------------------------------------------------------

// One call of the CUDA runtime or driver API, as seen by CUPTI callbacks. Records of one thread stand in the order in
// which the calls returned.
struct CallRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t stream = 0;       // stream handle as passed; 0 = none or legacy default stream
  std::uint64_t bytes = 0;        // copies and allocations: size; else 0
  std::uint64_t handle = 0;       // event of event calls, executable graph of graph launches, else 0
  std::uint32_t thread = 0;       // kernel thread id; not encoded: the segment's
  std::uint32_t correlation = 0;  // joins GpuRecord.correlation
  std::int32_t result = 0;        // cudaError_t or CUresult; 0 = success
  std::uint32_t context = 0;      // CUPTI context uid; 0 = none
  std::uint32_t callback_id = 0;  // CUPTI cbid; with the domain it names the function (Definition api_name)
  std::uint32_t stack = 0;        // id of a stack definition; 0 = none was taken
  std::uint8_t domain = 0;        // CUpti_CallbackDomain: 1 driver, 2 runtime
  std::uint8_t depth = 0;         // recorded calls of the same thread that enclose this one; 0 = outermost
  std::uint8_t copy_kind = 255;  // cudaMemcpyKind as passed; 255 = not a copy, 254 = a copy whose direction is not said
};

enum class GpuKind : std::uint8_t { kernel = 1, copy = 2, memset = 3, graph = 4 };

// One piece of GPU work, from CUPTI activity records. copy_kind, source_memory and target_memory hold CUPTI's values
// (CUpti_ActivityMemcpyKind: 1 HtoD, 2 DtoH, 8 DtoD, 9 HtoH, 10 PtoP; CUpti_ActivityMemoryKind: 0 unknown, 1 pageable,
// 2 pinned, 3 device, 4 array, 5 managed, 6 device static, 7 managed static). begin_ns or end_ns 0 = CUPTI gave no
// time. A record of kind `graph` stands for all that one launch of a graph did.
struct GpuRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t graph_node = 0;  // 0 = not from a CUDA graph
  std::uint32_t correlation = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;  // CUPTI stream id
  std::uint32_t name = 0;    // string id of the kernel's (mangled) name; 0 for all but kernels
  std::uint32_t graph = 0;   // id of the graph that was launched; 0 = none
  GpuKind kind = GpuKind::kernel;
  std::uint8_t copy_kind = 0;
  std::uint8_t source_memory = 0;
  std::uint8_t target_memory = 0;
  std::uint8_t flags = 0;  // bit 0: issued by an asynchronous API
};

enum class MarkKind : std::uint8_t { push = 1, pop = 2, start = 3, end = 4, instant = 5 };

// One NVTX event. push/pop nest per thread and domain; start/end are joined by `range`.
struct MarkRecord {
  std::int64_t time_ns = 0;
  std::uint64_t range = 0;   // id of a start/end pair, else 0
  std::uint32_t thread = 0;  // not encoded
  std::uint32_t domain = 0;  // string id of the domain's name; 0 = default domain
  std::uint32_t text = 0;    // string id; 0 for pop and end
  MarkKind kind = MarkKind::push;
};

enum class NoteKind : std::uint32_t {
  lost_records = 1,      // value = how many GPU records CUPTI or the tracer dropped; text = why
  unsupported_call = 2,  // text = function the simulated GPU does not implement
  unreal_readback = 3,   // simulated GPU: bytes read back that a kernel may have written; value = bytes, text = how
  tool_problem = 4,      // text = what went wrong inside the tracer
  warning = 5,           // text = what may make the trace wrong or incomplete; recording went on
  detached = 6,          // text = why nothing was recorded from here on, although the program ran on
  window_open = 8,       // recording was switched on (ZEROSTALL_TRACE_WINDOW); value 1 = it was on from the start
  window_close = 9,      // recording was switched off: what the program did from here on is unknown; value 1 = it was
                         // never on before
  clock_step = 7,        // value = nanoseconds by which the clock of the time stamps was set, text = the same in words
};

struct NoteRecord {
  std::int64_t time_ns = 0;
  std::uint64_t value = 0;
  std::uint32_t thread = 0;  // not encoded
  std::uint32_t text = 0;    // string id
  NoteKind kind = NoteKind::lost_records;
};

// Time that CUPTI or the driver took for itself (CUpti_ActivityOverhead).
struct OverheadRecord {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t kind = 0;    // CUpti_ActivityOverheadKind
  std::uint32_t thread = 0;  // kernel thread id; 0 = unknown
  std::uint32_t correlation = 0;
};

// Something that records name by number. May stand after the first record that names it, in another segment.
enum class DefinitionKind : std::uint32_t {
  meta = 1,      // id 0: a JSON object; joined as native_meta.h says
  string = 2,    // ids from 1; id 0 is the empty string
  api_name = 3,  // id = callback_id * 4 + domain; CUPTI's name, with version suffix (cudaMalloc_v3020)
  module = 4,    // layout of both: stacks.h
  stack = 5,
};

constexpr std::uint32_t api_id(std::uint8_t domain, std::uint32_t callback_id) { return callback_id * 4 + domain; }

// CRC-32 (IEEE 802.3, reflected, as zlib's crc32); here because the tracer links no library into foreign processes.
inline std::uint32_t crc32(const void* data, std::size_t bytes, std::uint32_t seed = 0) {
  static constexpr auto table = [] {
    std::array<std::array<std::uint32_t, 256>, 8> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1) ? 0xedb88320u ^ (c >> 1) : c >> 1;
      t[0][i] = c;
    }
    for (std::uint32_t i = 0; i < 256; ++i)
      for (std::size_t s = 1; s < 8; ++s) t[s][i] = (t[s - 1][i] >> 8) ^ t[0][t[s - 1][i] & 0xffu];
    return t;
  }();
  const auto* p = static_cast<const unsigned char*>(data);
  std::uint32_t c = ~seed;
  for (; bytes >= 8; bytes -= 8, p += 8) {  // eight bytes a turn ("slicing by 8")
    const std::uint32_t low =
        c ^ (std::uint32_t(p[0]) | std::uint32_t(p[1]) << 8 | std::uint32_t(p[2]) << 16 | std::uint32_t(p[3]) << 24);
    c = table[7][low & 0xffu] ^ table[6][(low >> 8) & 0xffu] ^ table[5][(low >> 16) & 0xffu] ^ table[4][low >> 24] ^
        table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
  }
  for (; bytes > 0; --bytes, ++p) c = (c >> 8) ^ table[0][(c ^ *p) & 0xffu];
  return ~c;
}

}  // namespace zerostall::format
