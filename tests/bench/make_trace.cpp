// Makes a big trace out of a small one of PyTorch's profiler, by repeating it: each repetition begins after the one
// before has ended, and has steps, correlation ids, flows and external ids of its own. What the right answer about it
// is follows from the small one, and is printed as JSON.
#include <fmt/format.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/bench/trace_template.h"

namespace zerostall {
namespace {

constexpr std::size_t kPadding = 64;  // simdjson reads beyond the end
constexpr std::size_t kPiece = std::size_t{1} << 20;

struct Options {
  std::string input, output;
  std::int64_t events = 0, steps = 0;
  bool gzip = false;
};

// Whole file, compressed or not, with padding behind it.
std::string read(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error(path + ": cannot be read");
  std::string text;
  for (int got = 1; got > 0;) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    got = gzread(file, text.data() + before, kPiece);
    if (got < 0) throw std::runtime_error(path + ": damaged");
    text.resize(before + static_cast<std::size_t>(got));
  }
  gzclose(file);
  text.reserve(text.size() + kPadding);
  return text;
}

// A file being written, compressed on demand. Counts the bytes of text.
class Output {
 public:
  Output(const std::string& path, bool gzip) : path_(path), file_(gzopen(path.c_str(), gzip ? "wb1" : "wbT")) {
    if (file_ == nullptr) throw std::runtime_error(path + ": cannot be written");
    gzbuffer(file_, kPiece);
  }
  void write(std::string_view text) {
    bytes += text.size();
    for (std::size_t at = 0; at < text.size(); at += kPiece) {
      const std::string_view piece = text.substr(at, kPiece);
      if (gzwrite(file_, piece.data(), static_cast<unsigned>(piece.size())) != static_cast<int>(piece.size())) fail();
    }
  }
  void close() {
    if (gzclose(file_) != Z_OK) fail();
  }
  std::uint64_t bytes = 0;

 private:
  [[noreturn]] void fail() const { throw std::runtime_error(path_ + ": could not be written to the end"); }
  std::string path_;
  gzFile file_;
};

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Enough for the events and the steps that are asked for.
std::int64_t repetitions(const TraceTemplate& trace, const Options& options) {
  if (options.steps > 0 && trace.steps == 0) throw std::runtime_error(options.input + ": it has no steps to repeat");
  const auto events = static_cast<std::int64_t>(trace.events.size());
  const std::int64_t by_steps = options.steps > 0 ? divide_up(options.steps, trace.steps) : 1;
  return std::max(divide_up(options.events, events), by_steps);
}

std::uint64_t write(const TraceTemplate& trace, std::int64_t count, const Options& options) {
  Output out(options.output, options.gzip);
  std::string text(trace.prolog);
  for (const std::string_view event : trace.once) text.append(",\n  ").append(event);
  for (std::int64_t i = 0; i < count; ++i) {
    append_repetition(trace, i, text);
    if (i == 0) text.erase(trace.prolog.size(), 1);  // the comma before the first event
    out.write(text);
    text.clear();
  }
  out.write("\n  ");
  out.write(trace.epilog);
  out.close();
  return out.bytes;
}

nlohmann::ordered_json multiplied(const std::map<std::string, std::int64_t>& counts, std::int64_t by) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, count] : counts) json[name] = count * by;
  return json;
}

void make(const Options& options) {
  const std::string text = read(options.input);
  auto trace = take_apart(text, text.size() + kPadding);
  if (!trace) throw std::runtime_error(options.input + ": " + trace.error().message);
  const std::int64_t count = repetitions(*trace, options);
  const double length_us = static_cast<double>(trace->time_stride_us) * static_cast<double>(count);
  if (length_us > 4e15)
    throw std::runtime_error("so many repetitions take longer than a clock of nanoseconds can tell");
  const std::uint64_t bytes = write(*trace, count, options);
  nlohmann::ordered_json right;
  right["bytes"] = bytes;
  right["repetitions"] = count;
  right["events"] = trace->once.size() + trace->events.size() * static_cast<std::size_t>(count);
  right["steps"] = trace->steps * count;
  right["calls"] = multiplied(trace->calls, count);
  right["copies"] = multiplied(trace->copies, count);
  fmt::print("{}\n", right.dump(2));
}

}  // namespace
}  // namespace zerostall

int main(int argc, char** argv) {
  zerostall::Options options;
  CLI::App app("Repeats a trace of PyTorch's profiler until it has so many events and steps; prints what it holds");
  app.add_option("input", options.input, "the trace, .json or .json.gz")->required();
  app.add_option("output", options.output, "the big trace")->required();
  app.add_option("--events", options.events, "at least so many");
  app.add_option("--steps", options.steps, "at least so many");
  app.add_flag("--gzip", options.gzip, "compress it");
  CLI11_PARSE(app, argc, argv);
  try {
    zerostall::make(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
  return 0;
}
