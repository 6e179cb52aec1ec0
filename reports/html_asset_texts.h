// What html_asset_texts.cpp.in holds of the files of assets/. For html_assets.cpp.
#pragma once
#include <string_view>

namespace zerostall::assets::texts {

extern const std::string_view kPage, kFiguresTable, kChart, kProse, kStyle, kScript, kTimeline;
extern const std::string_view kStyleHash, kScriptHash, kTimelineHash;

}  // namespace zerostall::assets::texts
