// Figures of benchmarks: one place where each is printed and recorded, with the ratio to its limit. figures.py does the
// same for Python; bench.py gathers what both record.
#pragma once
#include <string>
#include <vector>

namespace zerostall {

struct Figure {
  std::string id;    // PART.NAME; goals.json has the limit under this id, if there is one
  std::string what;  // in words
  std::string unit;
  double value = 0;
  std::string more = {};   // beside it, in words
  std::string curve = {};  // of a cost curve: its name; `value` is then for one unit of `x`
  double x = 0;
};

// Prints one line, and appends one line of JSON to the file that ZEROSTALL_BENCH_FIGURES names, if it names one.
// Ends the program (2) when the file cannot be written or goals.json cannot be read.
void tell(const Figure& figure);

// A benchmark of Google's whose result is a figure.
struct FigureRun {
  std::string run;           // as Google Benchmark calls it, arguments and options included: "launch/repeats:5"
  Figure figure;             // without its value
  double factor = 1e9;       // value = seconds of an iteration * factor, or `counter` * factor
  std::string counter = {};  // taken in place of the time
};

// The main() of a benchmark program. Of repetitions the median counts; the time is CPU time, or what the benchmark says
// itself (manual_time). Returns 2 on bad options; 1 when a benchmark failed or one of `all` did not run, unless a
// filter was given.
int run_benchmarks(int argc, char** argv, const std::vector<FigureRun>& all);

}  // namespace zerostall
