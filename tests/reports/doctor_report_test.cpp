#include "reports/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace zerostall {
namespace {

using ::testing::HasSubstr;

DoctorReport report() {
  return {"sim:h200",
          {{"tracer", CheckStatus::ok, "/lib/t.so", ""}, {"torch", CheckStatus::note, "none", "install it"}},
          {{"libcudart", 120, 30, 158}}};
}

TEST(DoctorText, HasALineForEachCheckAndForEachLibrary) {
  const std::string text = render_doctor_text(report());
  EXPECT_THAT(text, HasSubstr("ok       tracer            /lib/t.so\n"));
  EXPECT_THAT(text, HasSubstr("note     torch             none: install it\n"));
  EXPECT_THAT(text, HasSubstr("libcudart                120         30           158\n"));
  EXPECT_THAT(text, HasSubstr("--device sim:h200 works\n"));
}

TEST(DoctorJson, SaysUnknownWhereThereIsNoManifest) {
  DoctorReport r = report();
  auto json = nlohmann::json::parse(render_doctor_json(r));
  EXPECT_EQ(json["works"], true);
  EXPECT_EQ(json["libraries"][0]["unsupported"], 158);
  EXPECT_TRUE(json["checks"][0]["advice"].is_null());
  r.libraries.clear();
  r.checks[0].status = CheckStatus::missing;
  json = nlohmann::json::parse(render_doctor_json(r));
  EXPECT_EQ(json["works"], false);
  EXPECT_TRUE(json["libraries"].is_null());
}

}  // namespace
}  // namespace zerostall
