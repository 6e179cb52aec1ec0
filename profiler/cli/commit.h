// Which revision of the user's program is at hand.
#pragma once
#include <string>

#include "profiler/record/signals.h"

namespace zerostall::cli {

// What a CI system says (GITHUB_SHA, CI_COMMIT_SHA), else the commit that git has checked out here; "" = neither tells.
std::string commit_here(SignalInbox& inbox);

}  // namespace zerostall::cli
