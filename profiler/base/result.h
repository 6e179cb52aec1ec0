// A value, or one message that says what went wrong and what to do. Only the edges of the program return it: reading
// files, parsing options, running children. Stages in between are total functions over plain data.
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace zerostall {

// One line for a person, without "error:" and without a full stop.
struct Error {
  std::string message;
};

// What an action without a value returns when it succeeded.
struct Done {};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: implicit, so that functions can return a plain T
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: or an Error

  explicit operator bool() const { return std::holds_alternative<T>(state_); }

  // Calling one of these without a value, or error() without an error, throws std::bad_variant_access.
  T& value() { return std::get<T>(state_); }
  const T& value() const { return std::get<T>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace zerostall
