// Counts by commit, schema zerostall/history/1 (schemas.md).
#pragma once
#include <span>
#include <string>

#include "reports/history_text.h"

namespace zerostall {

std::string render_history_json(std::span<const HistorySeries> series, const HistoryView& view);

}  // namespace zerostall
