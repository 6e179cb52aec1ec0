// Values that a run on the simulated GPU gets for read-backs (`--sim-values FILE`). Kernels compute nothing there, so a
// program that branches on what it reads back may need to be told what to find. Shared by the command line, which
// checks the file, and the simulated GPU, which uses it. Format: simgpu/README-values.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zerostall {

enum class AfterLast : std::uint8_t { repeat, zero, cycle };

struct SuppliedRead {
  // Which read-backs: all that are given must match.
  std::optional<std::uint64_t> bytes;  // size of the read
  std::string range;                   // glob on the names of the NVTX ranges the thread is in; empty: any
  std::string at;                      // glob on "path/file.py:31", or its end after a '/'; empty: any
  std::string function;                // glob on the Python function's name; empty: any
  std::string library;                 // glob on the innermost library frame; empty: any
  std::optional<std::uint64_t> nth;    // only the n-th read-back (from 1) that the conditions above let through
  bool always = false;                 // also when the real value is known

  // What they get: the k-th match gets the k-th value; each is repeated to fill the read.
  std::vector<std::string> values;  // bytes
  AfterLast after = AfterLast::repeat;
};

struct SuppliedValues {
  std::vector<SuppliedRead> reads;  // the first that matches is used
};

// Reads a file. On failure `error` is one line: "FILE: entry 2: what is wrong".
std::optional<SuppliedValues> load_sim_values(const std::string& path, std::string* error);

// The same from text; `name` stands for the file in messages.
std::optional<SuppliedValues> parse_sim_values(const std::string& text, const std::string& name, std::string* error);

}  // namespace zerostall
