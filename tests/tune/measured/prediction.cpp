#include "tune/measured/prediction.hpp"

#include "base/test_support.hpp"
#include "tune/measured_points.hpp"
#include "tune/model/models.hpp"

namespace fathom::testing {
namespace {

tune::PredictionTask task_of(const std::string& operation, int procs, int hosts) {
    return {.operation = operation,
            .layout = tune::Layout::blocks(procs, hosts),
            .network = two_level_network(),
            .sizes = {{1}, {1'024}, {1'048'576}}};
}

TEST(Prediction, NamesTheBestAtEverySize) {
    const auto prediction = tune::predict(task_of("allreduce", 64, 16));
    for (const auto size : prediction.task.sizes) {
        const auto best = prediction.best_at(size);
        for (const auto& curve : prediction.curves) {
            EXPECT_GE(curve.at(size), prediction.curves[best].at(size) * (1 - 1e-10));
        }
    }
}

TEST(Prediction, RefusesAnOperationWithoutAModel) {
    EXPECT_EQ(refusal_of([] { tune::predict(task_of("scan", 4, 4)); }).substr(0, 17), "no model of 'scan");
    EXPECT_NE(refusal_of([] { tune::predict(task_of("alreduce", 4, 4)); }).find("Did you mean 'allreduce'?"),
              std::string::npos);
}

TEST(Prediction, IsComparedWithReferenceAlgorithmsOfAsManyProcesses) {
    auto prediction = tune::predict(task_of("bcast", 16, 4));
    const auto& binomial = prediction.curves[0];
    const double truth = binomial.at({4'096});
    const auto run = simulated_run({measured_point("bcast", 16, 4'096, truth / 1.1, 0, "reference:binomial"),
                                    measured_point("bcast", 16, 8, binomial.at({8}), 0, "reference:binomial"),
                                    measured_point("bcast", 8, 4'096, 1, 0, "reference:binomial"),
                                    measured_point("bcast", 16, 4'096, 1, 0, "tree:binomial"),
                                    measured_point("bcast", 16, 4'096, 1),
                                    measured_point("reduce", 16, 4'096, 1, 0, "reference:binomial"),
                                    measured_point("bcast", 16, 4'096, 1, 0, "reference:quantum")});
    tune::compare_with(prediction, run);
    ASSERT_EQ(prediction.compared.size(), 2U);
    EXPECT_EQ(prediction.compared[0].size.count, 8);
    EXPECT_NEAR(prediction.compared[1].error(), 0.1, 1e-9);
    EXPECT_NEAR(prediction.mean_errors().model, 0.05, 1e-9);
    EXPECT_EQ(prediction.mean_errors(0).times, 2U);
    EXPECT_EQ(prediction.mean_errors(1).times, 0U);
    EXPECT_GT(prediction.mean_errors().flat, 0.1);
    EXPECT_EQ(prediction.without_model, std::vector<std::string>{"quantum"});
}

TEST(Prediction, IsNotComparedWithTimesThatCannotBeReliedOn) {
    auto prediction = tune::predict(task_of("bcast", 16, 4));
    std::vector<analysis::PointResult> points;
    for (const auto quality :
         {analysis::Quality::good, analysis::Quality::imprecise, analysis::Quality::disturbed}) {
        const auto size = std::int64_t{8} << points.size();
        points.push_back(measured_point("bcast", 16, size, 1'000, 0, "reference:binomial"));
        points.back().quality = quality;
    }
    tune::compare_with(prediction, simulated_run(points));
    ASSERT_EQ(prediction.compared.size(), 1U);
    EXPECT_EQ(prediction.compared[0].size.count, 8);
    EXPECT_EQ(prediction.unreliable, 2U);
}

TEST(Prediction, TakesBlocksOfATotalAsThoseOfEachProcess) {
    auto prediction = tune::predict(task_of("allgather", 16, 4));
    auto point = measured_point("allgather", 16, 16'000, 1, 0, "reference:ring");
    point.size_as = plan::SizeAs::total;
    tune::compare_with(prediction, simulated_run({point}));
    ASSERT_EQ(prediction.compared.size(), 1U);
    EXPECT_DOUBLE_EQ(prediction.compared[0].predicted_ns, prediction.curves[2].at({1'000}));
}

}  // namespace
}  // namespace fathom::testing
