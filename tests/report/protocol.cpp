#include "report/protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

tune::ProofPoint compared_point(const std::string& operation, std::int64_t size, double gain) {
    return {.operation = operation,
            .procs = 2,
            .size = {size},
            .ruled = true,
            .before_ns = 1000,
            .before_range_ns = {999, 1001},
            .after_ns = 1000 / gain,
            .after_range_ns = {999 / gain, 1001 / gain}};
}

tune::ProtocolTuning tuning_with(const std::vector<tune::ProofPoint>& points) {
    tune::ProtocolTuning tuning{.library = "Open MPI v4.1.4, package: x", .flavour = plan::Flavour::openmpi};
    tuning.procs = 2;
    tuning.parameters = {{.variable = "OMPI_MCA_btl_vader_eager_limit",
                          .standard = "4096",
                          .values = {{.value = "65536", .points = points}}}};
    tuning.propose();
    return tuning;
}

TEST(ProtocolReport, SaysWhereAValueIsFasterAndWhatToPutIntoAScript) {
    auto tuning =
        tuning_with({compared_point("exchange", 8192, 1.1), compared_point("pingpong", 8192, 1.2),
                     compared_point("pingpong", 16384, 1.25), compared_point("pingpong", 32768, 1.3)});
    tuning.left_out = {"OMPI_MCA_btl_tcp_eager_limit"};
    tuning.proof = tuning.parameters.front().values.front().points;
    const auto text = protocol_text(tuning, Terminal{}, false);
    EXPECT_THAT(text, HasSubstr("Open MPI v4.1.4, 2 processes on 1 host"));
    EXPECT_THAT(text, HasSubstr("exchange 8 KiB (1.10); pingpong 8 KiB .. 32 KiB (1.30)"));
    EXPECT_THAT(text, HasSubstr("export OMPI_MCA_btl_vader_eager_limit=65536"));
    EXPECT_THAT(text, HasSubstr("OMPI_MCA_btl_tcp_eager_limit"));
    const auto json = protocol_json(tuning);
    EXPECT_EQ(json["schema"], "fathom.protocol/1");
    EXPECT_EQ(json["proposed"]["OMPI_MCA_btl_vader_eager_limit"], "65536");
    EXPECT_EQ(json["parameters"][0]["values"][0]["verdict"], "better");
    EXPECT_EQ(json["proof"].size(), 4U);
}

TEST(ProtocolReport, ProposesNothingThatIsSlowerSomewhere) {
    const auto tuning =
        tuning_with({compared_point("pingpong", 8192, 1.2), compared_point("pingpong", 16384, 1.2),
                     compared_point("pingpong", 32768, 0.8)});
    const auto text = protocol_text(tuning, Terminal{}, true);
    EXPECT_THAT(text, HasSubstr("mixed"));
    EXPECT_THAT(text, HasSubstr("pingpong 32 KiB (0.80)"));
    EXPECT_THAT(text, HasSubstr("Nothing to propose"));
    EXPECT_THAT(text, Not(HasSubstr("export ")));
}

}  // namespace
}  // namespace fathom::report
