#include "reports/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace zerostall {
namespace {

using ::testing::HasSubstr;

DoctorReport report() {
  return {"sim:h200",
          false,
          true,
          {{"tracer", CheckStatus::ok, "/lib/t.so", ""}, {"torch", CheckStatus::note, "none", "install it"}},
          {{"libcudart", 120, 30, 158}, {"libcuda", 80, 0, 2}}};
}

TEST(DoctorText, HasALineForEachCheckAndWhatToDoBelow) {
  const std::string text = render_doctor_text(report());
  EXPECT_THAT(text, HasSubstr("ok       tracer            /lib/t.so\n"));
  EXPECT_THAT(text, HasSubstr("note     torch             none\n                           to do: install it\n"));
  EXPECT_THAT(text, HasSubstr("200 functions of 2 libraries modelled, 30 accepted, 160 unsupported (--verbose)\n"));
  EXPECT_THAT(text, HasSubstr("\nrecording with --device sim:h200 works\n"));
}

TEST(DoctorText, HasALineForEachLibraryWhenAsked) {
  DoctorReport r = report();
  r.verbose = true;
  EXPECT_THAT(render_doctor_text(r), HasSubstr("libcudart                120         30           158\n"));
}

TEST(DoctorText, SaysInWhichWaysRecordingWorks) {
  DoctorReport r = report();
  r.device = "auto";
  EXPECT_THAT(render_doctor_text(r), HasSubstr("\nrecording works here on the simulated GPU (--device sim)\n"));
  r.records_gpu = true;
  EXPECT_THAT(render_doctor_text(r), HasSubstr("\nrecording works here, on the GPU and on the simulated GPU\n"));
  r.simulates = false;
  EXPECT_THAT(render_doctor_text(r), HasSubstr("\nrecording works here on the GPU\n"));
  r.records_gpu = false;
  EXPECT_FALSE(r.works());
  EXPECT_THAT(render_doctor_text(r), HasSubstr("\nrecording does not work here"));
  r.device = "gpu";
  r.simulates = true;
  EXPECT_FALSE(r.works());
}

TEST(DoctorJson, SaysUnknownWhereThereIsNoManifest) {
  DoctorReport r = report();
  auto json = nlohmann::json::parse(render_doctor_json(r));
  EXPECT_EQ(json["schema"], "zerostall/doctor/2");
  EXPECT_EQ(json["works"], true);
  EXPECT_EQ(json["records_gpu"], false);
  EXPECT_EQ(json["libraries"][0]["unsupported"], 158);
  EXPECT_TRUE(json["checks"][0]["advice"].is_null());
  r.libraries.clear();
  r.simulates = false;
  r.checks[0].status = CheckStatus::problem;
  json = nlohmann::json::parse(render_doctor_json(r));
  EXPECT_EQ(json["works"], false);
  EXPECT_EQ(json["checks"][0]["status"], "problem");
  EXPECT_TRUE(json["libraries"].is_null());
}

}  // namespace
}  // namespace zerostall
