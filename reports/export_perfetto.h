// Binary trace of Perfetto (ui.perfetto.dev, trace_processor): one packet sequence of track events.
#pragma once
#include "reports/exporter.h"

namespace zerostall {

// Times are the trace's own, in nanoseconds. Names are made printable (printable.h), so that all text is UTF-8. Of two
// processes with the same number, or without one, the second gets a number that is free: the viewer would take them for
// one.
std::unique_ptr<Exporter> make_perfetto_exporter(ChunkedOutput& output);

}  // namespace zerostall
