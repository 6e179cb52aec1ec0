// The files of assets/, built in; and for a Content-Security-Policy what the browser finds when it hashes them.
#pragma once
#include <string>
#include <string_view>

namespace zerostall::assets {

std::string_view page_mustache();
std::string_view figures_table_mustache();  // both are parts of the page
std::string_view chart_mustache();
std::string_view prose_mustache();
std::string_view style_css();
std::string_view page_js();
std::string_view timeline_js();  // "" = built without

// "sha256-BASE64=": of the text as it stands in the page.
std::string style_hash();
std::string page_hash();
std::string timeline_hash();

}  // namespace zerostall::assets
