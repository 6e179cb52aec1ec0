// Which waits of the judged steps are let pass.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/analyze/summary.h"
#include "profiler/gate/policy.h"

namespace zerostall {

// What became of one allowance in one run.
struct AllowanceUse {
  bool expired = false;      // it lets nothing pass any more
  std::int64_t waits = 0;    // in judged steps, that it let pass; of an expired one, that it would have let pass
  std::int64_t refused = 0;  // in judged steps, that match, and were too many for it or came too soon
};

// Position of the allowance in the list given that lets a wait pass, or would have before it expired.
inline constexpr std::uint32_t kNoAllowance = 0xffffffffu;
inline constexpr std::uint32_t kByProgram = 0xfffffffeu;  // no allowance: the program itself (AllowedInProgram)
struct WaitPass {
  std::uint32_t allowed_by = kNoAllowance;
  std::uint32_t expired = kNoAllowance;
  bool allowed() const { return allowed_by != kNoAllowance; }
};

// What the program itself lets pass, by a region `allow waits: REASON` (kAllowPrefix) around it.
struct AllowedInProgram {
  std::string reason;               // never empty: without one nothing is let pass
  std::int64_t waits = 0;           // in judged steps
  std::vector<std::string> places;  // Site::place, each once, by first appearance
};

struct AllowedWaits {
  // By position in RunSummary::steps, then in StepRow::waits. Steps that are not judged have empty lists.
  std::vector<std::vector<WaitPass>> by_step;
  std::vector<AllowanceUse> uses;            // one per allowance
  std::vector<AllowedInProgram> in_program;  // by first appearance of the reason
};

// Total. Each wait is let pass by the program itself, or by the first allowance that matches and is not used up.
// Distances between steps are those of their numbers where these rise, else of their positions. Linear in waits, and in
// sites times allowances with stars.
AllowedWaits apply_allowances(const RunSummary& run, std::span<const Allowance> allowances, const Date& today);

// Whether a glob of a policy means this place: path:function, a path alone, or what a person sees of the place. As in
// .gitignore it holds at every depth of folders: trainer.py:step is src/trainer.py:step too.
bool is_at(const Site& site, std::string_view glob);

// "path:function" as site globs see it: "train.py:step"; of a place without a file what a person sees of it.
std::string site_key(const Site& site);

}  // namespace zerostall
