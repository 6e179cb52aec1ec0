// Policies as people write them, and texts that policies are made of.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "profiler/gate/policy_file.h"
#include "profiler/gate/propose_text.h"

namespace {

void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  __builtin_trap();
}

bool is_one_line(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20) return false;
  return !text.empty();
}

void read_policy(std::string_view text) {
  const auto policy = zerostall::parse_policy(text, "z.toml");
  if (!policy) {
    promise(policy.error().message.starts_with("z.toml:") && is_one_line(policy.error().message),
            "an error is one line");
    return;
  }
  for (const zerostall::Budget& budget : policy->budgets)
    promise(budget.metric != nullptr && budget.line > 0 && budget.limit.at_most >= 0 && !describe(budget).empty(),
            "a budget limits something");
  for (const zerostall::Allowance& allowance : policy->allow)
    promise(!allowance.reason.empty() && !describe(allowance).empty(), "an allowance has a reason");
}

void read_limit(std::string_view text) {
  const auto budget = zerostall::parse_max(text);
  promise(budget ? budget->metric != nullptr : is_one_line(budget.error().message), "a limit, or one line");
}

// What is written into a policy is read back from it.
void write_and_read(std::string_view text) {
  const std::string quoted = zerostall::toml_text(text);
  if (quoted.empty() || text.empty()) return;
  const auto policy =
      zerostall::parse_policy(zerostall::toml_comment(text) + "[budget.region." + quoted + "]\nwaits = 0\n", "z.toml");
  promise(policy && policy->budgets.size() == 1 && policy->budgets[0].scope.region == text, "a text comes back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_policy(text);
  read_limit(text);
  write_and_read(text);
  return 0;
}
