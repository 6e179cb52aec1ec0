#include "profiler/trace/import/event_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace zerostall {
namespace {

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // small inputs are to have several
constexpr std::size_t kChunkBytes = 512, kFirstBytes = 64;
#else
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;  // fits a core's cache, and many an event
constexpr std::size_t kFirstBytes = std::size_t{1} << 16;  // headers are short
#endif
constexpr std::size_t kLongestHeader = std::size_t{1} << 28;
constexpr std::size_t kLongestEvent = std::size_t{1} << 28;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Programs that write event by event leave a comma behind the last.
Cut end_of_text(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && (is_space(text[end - 1]) || text[end - 1] == ',')) --end;
  return {end, text.size()};
}

// The begin of a key, in one line of plain characters.
std::string shown(std::string_view key) {
  std::string text(key.substr(0, 40));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

// Follows JSON from its beginning, as far as it is there, to the value of the key "traceEvents" of the outermost
// object.
class HeaderScanner {
 public:
  // Position of the "[" behind the key; nullopt: not yet found in `text`, which may grow until the next call.
  std::optional<std::size_t> find(std::string_view text) {
    for (; at_ < text.size(); ++at_) {
      const char c = text[at_];
      if (in_string_) {
        step_in_string(text, c);
      } else if (c == '"') {
        in_string_ = true;
        string_begin_ = at_ + 1;
      } else if (c == '[' && is_key_ && depth_ == 1) {
        return at_;
      } else if (!is_space(c) && c != ':') {
        is_key_ = false;
        if (c == '{' || c == '[') ++depth_;
        if (c == '}' || c == ']') --depth_;
        if (depth_ <= 0) return std::nullopt;
      }
    }
    return std::nullopt;
  }
  // Names of the outermost object's keys so far, up to some.
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  void step_in_string(std::string_view text, char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      const std::string_view string = text.substr(string_begin_, at_ - string_begin_);
      is_key_ = depth_ == 1 && string == "traceEvents";
      if (depth_ == 1 && is_before_colon(text) && keys_.size() < 8) keys_.push_back(shown(string));
    }
  }
  bool is_before_colon(std::string_view text) const {
    std::size_t i = at_ + 1;
    while (i < text.size() && is_space(text[i])) ++i;
    return i < text.size() && text[i] == ':';
  }

  std::size_t at_ = 0, string_begin_ = 0;
  std::int64_t depth_ = 0;
  bool in_string_ = false, escaped_ = false, is_key_ = false;
  std::vector<std::string> keys_;
};

std::string join_keys(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : ", ") + key;
  return text;
}

std::string what_it_is(const std::vector<std::string>& keys, bool whole) {
  const auto has = [&](std::string_view key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
  if (has("schema") && has("nodes"))
    return "it is a PyTorch execution trace (ExecutionTraceObserver), which has no times of CUDA calls: record one "
           "with torch.profiler";
  if (keys.empty()) return whole ? "the JSON object is empty" : "the text ends before any key";
  return fmt::format("it is a JSON object without a list \"traceEvents\" (keys: {})", join_keys(keys));
}

}  // namespace

std::optional<Cut> last_cut(std::string_view text) {
  for (std::size_t at = text.rfind('{'); at != std::string_view::npos && at > 0; at = text.rfind('{', at - 1)) {
    std::size_t i = at;
    while (i > 0 && is_space(text[i - 1])) --i;
    if (i == 0 || text[i - 1] != ',') continue;
    --i;
    while (i > 0 && is_space(text[i - 1])) --i;
    if (i > 0 && text[i - 1] == '}') return Cut{i, at};
  }
  return std::nullopt;
}

void enclose(EventChunk& chunk) {
  chunk.buffer.resize(chunk.size + 2 + kChunkPadding);
  chunk.buffer.front() = '[';
  chunk.buffer[chunk.size + 1] = ']';
  std::memset(chunk.buffer.data() + chunk.size + 2, ' ', kChunkPadding);
}

EventChunks::EventChunks(TextSource source) : source_(std::move(source)) {}

Result<Done> EventChunks::begin() {
  HeaderScanner scanner;
  std::optional<std::size_t> list;
  bool whole = false;
  std::size_t first = 0;
  while (!list) {
    const std::size_t had = rest_.size(), room = std::max(kFirstBytes, had);
    rest_.resize(had + room);
    const auto n = source_.read(std::span(rest_).subspan(had));
    if (!n) return n.error();
    rest_.resize(had + *n);
    whole = *n < room;
    const std::string_view text(rest_.data(), rest_.size());
    first = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
    while (first < text.size() && is_space(text[first])) ++first;
    if (first < text.size() && text[first] == '[') {
      list = first;
      break;
    }
    if (first < text.size() && text[first] != '{') return Error{"it is neither a JSON object nor a list"};
    if (first < text.size()) list = scanner.find(text);
    if (!list && (whole || rest_.size() > kLongestHeader)) return Error{what_it_is(scanner.keys(), whole)};
  }
  if (rest_[first] == '{') header_.assign(rest_.data() + first, *list - first);
  offset_ = *list + 1;
  rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(offset_));
  return Done{};
}

Result<bool> EventChunks::next(EventChunk& chunk) {
  if (ended_) return false;
  ended_ = true;  // unless all goes well
  std::size_t size = rest_.size();
  chunk.buffer.resize(std::max(kChunkBytes, size + kFirstBytes) + 2 + kChunkPadding);
  std::copy(rest_.begin(), rest_.end(), chunk.buffer.begin() + 1);
  for (;;) {
    const std::size_t room = chunk.buffer.size() - 2 - kChunkPadding - size;
    const auto n = source_.read(std::span(chunk.buffer).subspan(1 + size, room));
    if (!n) return n.error();
    size += *n;
    chunk.is_last = *n < room;
    const std::string_view text(chunk.buffer.data() + 1, size);
    const std::optional<Cut> cut = chunk.is_last ? end_of_text(text) : last_cut(text);
    if (cut) {
      rest_.assign(text.begin() + static_cast<std::ptrdiff_t>(cut->next), text.end());
      chunk.size = cut->end;
      chunk.begin = offset_;
      chunk.number = number_++;
      offset_ += cut->next;
      ended_ = chunk.is_last;
      enclose(chunk);
      return true;
    }
    if (size > kLongestEvent)
      return Error{fmt::format("no event ends within {} MiB from byte {} on", kLongestEvent >> 20, offset_)};
    chunk.buffer.resize(chunk.buffer.size() * 2);
  }
}

}  // namespace zerostall
