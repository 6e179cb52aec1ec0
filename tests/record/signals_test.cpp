#include "profiler/record/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "profiler/record/child.h"

namespace zerostall {
namespace {

// Sets a disposition for as long as it lives.
class Disposition {
 public:
  Disposition(int signal, sighandler_t handler) : signal_(signal), before_(::signal(signal, handler)) {}
  ~Disposition() { ::signal(signal_, before_); }

 private:
  int signal_;
  sighandler_t before_;
};

TEST(SignalInbox, KeepsTheFirstSignalThatAskedUsToStop) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Disposition normal(signal, SIG_DFL);
    SignalInbox inbox;
    EXPECT_FALSE(inbox.asks_to_stop());
    EXPECT_EQ(inbox.stop_signal(), 0);
    ::kill(::getpid(), signal);
    EXPECT_TRUE(inbox.asks_to_stop());
    ::kill(::getpid(), signal == SIGINT ? SIGTERM : SIGINT);
    EXPECT_TRUE(inbox.asks_to_stop());
    EXPECT_EQ(inbox.stop_signal(), signal);
  }
}

TEST(SignalInbox, LeavesIgnoredSignalsIgnored) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Disposition ignored(signal, SIG_IGN);
    SignalInbox inbox;
    ::kill(::getpid(), signal);
    EXPECT_FALSE(inbox.asks_to_stop()) << signal;
  }
}

TEST(SignalInbox, SeesChildrenEndWhereTheirSignalIsIgnored) {
  const Disposition ignored(SIGCHLD, SIG_IGN);
  {
    SignalInbox inbox;
    const auto result = run_child({{"sh", "-c", "exit 3"}, {}}, inbox);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->exit_code, 3);
  }
  struct sigaction now {};
  ::sigaction(SIGCHLD, nullptr, &now);
  EXPECT_TRUE(now.sa_handler == SIG_IGN);
}

}  // namespace
}  // namespace zerostall
