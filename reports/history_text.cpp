#include "reports/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "profiler/base/printable.h"
#include "profiler/base/strings.h"
#include "profiler/gate/baseline_words.h"
#include "reports/table.h"

namespace zerostall {
namespace {

constexpr std::int64_t kPlotRows = 8;
constexpr std::size_t kColumn = 2;  // characters a commit takes

bool is_hash(const std::string& commit) {
  return commit.size() >= 40 && commit.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// As git shows it; other names whole.
std::string short_commit(const std::string& commit) {
  return is_hash(commit) ? commit.substr(0, 9) : printable(commit);
}

std::string nouns_of(const std::string& metric) {
  const Metric* known = find_metric(metric);
  return known == nullptr ? metric : gate::plural_of(known->noun);
}

std::string setting_of(const HistoryConfiguration& configuration) {
  std::string text = printable(configuration.device);
  if (!configuration.program.empty()) text += " · " + printable(configuration.program);
  if (configuration.ranks > 1) text += fmt::format(" · {} processes", configuration.ranks);
  if (!configuration.branch.empty()) text += " · branch " + printable(configuration.branch);
  return text;
}

std::string day_of(const std::optional<std::int64_t>& seconds) {
  if (!seconds || *seconds < 0 || *seconds > 253'402'300'799) return "";  // year 9999
  const std::chrono::sys_seconds at{std::chrono::seconds(*seconds)};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(at)};
  return fmt::format("{:04}-{:02}-{:02}", int(day.year()), unsigned(day.month()), unsigned(day.day()));
}

const HistoryValue* value_of(const HistoryCommit& commit, const std::string& metric) {
  const auto value = commit.values.find(metric);
  return value == commit.values.end() ? nullptr : &value->second;
}

std::string value_words(const HistoryValue* value) {
  if (value == nullptr) return "unknown";
  return value->min == value->max ? fmt::to_string(value->max) : fmt::format("{}..{}", value->min, value->max);
}

std::string rise_words(const HistorySeries& series, const Rise& rise, const std::string& metric) {
  const std::string good = short_commit(series.commits[rise.before].commit);
  const std::string bad = short_commit(series.commits[rise.at].commit);
  const std::string count = rise.more_often ? fmt::format("{} more often, {} in {} steps → {} in {}", nouns_of(metric),
                                                          rise.from_sum, rise.from_steps, rise.to_sum, rise.to_steps)
                                            : fmt::format("{} per step {} → {}", nouns_of(metric), rise.from, rise.to);
  const std::string where = rise.certain ? fmt::format("first bad commit {}", bad)
                                         : fmt::format("between {} (still good) and {} (bad)", good, bad);
  std::string text = fmt::format("rose  {}: {}", where, count);
  if (rise.now != rise.to && !rise.more_often) text += fmt::format(", now {}", rise.now);
  if (rise.seen_once) text += "; seen once so far";
  return text + "\n";
}

std::string rises_text(const HistorySeries& series, const std::string& metric) {
  std::string text;
  for (const Rise& rise : rises_of(series, metric)) text += rise_words(series, rise, metric);
  if (!text.empty()) return text;
  const auto measured = std::count_if(series.commits.begin(), series.commits.end(),
                                      [&](const HistoryCommit& c) { return value_of(c, metric) != nullptr; });
  return measured < 2 ? "one commit is no history yet\n" : fmt::format("no rise of {} that stayed\n", nouns_of(metric));
}

std::span<const HistoryCommit> shown(const HistorySeries& series, const HistoryView& view) {
  const std::size_t count = std::min(view.last, series.commits.size());
  return std::span(series.commits).last(count);
}

std::string left_out(const HistorySeries& series, const HistoryView& view) {
  if (series.commits.size() <= view.last) return "";
  return fmt::format("{} before these: --last N shows more\n",
                     counted(static_cast<std::int64_t>(series.commits.size() - view.last), "commit"));
}

std::string series_text(const HistorySeries& series, const HistoryView& view) {
  Table table{{"commit", "day", fmt::format("{}/step", nouns_of(view.metric)), "in all", "steps"}, {}};
  for (const HistoryCommit& commit : shown(series, view)) {
    const HistoryValue* value = value_of(commit, view.metric);
    table.rows.push_back({short_commit(commit.commit), day_of(commit.committed_at), value_words(value),
                          value == nullptr ? "unknown" : fmt::to_string(value->sum), fmt::to_string(commit.steps)});
  }
  return setting_of(series.configuration) + "\n" + render_table(table) + left_out(series, view) +
         rises_text(series, view.metric);
}

// What a row of the plot stands for: the row is filled where a value is at least this.
std::vector<std::int64_t> plot_levels(std::int64_t most) {
  std::vector<std::int64_t> levels;
  const std::int64_t rows = std::clamp<std::int64_t>(most, 1, kPlotRows);
  for (std::int64_t row = rows; row >= 1; --row)
    levels.push_back((std::max<std::int64_t>(most, 1) * row + rows - 1) / rows);
  return levels;
}

// Under the columns: the first commit, and where it ends the last.
std::string axis_names(std::span<const HistoryCommit> commits, std::size_t margin) {
  const std::string first = short_commit(commits.front().commit), last = short_commit(commits.back().commit);
  const std::size_t width = commits.size() * kColumn - 1;
  std::string line(margin, ' ');
  if (commits.size() == 1) return line + last + "\n";
  const std::size_t taken = display_width(first) + display_width(last);
  if (taken + 1 > width) return line + first + " … " + last + "\n";
  return line + first + std::string(width - taken, ' ') + last + "\n";
}

std::string series_plot(const HistorySeries& series, const HistoryView& view) {
  const auto commits = shown(series, view);
  std::int64_t most = 0;
  for (const HistoryCommit& commit : commits)
    if (const HistoryValue* value = value_of(commit, view.metric)) most = std::max(most, value->max);
  const std::string title = fmt::format("{} per step, the most of a step", nouns_of(view.metric));
  std::string text = setting_of(series.configuration) + "\n" + title + "\n";
  const std::size_t digits = fmt::to_string(most).size();
  for (const std::int64_t level : plot_levels(most)) {
    std::string line = fmt::format("{:>{}} │", level, digits + 1);
    for (const HistoryCommit& commit : commits) {
      const HistoryValue* value = value_of(commit, view.metric);
      line += value != nullptr && value->max >= level ? " █" : "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  std::string base = fmt::format("{:>{}} │", 0, digits + 1);
  for (const HistoryCommit& commit : commits) base += value_of(commit, view.metric) == nullptr ? " ?" : " ▁";
  text += base + "\n" + axis_names(commits, digits + 4);
  return text + left_out(series, view) + rises_text(series, view.metric);
}

template <class Render>
std::string each_of(std::span<const HistorySeries> series, const Render& render) {
  std::string text;
  for (const HistorySeries& one : series) text += (text.empty() ? "" : "\n") + render(one);
  return text;
}

}  // namespace

std::string history_line(const HistoryConfiguration& configuration, const HistoryCommit& commit) {
  const HistoryValue* waits = value_of(commit, "waits");
  const std::string count = waits == nullptr
                                ? "waits unknown"
                                : gate::often_words({waits->max, waits->sum, waits->min}, commit.steps, "wait");
  return fmt::format("{}: {} ({})", short_commit(commit.commit), count, setting_of(configuration));
}

std::string render_history_text(std::span<const HistorySeries> series, const HistoryView& view) {
  return each_of(series, [&](const HistorySeries& one) { return series_text(one, view); });
}

std::string render_history_plot(std::span<const HistorySeries> series, const HistoryView& view) {
  return each_of(series, [&](const HistorySeries& one) { return series_plot(one, view); });
}

}  // namespace zerostall
