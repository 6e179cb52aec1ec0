// How single figures are written, in every text report alike.
#pragma once
#include <optional>
#include <string>

#include "profiler/analyze/summary.h"

namespace zerostall {

std::string show(const Count& count);                              // "3", "unknown"
std::string show_time(const Count& nanos);                         // "1.25 ms", "unknown"
std::string show_bytes(Bytes bytes);                               // "12,582,912 B"
std::string show_range(const std::optional<Spread>& spread);       // "3" when all are equal, "1..3", "unknown"
std::string show_time_range(const std::optional<Spread>& spread);  // "1.25 ms", "1.2..1.4 ms", "unknown"

// A counter with what belongs next to it where that is not 0: "0 + 13 unknown" for blocking copies beside copies that
// may block or not, "0 ms + 1.25 ms on other threads" for blocked time.
std::string show_counter(Counter counter, const CounterSpreads& spreads);
std::string show_counter(Counter counter, const Counters& counters);

// "2 of 3 waits in `train` found nothing queued before, ..."; "" when there are none or it is not known.
std::string idle_sentence(const Counters& counters, const std::string& where, const std::string& mark);

// "between the steps: 26 host waits in `backup`, 3 in `validate`"; "" when there are none.
std::string between_sentence(const RunSummary& run);

// "simulated H200", "NVIDIA H200", "unknown device".
std::string show_device(const TraceMeta& meta);

// The command of a process, short: "python3.11 train.py + 2 arguments", cut where it is long; "" = not known.
std::string show_command(const TraceMeta& meta);

// Why modelled times of a run are not the same each time.
std::string not_repeatable_sentence(const TraceMeta& meta);

// " (modelled)" for times of the simulated GPU, else "".
std::string time_mark(const TraceMeta& meta);

}  // namespace zerostall
