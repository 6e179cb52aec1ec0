#include "tests/bench/import_limits.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <simdjson.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace zerostall {
namespace {

namespace ondemand = simdjson::ondemand;
constexpr std::size_t kPiece = std::size_t{128} << 10;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "import_bench: %s\n", why.c_str());
  std::exit(2);
}

const std::uint8_t* bytes_of(std::span<const char> file) { return reinterpret_cast<const std::uint8_t*>(file.data()); }
std::uint8_t* bytes_of(std::span<char> to) { return reinterpret_cast<std::uint8_t*>(to.data()); }

bool is_gzip(const std::vector<char>& file) { return file.size() > 18 && file[0] == '\x1f' && file[1] == '\x8b'; }

// As the end of the file says; of files below 4 GiB of one member.
std::size_t size_expanded(std::span<const char> file) {
  std::size_t size = 0;
  for (std::size_t i = 1; i <= 4; ++i) size = size << 8 | static_cast<unsigned char>(file[file.size() - i]);
  return size;
}

// Kept from one reading to the next, as their memory is.
ondemand::parser& parser() {
  static ondemand::parser one;
  return one;
}

// Into the first `piece` bytes of `to` again and again.
std::size_t with_zlib(std::span<const char> file, std::span<char> to, std::size_t piece) {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) stop("zlib does not start");
  stream.next_in = const_cast<Bytef*>(bytes_of(file));
  stream.avail_in = static_cast<uInt>(file.size());
  std::size_t total = 0;
  for (int result = Z_OK; result == Z_OK; total += piece - stream.avail_out) {
    stream.next_out = bytes_of(to);
    stream.avail_out = static_cast<uInt>(piece);
    result = inflate(&stream, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END) stop("zlib cannot read the file");
  }
  inflateEnd(&stream);
  return total;
}

std::size_t with_isal(std::span<const char> file, std::span<char> to, std::size_t piece) {
  static inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = IGZIP_GZIP;
  state.next_in = const_cast<std::uint8_t*>(bytes_of(file));
  state.avail_in = static_cast<std::uint32_t>(file.size());
  std::size_t total = 0;
  while (state.block_state != ISAL_BLOCK_FINISH) {
    state.next_out = bytes_of(to);
    state.avail_out = static_cast<std::uint32_t>(piece);
    if (isal_inflate(&state) != ISAL_DECOMP_OK) stop("ISA-L cannot read the file");
    total += piece - state.avail_out;
  }
  return total;
}

}  // namespace

Loaded load(const std::string& path) {
  Loaded loaded;
  std::ifstream in(path, std::ios::binary);
  if (!in) stop(path + " cannot be read");
  loaded.file.assign(std::istreambuf_iterator<char>(in), {});
  if (is_gzip(loaded.file)) {
    loaded.text.resize(size_expanded(loaded.file) + kPadding);
    if (expand_libdeflate(loaded.file, loaded.text) != loaded.characters()) stop(path + " is not one gzip member");
  } else {
    loaded.text = loaded.file;
    loaded.text.resize(loaded.file.size() + kPadding);
  }
  return loaded;
}

std::int64_t read_on_demand(std::span<char> text) {
  std::int64_t events = 0;
  double times = 0;
  std::size_t letters = 0;
  try {
    ondemand::document document = parser().iterate(text.data(), text.size() - kPadding, text.size());
    const bool is_list = document.type() == ondemand::json_type::array;
    ondemand::array list = is_list ? document.get_array() : document["traceEvents"].get_array();
    for (ondemand::object event : list) {
      ++events;
      for (auto field : event) {
        const std::string_view key = field.unescaped_key();
        if (key == "ts" || key == "dur") {
          double time = 0;
          if (!field.value().get_double().get(time)) times += time;
        } else if (key == "name" || key == "cat") {
          std::string_view name;
          if (!field.value().get_string().get(name)) letters += name.size();
        }
      }
    }
  } catch (const simdjson::simdjson_error& error) {
    stop(std::string("no trace that simdjson can read: ") + error.what());
  }
  static volatile double kept;  // so that nothing of it is left out
  kept = times + static_cast<double>(letters);
  (void)kept;
  return events;
}

std::size_t expand_libdeflate(std::span<const char> file, std::span<char> to) {
  static libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
  std::size_t size = 0;
  if (libdeflate_gzip_decompress(decompressor, file.data(), file.size(), to.data(), to.size(), &size) !=
      LIBDEFLATE_SUCCESS)
    stop("libdeflate cannot read the file");
  return size;
}

std::size_t expand_zlib(std::span<const char> file, std::span<char> to) { return with_zlib(file, to, to.size()); }
std::size_t stream_zlib(std::span<const char> file, std::span<char> to) { return with_zlib(file, to, kPiece); }
std::size_t expand_isal(std::span<const char> file, std::span<char> to) { return with_isal(file, to, to.size()); }
std::size_t stream_isal(std::span<const char> file, std::span<char> to) { return with_isal(file, to, kPiece); }

}  // namespace zerostall
