#include "profiler/trace/import/text_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace zerostall {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 18;
constexpr std::uint8_t kGzip[] = {0x1f, 0x8b};

std::string size_text(Bytes bytes) {
  if (bytes >= Bytes{1} << 30) return fmt::format("{} GiB", bytes >> 30);
  if (bytes >= Bytes{1} << 20) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{} bytes", bytes);
}

}  // namespace

struct TextSource::State {
  std::string name;
  int file = -1;
  std::span<const std::byte> memory;  // instead of a file: what is not yet read of it
  Bytes most_expanded = 0;

  std::vector<std::uint8_t> input;  // read ahead: [first, last) is not yet used
  std::size_t first = 0, last = 0;
  bool input_ended = false;
  std::uint64_t input_bytes = 0, output_bytes = 0;

  bool compressed = false;
  bool in_member = false;  // a gzip file may hold several, one behind the other
  inflate_state inflate{};
  std::string damage;

  ~State() {
    if (file >= 0) ::close(file);
  }

  // Errno; 0 = read, or the input has ended.
  int more_input() {
    if (first == last) first = last = 0;
    const std::size_t room = input.size() - last;
    ssize_t n = 0;
    if (file < 0) {
      n = static_cast<ssize_t>(std::min(room, memory.size()));
      std::memcpy(input.data() + last, memory.data(), static_cast<std::size_t>(n));
      memory = memory.subspan(static_cast<std::size_t>(n));
    } else {
      do n = ::read(file, input.data() + last, room);
      while (n < 0 && errno == EINTR);
    }
    if (n < 0) return errno;
    input_ended = n == 0;
    last += static_cast<std::size_t>(n);
    input_bytes += static_cast<std::uint64_t>(n);
    return 0;
  }

  bool is_gzip_next() const { return last - first >= 2 && std::memcmp(input.data() + first, kGzip, 2) == 0; }

  void begin_member() {
    isal_inflate_init(&inflate);
    inflate.crc_flag = ISAL_GZIP;
    in_member = true;
  }

  int read_directly(std::span<char> to, std::size_t* filled);
  int read_plain(std::span<char> to, std::size_t* filled);
  int read_compressed(std::span<char> to, std::size_t* filled);
  bool find_next_member(int* error);
};

// What is not buffered yet goes where it is wanted.
int TextSource::State::read_directly(std::span<char> to, std::size_t* filled) {
  ssize_t n = 0;
  do n = ::read(file, to.data() + *filled, to.size() - *filled);
  while (n < 0 && errno == EINTR);
  if (n < 0) return errno;
  input_ended = n == 0;
  input_bytes += static_cast<std::uint64_t>(n);
  *filled += static_cast<std::size_t>(n);
  return 0;
}

int TextSource::State::read_plain(std::span<char> to, std::size_t* filled) {
  while (*filled < to.size()) {
    if (first == last) {
      if (input_ended) return 0;
      if (const int error = file < 0 ? more_input() : read_directly(to, filled)) return error;
      continue;
    }
    const std::size_t n = std::min(last - first, to.size() - *filled);
    std::memcpy(to.data() + *filled, input.data() + first, n);
    first += n;
    *filled += n;
  }
  return 0;
}

// False at the end: nothing, or what is no gzip member (some tools pad with zeros), follows.
bool TextSource::State::find_next_member(int* error) {
  while (!input_ended && last - first < 2) {
    if (first > 0) {
      std::memmove(input.data(), input.data() + first, last - first);
      last -= first;
      first = 0;
    }
    if ((*error = more_input())) return false;
  }
  if (!is_gzip_next()) {
    first = last;
    input_ended = true;
    return false;
  }
  begin_member();
  return true;
}

int TextSource::State::read_compressed(std::span<char> to, std::size_t* filled) {
  while (*filled < to.size() && damage.empty()) {
    int error = 0;
    if (!in_member && !find_next_member(&error)) return error;
    if (first == last && !input_ended && (error = more_input())) return error;
    inflate.next_in = input.data() + first;
    inflate.avail_in = static_cast<std::uint32_t>(last - first);
    inflate.next_out = reinterpret_cast<std::uint8_t*>(to.data()) + *filled;
    inflate.avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(to.size() - *filled, std::size_t{1} << 30));
    const std::uint32_t in_before = inflate.avail_in, out_before = inflate.avail_out;
    const int result = isal_inflate(&inflate);
    first = last - inflate.avail_in;
    *filled += out_before - inflate.avail_out;
    if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT) {
      damage = result == ISAL_INCORRECT_CHECKSUM ? "gzip checksum" : "gzip data";
    } else if (inflate.block_state == ISAL_BLOCK_FINISH) {
      in_member = false;
    } else if (input_ended && in_before == 0 && out_before == inflate.avail_out) {
      damage = "gzip data ends early";
    }
  }
  return 0;
}

TextSource::TextSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextSource::TextSource(TextSource&&) noexcept = default;
TextSource& TextSource::operator=(TextSource&&) noexcept = default;
TextSource::~TextSource() = default;

Result<TextSource> TextSource::open(const std::filesystem::path& path, Bytes most_expanded) {
  auto state = std::make_unique<State>();
  state->name = path.string();
  state->most_expanded = most_expanded;
  state->file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (state->file < 0) return Error{fmt::format("cannot read {}: {}", path.string(), std::strerror(errno))};
  ::posix_fadvise(state->file, 0, 0, POSIX_FADV_SEQUENTIAL);
  state->input.resize(kInputBytes);
  while (!state->input_ended && state->last < 2)
    if (const int error = state->more_input())
      return Error{fmt::format("cannot read {}: {}", path.string(), std::strerror(error))};
  state->compressed = state->is_gzip_next();
  return TextSource(std::move(state));
}

TextSource TextSource::of(std::span<const std::byte> bytes, std::string name, Bytes most_expanded) {
  auto state = std::make_unique<State>();
  state->name = std::move(name);
  state->most_expanded = most_expanded;
  state->memory = bytes;
  state->input.resize(kInputBytes);
  state->more_input();
  state->compressed = state->is_gzip_next();
  return TextSource(std::move(state));
}

Result<std::size_t> TextSource::read(std::span<char> to) {
  State& s = *state_;
  std::size_t filled = 0;
  const int error = s.compressed ? s.read_compressed(to, &filled) : s.read_plain(to, &filled);
  if (error) return Error{fmt::format("cannot read {}: {}", s.name, std::strerror(error))};
  s.output_bytes += filled;
  if (s.compressed && s.output_bytes > s.most_expanded)
    return Error{
        fmt::format("{} expands to more than {}: if that is what it should do, raise the limit with --max-expanded",
                    s.name, size_text(s.most_expanded))};
  return filled;
}

const std::string& TextSource::damage() const { return state_->damage; }
std::uint64_t TextSource::input_bytes() const { return state_->input_bytes; }
bool TextSource::is_compressed() const { return state_->compressed; }

}  // namespace zerostall
