// A bare page around the timeline of one or two traces, to try the viewer by itself: make_timeline_page OUT.html
// [--at-most BYTES] AFTER, or BEFORE AFTER; in place of a trace: `hostile` has hostile names, `empty` is empty,
// `events:N` has so many.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "profiler/trace/read_trace.h"
#include "reports/timeline_blob.h"
#include "tests/bench/made_run.h"
#include "tests/reports/export_runs.h"
#include "tests/reports/hostile_names.h"

namespace zerostall::testing {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string assets(const std::string& extension) {
  std::set<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(ZEROSTALL_SOURCE_DIR "/reports/assets"))
    if (file.path().filename().string().starts_with("timeline") && file.path().extension() == extension)
      files.insert(file.path());
  std::string all;
  for (const auto& file : files) all += text_of(file);
  return all;
}

RawTrace hostile() {
  TraceBuilder t;
  int n = 0;
  for (const std::string& name : hostile_names())
    t.step(n++, [&] {
      t.range(
          name, [&] { t.launch(7, name).stream, t.item(); }, "user");
    });
  return raw_of(t);
}

RawTrace read(const std::string& name) {
  TraceBuilder nothing;
  if (name == "hostile") return hostile();
  if (name == "empty") return raw_of(nothing);
  if (name.starts_with("events:")) return MadeRun(std::stoll(name.substr(7)), 200, 3'000).make();
  auto raw = read_trace(name);
  if (!raw) throw std::runtime_error(raw.error().message);
  return std::move(raw->front());
}

std::string blob_of(const std::string& name, Bytes at_most) {
  const ExportProcess p = process_of(read(name));
  const TimelineBlob blob = make_timeline_blob({&p.trace, &p.steps, &p.waits, &p.run}, at_most);
  fmt::print("{}: {} slices, {} left out, {} bytes\n{}", name, blob.slices, blob.left_out, blob.base64.size(),
             blob.why.empty() ? "" : blob.why + "\n");
  return blob.base64;
}

void write_page(const std::string& path, const std::vector<std::string>& traces, Bytes at_most) {
  std::ofstream out(path);
  out << "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
         "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
         "'unsafe-inline'\"><title>Timeline</title><style>:root{color-scheme:light dark}body{font:15px system-ui,"
         "sans-serif;margin:1rem}"
      << assets(".css") << "</style><div id=zerostall-timeline></div>";
  const char* sides[] = {"before", "after"};
  for (std::size_t i = 0; i < traces.size(); ++i)
    out << fmt::format("<script type=\"application/octet-stream\" id=\"zerostall-timeline-{}\">",
                       sides[i + 2 - traces.size()])
        << blob_of(traces[i], at_most) << "</script>";
  out << "<script>" << assets(".js") << "</script></html>";
}

}  // namespace
}  // namespace zerostall::testing

int main(int argc, char** argv) {
  using namespace zerostall::testing;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  zerostall::Bytes at_most = 8'000'000;
  if (arguments.size() > 2 && arguments[1] == "--at-most") {
    at_most = std::stoull(arguments[2]);
    arguments.erase(arguments.begin() + 1, arguments.begin() + 3);
  }
  if (arguments.size() < 2 || arguments.size() > 3) return 2;
  write_page(arguments[0], {arguments.begin() + 1, arguments.end()}, at_most);
}
