// What was repaired, dropped or guessed, in sentences. JSON keeps the names.
#pragma once
#include <cstdint>
#include <string>

namespace zerostall {

// "2 step ranges were never closed: ...". A name that is not known yet reads "oddity: NAME COUNT".
std::string oddity_sentence(const std::string& name, std::int64_t count);

}  // namespace zerostall
