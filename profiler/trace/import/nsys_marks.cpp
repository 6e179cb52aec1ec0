// NVTX: a row holds both ends of a range.
#include <algorithm>

#include "profiler/trace/import/nsys_import.h"

namespace zerostall {
namespace {

enum class Event : std::uint8_t { none, mark, range, open, lone_end, domain };

// Nsight Systems' numbers, for files without the table that explains them.
constexpr std::pair<std::int64_t, const char*> kEvents[] = {
    {34, "NvtxMark"},          {35, "NvtxPushRange"},      {36, "NvtxPopRange"},      {37, "NvtxStartRange"},
    {38, "NvtxEndRange"},      {59, "NvtxPushPopRange"},   {60, "NvtxStartEndRange"}, {65, "NvtxtMark"},
    {70, "NvtxtPushPopRange"}, {71, "NvtxtStartEndRange"}, {75, "NvtxDomainCreate"}};

constexpr std::int64_t kMostNumber = 4095;  // of an event

Event event_of(std::string_view name) {
  const bool foreign = name.starts_with("Nvtxt");  // read by the profiler from text files of the program
  name.remove_prefix(std::min<std::size_t>(name.size(), foreign ? 5 : 4));
  if (name == "Mark") return Event::mark;
  if (name == "PushPopRange" || name == "StartEndRange") return Event::range;
  if (name == "PushRange" || name == "StartRange") return Event::open;
  if (name == "PopRange" || name == "EndRange") return Event::lone_end;
  return name == "DomainCreate" ? Event::domain : Event::none;
}

using Events = std::vector<Event>;  // by number; what is not there is none of NVTX's

Result<Events> read_events(NsysImport& import) {
  const auto labels = read_labels(import, "ENUM_NSYS_EVENT_TYPE");
  if (!labels) return labels.error();
  Events events(kMostNumber + 1, Event::none);
  const auto set = [&](std::int64_t id, std::string_view name) {
    if (id >= 0 && id <= kMostNumber && name.starts_with("Nvtx")) events[static_cast<std::size_t>(id)] = event_of(name);
  };
  if (*labels)
    for (const auto& [id, row] : **labels) set(id, row.name);
  else
    for (const auto& [id, name] : kEvents) set(id, name);
  return events;
}

// A row, until all domains are known.
struct Row {
  Nanos begin_ns = 0;
  Nanos end_ns = 0;
  std::int64_t domain = 0;
  std::uint32_t thread = 0;
  StringId text = 0;
  Event event = Event::none;
};

struct Marks {
  std::vector<Row> rows;
  std::unordered_map<std::int64_t, StringId> domains;
};

enum Column : int { kBegin, kType, kEnd, kText, kTextId, kThread, kDomain };

class Reader {
 public:
  Reader(NsysImport& import, const Events& events) : import_(import), events_(events) {}

  void read(const SqliteRow& from) {
    std::int64_t type = 0, global = 0;
    Row row;
    const Cell typed = from.integer(kType, type), begin = from.integer(kBegin, row.begin_ns);
    const Event event =
        static_cast<std::uint64_t>(type) < events_.size() ? events_[static_cast<std::size_t>(type)] : Event::none;
    if (typed == Cell::integer && event == Event::none) return;
    if (typed != Cell::integer || begin != Cell::integer || !is_possible_time(row.begin_ns)) return lose();
    row.event = event;
    if (row.event == Event::range && !read_end(from, row)) return lose();
    const Cell cell = from.integer(kThread, global);
    if (marks_ == nullptr || cell != last_cell_ || global != last_global_) switch_to(cell, global);
    if (process_ == nullptr) {
      without_process += row.event != Event::domain;
      return;
    }
    row.thread = thread_of(global);
    if (from.integer(kDomain, row.domain) == Cell::other) ++unreadable_values;
    row.text = text_of_row(from, *process_);
    if (row.event == Event::domain)
      marks_->domains[row.domain] = row.text;
    else
      marks_->rows.push_back(row);
  }

  void finish() {
    for (NsysProcess& process : import_.processes) finish(process, all_marks_[&process]);
  }

  std::int64_t unreadable_rows = 0, unreadable_values = 0, without_process = 0;

 private:
  void lose() { ++unreadable_rows; }

  void switch_to(Cell cell, std::int64_t global) {
    process_ = import_.find(cell, global);
    marks_ = process_ == nullptr ? nullptr : &all_marks_[process_];
    last_cell_ = cell;
    last_global_ = global;
  }

  bool read_end(const SqliteRow& from, Row& row) {
    const Cell cell = from.integer(kEnd, row.end_ns);
    // Older exports write 0 for an end that never came.
    if (cell == Cell::null || (cell == Cell::integer && row.end_ns < row.begin_ns)) row.event = Event::open;
    return cell != Cell::other && is_possible_time(row.end_ns);
  }

  // Written in place, or by number when the program registered it.
  StringId text_of_row(const SqliteRow& from, NsysProcess& process) {
    const auto text = from.text(kText);
    if (text && !text->empty()) return import_.intern(process, *text);
    std::int64_t id = 0;
    const Cell cell = from.integer(kTextId, id);
    if (cell == Cell::other) ++unreadable_values;
    if (cell != Cell::integer || (text && id == 0)) return 0;
    return import_.name(process, id);
  }

  void finish(NsysProcess& process, Marks& marks) {
    const auto earlier = [](const Row& a, const Row& b) {
      return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    };
    if (!std::is_sorted(marks.rows.begin(), marks.rows.end(), earlier))
      std::stable_sort(marks.rows.begin(), marks.rows.end(), earlier);
    auto& out = process.trace.marks;
    out.reserve(marks.rows.size() * 2);
    std::uint64_t range = 0;
    for (const Row& row : marks.rows) {
      const auto domain = marks.domains.find(row.domain);
      RawMark mark{row.begin_ns, ++range, row.thread, domain == marks.domains.end() ? 0 : domain->second, row.text};
      mark.kind = row.event == Event::mark       ? RawMarkKind::instant
                  : row.event == Event::lone_end ? RawMarkKind::end
                                                 : RawMarkKind::start;
      out.push_back(mark);
      if (row.event != Event::range) continue;
      mark.time_ns = row.end_ns;
      mark.kind = RawMarkKind::end;
      out.push_back(mark);
    }
  }

  NsysImport& import_;
  const Events& events_;
  std::unordered_map<NsysProcess*, Marks> all_marks_;
  NsysProcess* process_ = nullptr;  // of the row before
  Marks* marks_ = nullptr;
  Cell last_cell_ = Cell::null;
  std::int64_t last_global_ = 0;
};

}  // namespace

Result<Done> read_nsys_marks(NsysImport& import) {
  const auto table = import.table("NVTX_EVENTS");
  if (!table) return table.error();
  if (!*table) return Done{};
  const auto events = read_events(import);
  if (!events) return events.error();
  Reader reader(import, *events);
  const auto rows = import.scan(**table, {"start", "eventType", "end", "text", "textId", "globalTid", "domainId"}, 2,
                                [&](const SqliteRow& row) {
                                  reader.read(row);
                                  return true;
                                });
  if (!rows) return rows.error();
  reader.finish();
  import.contents[**table] = *rows;
  import.lost_marks += reader.unreadable_rows;
  import.odd("unreadable_rows", reader.unreadable_rows);
  import.odd("unreadable_values", reader.unreadable_values);
  import.odd("marks_without_process", reader.without_process);
  return Done{};
}

}  // namespace zerostall
