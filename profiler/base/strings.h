// Interned strings, and the few text helpers that more than one layer needs.
#pragma once
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zerostall {

// Index into a StringTable. 0 is the empty string in every table.
using StringId = std::uint32_t;

// Each distinct text once. Ids are given in order of first appearance; views stay valid as long as the table lives.
// Move-only: the index refers to the table's own texts. Not thread safe.
class StringTable {
 public:
  StringTable() { intern(""); }
  StringTable(StringTable&&) = default;
  StringTable& operator=(StringTable&&) = default;
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  StringId intern(std::string_view text);
  std::optional<StringId> find(std::string_view text) const;
  // An id that this table did not give reads as the empty string.
  std::string_view text(StringId id) const { return id < texts_.size() ? std::string_view(texts_[id]) : ""; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque never moves its elements, so that the keys below stay valid
  std::unordered_map<std::string_view, StringId> ids_;
};

// The candidate a user most likely meant: smallest edit distance, at most a third of the name's length (at least 2).
// Nullopt when nothing is near or there is no candidate.
std::optional<std::string_view> closest_name(std::string_view name, std::span<const std::string_view> candidates);

// "a, b, c"; empty input gives "".
std::string join(std::span<const std::string_view> parts, std::string_view separator);
std::string join(std::span<const std::string> parts, std::string_view separator);

// Of texts in a row, apart from each other; the same from run to run and machine to machine: FNV-1a.
std::uint64_t stable_hash(std::initializer_list<std::string_view> parts);

// "1 wait", "2 waits": the plain English plural of a noun that takes an s.
std::string counted(std::int64_t count, std::string_view noun);

// Text of at most `most` characters (at least 4): of what is longer the end or the front goes, and "..." stands for it.
// Counts and cuts characters of UTF-8, never within one.
enum class CutAt : std::uint8_t { end, front };
std::string shortened(std::string_view text, std::size_t most, CutAt cut = CutAt::end);

// Number of characters (code points) of UTF-8 text.
std::size_t characters(std::string_view text);

// The last `lines` non-empty lines of a text, joined by " | ", for an error in one line; control characters become
// spaces.
std::string last_lines(std::string_view text, std::size_t lines);

// A word as a POSIX shell takes it: quoted where it has to be.
std::string shell_word(const std::string& word);

}  // namespace zerostall
