// The three answers a gate can give. There is no fourth: what cannot be judged is never passed.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zerostall {

enum class Verdict : std::uint8_t { pass, violation, cannot_tell };

constexpr std::string_view name_of(Verdict verdict) {
  return verdict == Verdict::pass ? "pass" : verdict == Verdict::violation ? "violation" : "cannot-tell";
}

// One line of why it is not a pass, with the verdict that this reason alone would give.
struct Reason {
  Verdict verdict = Verdict::cannot_tell;
  std::string text;
};

struct Judgement {
  Verdict verdict = Verdict::pass;
  std::vector<Reason> reasons;     // violations first; empty for a pass
  std::vector<std::string> notes;  // what a reader of the verdict must know, whatever it is
};

}  // namespace zerostall
