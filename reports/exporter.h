// A recording in a form that other tools open, written process by process.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/chunked_output.h"
#include "reports/export_process.h"
#include "reports/named_run.h"

namespace zerostall {

enum class ExportFormat { perfetto, chrome, csv, json };
enum class CsvTable { steps, waits, calls, copies };

struct ExportOptions {
  ExportFormat format = ExportFormat::json;
  CsvTable table = CsvTable::steps;  // csv
  bool several = false;              // several processes may follow
};

// Memory is bounded by the process that is being written. An interface, as the format is chosen at run time.
class Exporter {
 public:
  virtual ~Exporter() = default;
  virtual void add(const ExportProcess& process) = 0;
  // Once, at the end. `unreadable`: what of the recording could not be read (named in JSON).
  virtual void finish(const std::vector<UnreadableTrace>& unreadable) = 0;
};

// `output` must outlive it, and is flushed by `finish`.
std::unique_ptr<Exporter> make_exporter(const ExportOptions& options, ChunkedOutput& output);

// The JSON Schema (draft 7) of format json.
std::string_view export_schema();

}  // namespace zerostall
