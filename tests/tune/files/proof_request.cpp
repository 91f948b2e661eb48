#include "tune/files/proof_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::tune {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

const ProofRequest wanted{.library = "Open MPI v4.1.4, x",
                          .flavour = plan::Flavour::openmpi,
                          .metric = "median",
                          .operations = {{"bcast", 8, {{8}, {1024}}, {false, true}}},
                          .variables = {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}}};

/// As report::check_tuning_document gives it.
ordered_json checked() {
    return ordered_json::parse(R"({"library": "Open MPI v4.1.4, x", "flavour": "openmpi", "metric": "median",
        "operations": [{"operation": "bcast", "procs": 8, "sizes": [
            {"size_bytes": 8, "proposed": null}, {"size_bytes": 1024, "proposed": "library:chain"}]}],
        "files": [{"path": "t.rules", "variables": [
            {"name": "OMPI_MCA_coll_tuned_use_dynamic_rules", "value": "1"}]}]})");
}

TEST(ProofRequest, IsTheSameOfATuningAndOfItsDocument) {
    EXPECT_EQ(proof_request(checked()), wanted);
    const auto at = [](std::int64_t size) {
        return BestWay{
            .size = {size}, .first = {.point = {0, {size}}, .time_ns = 1, .ci95_ns = {1, 1}}, .best = {}};
    };
    Tuning tuning{.library = wanted.library, .flavour = wanted.flavour, .metric = wanted.metric};
    tuning.operations = {{.operation = "bcast",
                          .procs = 8,
                          .ways = {"library", "library:chain"},
                          .race = {.best = {at(8), at(1024)}, .times = {}, .broken = {}},
                          .proposals = {{.way = 1, .first = {1024}, .last = {1024}}}}};
    tuning.variables = wanted.variables;
    EXPECT_EQ(proof_request(tuning), wanted);
}

TEST(ProofRequest, CannotSetOtherVariablesOrNameWhatThereIsNot) {
    auto bad = checked();
    bad["files"][0]["variables"][0]["name"] = "LD_PRELOAD";
    EXPECT_THAT(testing::refusal_of([&] { proof_request(bad); }), HasSubstr("LD_PRELOAD"));
    bad = checked();
    bad["operations"][0]["operation"] = "nothing";
    EXPECT_THAT(testing::refusal_of([&] { proof_request(bad); }), HasSubstr("nothing"));
    bad = checked();
    bad["flavour"] = "other";
    EXPECT_THAT(testing::refusal_of([&] { proof_request(bad); }), HasSubstr("other"));
}

}  // namespace
}  // namespace fathom::tune
