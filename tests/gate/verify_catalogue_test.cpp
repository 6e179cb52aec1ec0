#include "profiler/gate/verify_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/verify_catalogue_report.h"
#include "tests/gate/verify_runs.h"

namespace zerostall {
namespace {

using namespace zerostall::testing;
using ::testing::HasSubstr;

// Steps with reads of 4 bytes at their end: scalar-read.
RunSummary reading(int reads, int steps = 6, int other_in_step_4 = -1) {
  TraceBuilder t;
  for (int n = 0; n < steps; ++n)
    t.step(n, [&] {
      for (int i = 0; i < 20; ++i) t.launch();
      for (int i = 0; i < (n == 4 && other_in_step_4 >= 0 ? other_in_step_4 : reads); ++i) t.item(4);
    });
  const std::string file = t.bytes();
  return analyze(std::move(*parse_native(std::as_bytes(std::span(file)), "t")), {"t", 2});
}

const CatalogueClaim kCause{"scalar-read", "cause", 1, 0, "scalar-read", ""};
const CatalogueClaim kFixed{"scalar-read", "fixed", 0, 0, "", ""};

TEST(JudgeCatalogue, PassesWhatShowsWhatItIsMadeFor) {
  EXPECT_EQ(judge_catalogue_run(kCause, reading(1)).verdict, Verdict::pass);
  EXPECT_EQ(judge_catalogue_run(kFixed, reading(0)).verdict, Verdict::pass);
}

TEST(JudgeCatalogue, FindsAnExpectationThatIsNotTrue) {
  CatalogueClaim broken = kCause;
  broken.waits = 2;
  const Judgement few = judge_catalogue_run(broken, reading(1));
  EXPECT_EQ(few.verdict, Verdict::violation);
  EXPECT_EQ(few.reasons.front().text, "1 host wait in step 2 in place of 2, not as expected in 4 of 4 judged steps");
  EXPECT_EQ(judge_catalogue_run(kFixed, reading(1)).verdict, Verdict::violation);
  EXPECT_EQ(judge_catalogue_run(kCause, reading(1, 6, 0)).verdict, Verdict::violation);  // in one step only
  broken = kCause;
  broken.memory_calls = 1;
  EXPECT_EQ(judge_catalogue_run(broken, reading(1)).verdict, Verdict::violation);
}

TEST(JudgeCatalogue, FindsAWrongName) {
  CatalogueClaim other = kCause;
  other.cause = "download";
  const Judgement judgement = judge_catalogue_run(other, reading(1));
  EXPECT_EQ(judgement.verdict, Verdict::violation);
  EXPECT_THAT(judgement.reasons.front().text, HasSubstr("4 waits found as scalar-read (medium: 4 B read back"));
  EXPECT_THAT(judgement.reasons.front().text, HasSubstr("expected download"));
}

TEST(JudgeCatalogue, CannotTellFromTooLittle) {
  EXPECT_EQ(judge_catalogue_run(kCause, reading(1, 4)).verdict, Verdict::cannot_tell);
  EXPECT_EQ(judge_catalogue_run(kFixed, RunSummary{}).verdict, Verdict::cannot_tell);
  RunSummary cut = reading(0);
  cut.truncated = true;
  EXPECT_EQ(judge_catalogue_run(kCause, cut).verdict, Verdict::cannot_tell);  // the missing wait may be in what is cut
  RunSummary more = reading(2);
  more.truncated = true;
  EXPECT_EQ(judge_catalogue_run(kCause, more).verdict, Verdict::violation);
}

CatalogueReport report_of(CatalogueClaim cause) {
  CatalogueReport report{"sim:h200", "simulated H200", 6, 2, {}, {}};
  report.runs = {{std::move(cause), reading(1)}, {kFixed, reading(0)}};
  for (const CatalogueRun& run : report.runs) report.verdicts.push_back(judge_catalogue_run(run.claim, run.summary));
  return report;
}

TEST(CatalogueReports, SayWhatWasFound) {
  const CatalogueReport good = report_of(kCause);
  EXPECT_EQ(verdict_of(good), Verdict::pass);
  EXPECT_EQ(render_verify_catalogue_text(good).find("FAIL"), std::string::npos);
  EXPECT_THAT(render_verify_catalogue_text(good), HasSubstr("PASS  1 class, 2 runs, 8 judged steps"));
  EXPECT_THAT(render_verify_catalogue_json(good), HasSubstr("\"verdict\": \"pass\""));
  EXPECT_THAT(render_verify_catalogue_junit(good), HasSubstr("tests=\"2\" failures=\"0\""));

  CatalogueClaim broken = kCause;
  broken.waits = 2;
  const CatalogueReport bad = report_of(broken);
  EXPECT_EQ(verdict_of(bad), Verdict::violation);
  EXPECT_EQ(verdict_of(CatalogueReport{}), Verdict::cannot_tell);
  EXPECT_THAT(render_verify_catalogue_text(bad), HasSubstr("FAIL  scalar-read cause: 1 host wait in step 2"));
  EXPECT_EQ(render_verify_catalogue_text(bad).find("PASS"), std::string::npos);
  EXPECT_THAT(render_verify_catalogue_junit(bad), HasSubstr("failures=\"1\""));
}

}  // namespace
}  // namespace zerostall
