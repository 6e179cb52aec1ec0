#include "reports/exporter.h"

#include "reports/export_chrome.h"
#include "reports/export_csv.h"
#include "reports/export_json.h"
#include "reports/export_perfetto.h"

namespace zerostall {

std::unique_ptr<Exporter> make_exporter(const ExportOptions& options, ChunkedOutput& output) {
  switch (options.format) {
    case ExportFormat::perfetto:
      return make_perfetto_exporter(output);
    case ExportFormat::chrome:
      return make_chrome_exporter(output, options.several);
    case ExportFormat::csv:
      return make_csv_exporter(output, options.table);
    case ExportFormat::json:
      break;
  }
  return make_json_exporter(output);
}

}  // namespace zerostall
