// Made-up recordings on their way through an exporter.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "profiler/trace/read_native.h"
#include "reports/exporter.h"
#include "tests/trace/trace_builder.h"

namespace zerostall::testing {

inline RawTrace raw_of(TraceBuilder& t) {
  const std::string file = t.bytes();
  auto raw = parse_native(std::as_bytes(std::span(file)), "t.zstall");
  if (!raw) throw std::runtime_error(raw.error().message);
  return std::move(*raw);
}

inline ExportProcess process_of(RawTrace raw, const std::string& name = "rank0") {
  return make_export_process(std::move(raw), {name, name + ".zstall", 2, {}});
}
inline ExportProcess process_of(TraceBuilder& t, const std::string& name = "rank0") {
  return process_of(raw_of(t), name);
}

// Three steps of a thread that uploads 512 B, launches and reads 4 B in a region `train`, and a wait behind the last.
inline TraceBuilder small_run() {
  TraceBuilder t;
  for (int n = 0; n < 3; ++n)
    t.step(n, [&] {
      t.upload(512);
      t.range("train", [&] {
        t.launch();
        t.item();
      });
    });
  t.item(8);
  return t;
}

inline std::string exported(const ExportOptions& options, const std::vector<const ExportProcess*>& processes,
                            const std::vector<UnreadableTrace>& unreadable = {}) {
  std::string text;
  ChunkedOutput output([&](std::string_view piece) {
    text += piece;
    return true;
  });
  const auto exporter = make_exporter(options, output);
  for (const ExportProcess* process : processes) exporter->add(*process);
  exporter->finish(unreadable);
  return text;
}

}  // namespace zerostall::testing
