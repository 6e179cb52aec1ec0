// Names that a program under test can have.
#pragma once
#include <string>
#include <vector>

namespace zerostall::testing {

inline const std::vector<std::string>& hostile_names() {
  using namespace std::string_literals;
  static const std::vector<std::string> all = {
      "line\nbreak\r\nand\ttab",
      "\n::error::injected",
      "::error file=x,line=1::injected",
      "a\n::add-mask::secret\n##[error]injected",
      "##[add-path]/tmp",
      "quote\" 'single' back\\slash \\\" \\u0022",
      "]]> <![CDATA[ --> <!-- ?>",
      "</script><script>alert(1)</script>",
      "<img src=x onerror=alert(1)>",
      "</details></summary><b>",
      "%0A::error::injected%0D%25",
      "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J",
      "\x9b"s + "31m",
      "bad utf-8 \xff\xfe\xc0\xaf\xed\xa0\x80 end",
      "\xe2\x80\xae reversed \xe2\x81\xa6 isolated \xef\xbb\xbf",
      "\xef\xbf\xbe\xef\xbf\xbf not in XML",
      "nul\0inside"s,
      "\x01\x02\x0b\x0c\x1f\x7f",
      "` `` ``` ```` ``code``",
      "| table | cell \\| *bold* _it_ ~~gone~~ [link](http://evil.example) ![image](x) @everyone #1 www.evil.example",
      "[[allow]]\nsite = \"*\"\n\"\"\" '''",
      "=cmd|' /C calc'!A0",
      "../../etc/passwd",
      "/home/alice/secret/train.py",
      "C:\\Users\\alice\\train.py",
      "file with space?query#fragment%41.py",
      std::string(10'000, 'x'),
      std::string(5'000, '`'),
      std::string(3'000, '\xff'),
      "",
      " ",
  };
  return all;
}

}  // namespace zerostall::testing
