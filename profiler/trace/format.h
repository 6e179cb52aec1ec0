// The native trace file (`.zstall`): layout on disk, shared by the writer (profiler/tracer) and the reader
// (read_native.h). This header is the whole description.
//
//   FileHeader, then chunks. A chunk is a ChunkHeader and `payload_bytes` of payload; nothing is ever rewritten, so a
//   file that was cut off anywhere is valid up to its last complete chunk. A file without a final `end` chunk is
//   "truncated". Payload of calls, gpu_ops, marks, notes: an array of records of `record_bytes` each. Records grow only
//   at their end; a reader copies min(record_bytes, its own size) and zero-fills the rest, so old and new files and
//   readers mix. Payload of strings: repeated { uint32 id, uint32 length, bytes }, ids from 1; id 0 is the empty
//   string. A string is written before, or in the same flush as, the first record that names it. Payload of meta: one
//   JSON object; keys of later meta chunks replace those of earlier ones.
//
// Byte order little endian. Times are nanoseconds of the clock that CUPTI stamps with (one clock per process; the
// simulated GPU's is virtual), signed. Unknown chunk kinds are skipped and counted. A wrong checksum ends the readable
// part.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace zerostall::format {

inline constexpr std::array<char, 8> kMagic = {'Z', 'S', 'T', 'A', 'L', 'L', '\r', '\n'};
inline constexpr std::uint32_t kVersion = 1;               // raised only when an old reader would misread the file
inline constexpr std::uint32_t kChunkMagic = 0x4b48435au;  // "ZCHK"

struct FileHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_bytes;  // sizeof(FileHeader) of the writer: chunks start there
  std::uint64_t process_id;
  std::int64_t unix_start_ns;  // wall clock when the file was opened
};
static_assert(sizeof(FileHeader) == 32);

enum class ChunkKind : std::uint16_t { meta = 1, strings = 2, calls = 3, gpu_ops = 4, marks = 5, notes = 6, end = 7 };

struct ChunkHeader {
  std::uint32_t magic;  // kChunkMagic
  ChunkKind kind;
  std::uint16_t record_bytes;  // 0 for meta, strings, end
  std::uint32_t payload_bytes;
  std::uint32_t crc32;  // of the payload
};
static_assert(sizeof(ChunkHeader) == 16);

// One call of the CUDA runtime or driver API, as seen by CUPTI callbacks.
struct CallRecord {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::uint32_t thread;       // kernel thread id
  std::uint32_t correlation;  // joins GpuRecord.correlation
  std::uint32_t name;         // string id; CUPTI's name, with version suffix (cudaMalloc_v3020)
  std::int32_t result;        // cudaError_t or CUresult; 0 = success
  std::uint64_t stream;       // stream handle as passed; 0 = none or legacy default stream
  std::uint64_t bytes;        // copies and allocations: size; else 0
  std::uint64_t handle;       // event handle of event calls, else 0
  std::uint32_t context;      // CUPTI context uid; 0 = none
  std::uint32_t callback_id;  // CUPTI cbid
  std::uint8_t domain;        // CUpti_CallbackDomain: 1 driver, 2 runtime
  std::uint8_t depth;         // recorded calls of the same thread that enclose this one; 0 = outermost
  std::uint8_t
      copy_kind;  // cudaMemcpyKind as passed; 255 = not a copy, 254 = a copy whose direction the call does not say
  std::uint8_t reserved[5];
};
static_assert(sizeof(CallRecord) == 72);

enum class GpuKind : std::uint8_t { kernel = 1, copy = 2, memset = 3 };

// One piece of GPU work, from CUPTI activity records. copy_kind, source_memory and target_memory hold CUPTI's values
// (CUpti_ActivityMemcpyKind: 1 HtoD, 2 DtoH, 8 DtoD, 9 HtoH, 10 PtoP; CUpti_ActivityMemoryKind: 0 unknown, 1 pageable,
// 2 pinned, 3 device, 4 array, 5 managed, 6 device static, 7 managed static). begin_ns or end_ns 0 = CUPTI gave no
// time.
struct GpuRecord {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::uint64_t bytes;
  std::uint64_t graph_node;  // 0 = not from a CUDA graph
  std::uint32_t correlation;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;  // CUPTI stream id
  std::uint32_t name;    // string id of the kernel's (mangled) name; 0 for copies and memsets
  GpuKind kind;
  std::uint8_t copy_kind;
  std::uint8_t source_memory;
  std::uint8_t target_memory;
  std::uint32_t flags;  // bit 0: issued by an asynchronous API
  std::uint32_t reserved;
};
static_assert(sizeof(GpuRecord) == 64);

enum class MarkKind : std::uint8_t { push = 1, pop = 2, start = 3, end = 4, instant = 5 };

// One NVTX event. push/pop nest per thread and domain; start/end are joined by `range`.
struct MarkRecord {
  std::int64_t time_ns;
  std::uint64_t range;  // id of a start/end pair, else 0
  std::uint32_t thread;
  std::uint32_t domain;  // string id of the domain's name; 0 = default domain
  std::uint32_t text;    // string id; 0 for pop and end
  MarkKind kind;
  std::uint8_t reserved[3];
};
static_assert(sizeof(MarkRecord) == 32);

enum class NoteKind : std::uint32_t {
  lost_records = 1,      // value = how many GPU records CUPTI or the tracer dropped; text = why
  unsupported_call = 2,  // text = function the simulated GPU does not implement
  unreal_readback = 3,   // simulated GPU: bytes read back that a kernel may have written; value = bytes, text = how
  tool_problem = 4,      // text = what went wrong inside the tracer
  warning = 5,           // text = what may make the trace wrong or incomplete; recording went on
  detached = 6,          // text = why nothing was recorded from here on, although the program ran on
  clock_step = 7,        // value = nanoseconds by which the clock of the time stamps was set, text = the same in words
};

struct NoteRecord {
  std::int64_t time_ns;
  std::uint64_t value;
  std::uint32_t thread;
  std::uint32_t text;  // string id
  NoteKind kind;
  std::uint32_t reserved;
};
static_assert(sizeof(NoteRecord) == 32);

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
