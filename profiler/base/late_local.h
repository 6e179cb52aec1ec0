// A thread's own T that stays usable after the thread's destructors have run: programs call CUDA from exit handlers and
// static destructors, and those run after the destructors of the main thread's locals. What is made that late is
// leaked.
#pragma once

namespace zerostall {

template <class T, class Tag = T>
T& late_local() {
  static thread_local T* object = nullptr;
  static thread_local bool gone = false;
  struct Owner {
    ~Owner() {
      T* last = object;
      object = nullptr;
      gone = true;
      delete last;
    }
  };
  if (object) [[likely]]
    return *object;
  object = new T;
  if (!gone) {
    static thread_local Owner owner;
    (void)owner;
  }
  return *object;
}

}  // namespace zerostall
