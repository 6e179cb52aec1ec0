// What stands beside the table of places.
#include "reports/places_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zerostall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Site site_of(const std::string& place, std::int64_t judged, const std::string& what = "cudaFree") {
  Site site;
  site.place = place;
  site.what = what;
  site.count = 12;
  site.judged = judged;
  site.per_step = Spread{1, 1, 1, 1};
  return site;
}

TEST(PlacesText, ShowsWhereJudgedStepsTakeAndGiveBackMemory) {
  RunSummary run;
  EXPECT_EQ(render_implicit_sites(run), "");
  run.implicit_sites = {site_of("load.py:3 in setup", 0)};
  EXPECT_EQ(render_implicit_sites(run), "") << "none of it in a judged step";
  run.implicit_sites.push_back(site_of("train.py:21 in step", 10));
  const std::string text = render_implicit_sites(run);
  EXPECT_THAT(text, HasSubstr("\ntrain.py:21 in step                   1       12"));
  EXPECT_THAT(text, HasSubstr("cudaFree\nallocator: such calls may wait for the GPU; remove torch.cuda.empty_cache()"));
  EXPECT_THAT(text, Not(HasSubstr("setup")));
}

TEST(PlacesText, OfManyPlacesWithMemoryCallsSomeAreShown) {
  RunSummary run;
  for (int i = 0; i < 9; ++i) run.implicit_sites.push_back(site_of("train.py:" + std::to_string(i) + " in f", 10));
  EXPECT_THAT(render_implicit_sites(run), HasSubstr("... and 5 more places: --verbose shows all\n"));
  EXPECT_THAT(render_implicit_sites(run, {}, true), Not(HasSubstr("more places")));
}

TEST(PlacesText, SaysHowToGetLinesWhereThereAreNone) {
  RunSummary run;
  run.meta.format = "kineto";
  EXPECT_EQ(how_to_get_lines(run), "") << "without waits nothing is missing";
  run.sites = {site_of("after kernel gemm", 10)};
  run.sites[0].from = SiteFrom::position;
  EXPECT_THAT(how_to_get_lines(run), HasSubstr("with_stack=True"));
  run.meta.format = "nsys";
  EXPECT_THAT(how_to_get_lines(run), HasSubstr("torch.cuda.nvtx.range"));
  run.meta.format = "zstall";
  EXPECT_THAT(how_to_get_lines(run), HasSubstr("unless --stacks none"));
  run.stacks.push_back({});
  EXPECT_EQ(how_to_get_lines(run), "") << "a C++ program";
  run.meta.format = "kineto";
  run.sites.push_back(site_of("train.py:3 in f", 10));
  run.sites[1].from = SiteFrom::own_line;
  EXPECT_EQ(how_to_get_lines(run), "");
}

}  // namespace
}  // namespace zerostall
