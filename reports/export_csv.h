// Tables for spreadsheets and data frames: RFC 4180, one header row, unknown = an empty cell.
#pragma once
#include "reports/exporter.h"

namespace zerostall {

// Units stand in the names of columns. Every row has the name of its process, and whether its times are measured or
// modelled. Texts are made printable (printable.h): a row is one line.
std::unique_ptr<Exporter> make_csv_exporter(ChunkedOutput& output, CsvTable table);

}  // namespace zerostall
