// Every callback id of the CUPTI headers must be classified: a new toolkit is noticed here, not in a wrong count.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "profiler/trace/api_table.h"
#include "profiler/tracer/call_params.h"

namespace zerostall {
namespace {

struct Id {
  CUpti_CallbackDomain domain;
  std::uint32_t id;
  std::string name;  // as cuptiGetCallbackName gives it
};

// An enumeration cannot be walked by name: the header's text can.
std::vector<Id> ids_of(CUpti_CallbackDomain domain, const std::string& header, const std::string& prefix) {
  std::ifstream file(std::string(CUDA_INCLUDE) + "/" + header);
  std::vector<Id> ids;
  std::smatch match;
  const std::regex pattern(prefix + R"((\w+)\s*=\s*(\d+))");
  for (std::string line; std::getline(file, line);)
    if (std::regex_search(line, match, pattern) && match[1] != "INVALID" && match[1] != "SIZE" &&
        match[1] != "FORCE_INT")
      ids.push_back({domain, static_cast<std::uint32_t>(std::stoul(match[2])), match[1]});
  return ids;
}

std::vector<Id> all_ids() {
  auto ids = ids_of(CUPTI_CB_DOMAIN_RUNTIME_API, "cupti_runtime_cbid.h", "CUPTI_RUNTIME_TRACE_CBID_");
  const auto driver = ids_of(CUPTI_CB_DOMAIN_DRIVER_API, "cupti_driver_cbid.h", "CUPTI_DRIVER_TRACE_CBID_");
  ids.insert(ids.end(), driver.begin(), driver.end());
  return ids;
}

TEST(ApiIds, EveryIdOfTheHeadersIsClassified) {
  const auto ids = all_ids();
  EXPECT_EQ(ids.size(), std::size_t{CUPTI_RUNTIME_TRACE_CBID_SIZE} - 1 + CUPTI_DRIVER_TRACE_CBID_SIZE - 1);
  for (const Id& id : ids)
    EXPECT_TRUE(is_known_api(id.name)) << id.name << ": put it into profiler/trace/api_table.cpp if it waits, starts "
                                       << "work, copies, allocates or loads code, else into uninteresting_apis.cpp";
}

TEST(ApiIds, NoCallStandsInBothLists) {
  for (const std::string_view name : uninteresting_apis()) EXPECT_TRUE(find_api(name).name.empty()) << name;
}

TEST(ApiIds, WhatIsUninterestingExists) {
  std::set<std::string> known;
  for (const Id& id : all_ids()) {
    std::string name = std::regex_replace(std::string(strip_version(id.name)), std::regex(R"(_v\d{1,3}$)"), "");
    if (name.starts_with("cu64")) name.erase(2, 2);
    known.insert(name);
  }
  for (const std::string_view name : uninteresting_apis()) EXPECT_TRUE(known.contains(std::string(name))) << name;
}

TEST(ApiIds, ANameNobodyKnowsIsUnknown) {
  for (const char* name : {"cudaStreamSynchronizeAll_v14000", "cuCtxSynchronizeNew", "", "cu64"})
    EXPECT_FALSE(is_known_api(name)) << name;
}

// Calls whose parameters say nothing of use, have no public description, or are those of CUDA before 3.2.
bool has_nothing_to_read(const std::string& name, const ApiInfo& info) {
  static const std::set<std::string_view> kNothing = {
      "cudaLaunch",   "cudaLaunchCooperativeKernelMultiDevice", "__cudaLaunchKernel",           "cuLaunch",
      "cuLaunchGrid", "cuLaunchCooperativeKernelMultiDevice",   "cudaMemcpyWithAttributesAsync"};
  const bool never_shipped = name == "cuMemcpy_v2" || name == "cuMemHostAlloc_v2";
  const bool by_name = info.kind == ApiKind::device_sync || info.kind == ApiKind::module_load;
  const bool allocates = std::regex_search(name, std::regex("Malloc|MemAlloc|HostAlloc|Array(3D)?Create|HostRegister"));
  const bool mipmapped = name.find("Mipmapped") != std::string::npos;
  return by_name || never_shipped || name.starts_with("cu64") || kNothing.contains(info.name) ||
         (info.kind == ApiKind::implicit && (!allocates || mipmapped));
}

TEST(ApiIds, TheParametersOfEveryCallOfInterestAreRead) {
  int read = 0;
  for (const Id& id : all_ids()) {
    const ApiInfo info = find_api(id.name);
    const bool expected = !info.name.empty() && !has_nothing_to_read(id.name, info);
    EXPECT_EQ(tracer::reads_params(id.domain, id.id), expected) << id.name;
    read += expected;
  }
  EXPECT_GT(read, 250);
}

}  // namespace
}  // namespace zerostall
