// The budgets of a policy: [budget] and [[rule]].
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "profiler/gate/policy_file_values.h"

namespace zerostall {

// Why a figure cannot be limited like that, and what to do instead; "" = it can.
std::string why_not(const Scope& scope, const Metric& metric, const Limit& limit);

// "unknown metric `wait`, did you mean `waits`?".
std::string unknown_metric(std::string_view name);

// Reads them one after the other, and remembers which limits there are.
class BudgetReader {
 public:
  explicit BudgetReader(PolicyProblems& problems) : problems_(problems) {}

  void read_budget(const TomlEntry& entry);  // `budget`
  void read_rules(const TomlEntry& entry);   // `rule`
  // Of a policy whose device is simulated, where times are modelled.
  void refuse_times(std::string_view device);

  // In the order of the file; of use once.
  std::vector<Budget> take();

 private:
  void read_metrics(const TomlValue& table, const Scope& scope, Level level);
  void read_named(const TomlEntry& group, std::string_view path, bool (BudgetReader::*set)(const TomlEntry&, Scope&));
  void read_limits(const TomlEntry& entry, const Scope& scope, const Metric& metric, Level level);
  void read_table(const TomlEntry& entry, const Scope& scope, const Metric& metric, Level level);
  void read_window(const TomlEntry& entry, const Budget& budget);
  std::optional<std::int64_t> read_amount(const TomlEntry& entry, const Metric& metric);
  void add(TomlPlace place, Budget budget);
  void read_rule(const TomlValue& rule);

  bool set_region(const TomlEntry& entry, Scope& scope);
  bool set_cause(const TomlEntry& entry, Scope& scope);
  bool set_site(const TomlEntry& entry, Scope& scope);
  bool set_device(const TomlEntry& entry, Scope& scope);
  bool set_rank(const TomlEntry& entry, Scope& scope);

  // All that makes two limits the same but for the amount: one may warn of less than what another forbids.
  using Key = std::tuple<std::string_view, Scope::Part, std::string, std::string, std::string, std::string,
                         std::optional<std::int64_t>, Statistic, std::int64_t, bool, Level>;
  PolicyProblems& problems_;
  std::map<Key, std::uint32_t> lines_;  // of the limits there are
  std::vector<std::pair<TomlPlace, Budget>> budgets_;
};

}  // namespace zerostall
