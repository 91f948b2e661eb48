#include "fuzz/reading.hpp"

#include <cstdio>
#include <memory>

#include "analysis/across_runs/comparison.hpp"
#include "analysis/across_runs/merging.hpp"
#include "analysis/run/run_result.hpp"
#include "fuzz/fuzzing.hpp"
#include "journal/json.hpp"
#include "report/csv.hpp"
#include "report/curves.hpp"
#include "report/gnuplot.hpp"
#include "report/json.hpp"
#include "report/page/page_data.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "report/run_text.hpp"
#include "report/scaling.hpp"

namespace fathom::fuzzing {
namespace {

constexpr report::Terminal terminal{};

/// As `fathom show --json` and `fathom show` do with all their options.
void show(const store::Store& store, const store::RunRow& run) {
    const auto all = [](const auto& /*row*/) { return true; };
    report::PointFields fields;
    report::GnuplotFigures figures;
    const auto result = analysis::evaluate(
        store, run, {}, {.analyses = true, .visit = [&](const auto& samples) {
                             fields[samples.point.position] = report::analyses_json(samples, all);
                             report::analyses_text(samples, {.chosen = all}, terminal);
                             figures.add(samples.point, samples.repetitions);
                         }});
    report::document(report::run_json(store, result, fields));
    report::run_text(store, result, terminal, SIZE_MAX);
    report::curves_text(result);
    report::scaling_text(result.scaling, terminal);
    figures.write(scratch() / "gnuplot", result);
}

void write_csv(const store::Store& store, const store::RunRow& run) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen("/dev/null", "w"), std::fclose);
    report::write_points_csv(out.get(), analysis::evaluate(store, run));
    report::write_samples_csv(out.get(), store, run);
    report::write_steps_csv(out.get(), store, run);
}

void compare(const store::Store& store, const store::RunRow& run) {
    analysis::compare(analysis::measured_run(store, run, "first", true),
                      analysis::measured_run(store, run, "second", true), {});
}

void page(const store::Store& store, const store::RunRow& run) {
    std::vector<report::PageRun> runs;
    runs.push_back(report::page_run(store, run, "run", [](const auto& /*point*/) {}));
    report::document(report::page_data(std::move(runs)));
}

}  // namespace

void read_everything(const store::Store& store) {
    for (const auto& run : store.runs()) {
        for (const auto read : {show, write_csv, compare, page}) {
            refused_or_done([&] { read(store, run); });
        }
    }
}

}  // namespace fathom::fuzzing
