#include "report/csv.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "analysis/overlap/study_samples.hpp"
#include "analysis/samples/sample_time.hpp"
#include "base/printable.hpp"
#include "report/point_key.hpp"
#include "report/sentences/point_warning.hpp"

namespace fathom::report {
namespace {

bool is_number(const std::string& text) {
    char* end = nullptr;
    (void)std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size() &&
           text.find_first_not_of("+-.0123456789eE") == std::string::npos;
}

/// What spreadsheets take for a formula: these, and their wide forms where those are typed. A tab or a
/// carriage return, which they skip, is an escape already.
bool is_formula(const std::string& text) {
    constexpr std::array<std::string_view, 8> beginnings{"=",      "+",      "-",      "@",
                                                         "\uff1d", "\uff0b", "\uff0d", "\uff20"};
    return !is_number(text) && std::any_of(beginnings.begin(), beginnings.end(),
                                           [&](auto beginning) { return text.starts_with(beginning); });
}

}  // namespace

std::string csv_cell(const std::string& text, CsvTexts texts) {
    auto cell = text;
    if (texts == CsvTexts::safe) {
        cell = printable(text, std::string::npos);
        cell.insert(0, is_formula(cell) ? "'" : "");
    }
    // A semicolon parts cells where commas part decimals.
    if (cell.find_first_of(",;\"\r\n") == std::string::npos) {
        return cell;
    }
    std::string quoted = "\"";
    for (const char letter : cell) {
        quoted += letter;
        if (letter == '"') {
            quoted += '"';
        }
    }
    return quoted + "\"";
}

void write_points_csv(std::FILE* out, const analysis::RunResult& result, CsvForm form) {
    const auto texts = form.texts;
    if (form.titles) {
        fmt::print(out,
                   "run,point,{},status,reason,reps,invalid_reps,median_ns,"
                   "median_ci95_low_ns,median_ci95_high_ns,min_ns,mean_ns,p99_ns,max_ns,rate_bytes_per_s,"
                   "start_skew_median_ns,clock_bound_ns,{},over_ranks,over_reps,value_ns,label,mpi,"
                   "mpi_version,size_as,value_ci95_low_ns,value_ci95_high_ns,quality,set_aside_reps,"
                   "launches_used,launches\n",
                   csv_place_titles, csv_extra_titles<analysis::PointKey>());
    }
    const auto label = csv_cell(result.run.label, texts);
    const auto mpi = csv_cell(result.run.mpi_flavour, texts);
    const auto version = csv_cell(result.run.mpi_version, texts);
    for (const auto& point : result.points) {
        fmt::print(out, "{},{},{},{},{},{},{},", result.run.id, point.position,
                   csv_place_cells(point.key, texts), to_text(point.status),
                   csv_cell(reason_of(point), texts), point.reps, point.invalid_reps);
        const auto ends = [](const std::optional<stats::Interval>& interval) {
            return interval ? fmt::format("{},{}", interval->low, interval->high) : ",";
        };
        if (point.time_ns) {
            const auto& time = *point.time_ns;
            fmt::print(out, "{},{},{},{},{},{},", time.median, ends(time.median_ci95), time.min, time.mean,
                       time.p99, time.max);
        } else {
            fmt::print(out, ",,,,,,,");
        }
        const auto known = [](const std::optional<double>& value) {
            return value ? fmt::format("{}", *value) : std::string();
        };
        const auto value = point.value_ns.value_or(stats::Reduced{});
        const auto value_text = point.value_ns ? fmt::format("{}", value.value) : std::string();
        fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},", known(point.rate_bytes_per_s),
                   known(point.start_skew_median_ns), known(point.clock_bound_ns),
                   csv_extra_cells(point.key, texts), to_text(point.over_ranks),
                   csv_cell(point.over_reps, texts), value_text, label, mpi, version, to_text(point.size_as));
        fmt::print(out, "{},{},{},{},{}\n", ends(value.ci95), point.value_ns ? to_text(point.quality) : "",
                   point.set_aside, point.launch_counts.used, point.launch_counts.all());
    }
}

void write_samples_csv(std::FILE* out, const store::Store& store, const store::RunRow& run, CsvForm form) {
    const auto texts = form.texts;
    if (form.titles) {
        fmt::print(out, "run,point,operation,procs,size_bytes,rank,rep,start_ns,duration_ns,valid\n");
    }
    analysis::visit_points(store, run.id, [&](const store::PointRow& point) {
        const analysis::SampleTime time(store, point);
        const auto clock = analysis::global_time_of(store, point);
        const auto start =
            fmt::format("{},{},{},{},{}", run.id, point.position, csv_cell(point.key.operation, texts),
                        point.key.procs, point.key.size.count);
        store.visit_samples(
            point.id, [&](int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
                fmt::memory_buffer rows;
                for (std::size_t i = 0; i < samples.size(); ++i) {
                    const auto& sample = samples[i];
                    // A whole number stays one; half a round trip may end in .5.
                    fmt::format_to(std::back_inserter(rows), "{},{},{},{},{},{}\n", start, rank,
                                   first_rep + static_cast<std::int64_t>(i),
                                   clock.global(rank, sample.start).count, time.of(rank, sample),
                                   sample.valid ? 1 : 0);
                }
                std::fwrite(rows.data(), 1, rows.size(), out);
            });
    });
}

void write_steps_csv(std::FILE* out, const store::Store& store, const store::RunRow& run, CsvForm form) {
    const auto texts = form.texts;
    if (form.titles) {
        constexpr std::string_view titles =
            "run,point,operation,procs,size_bytes,progress,step,scheme,work_ns,tests,interval_bytes,round,"
            "rank,start_ns,whole_ns,post_ns,tests_ns,wait_ns,tests_made,valid,trial,setting";
        fmt::print(out, "{}\n", titles);
    }
    analysis::visit_points(store, run.id, [&](const store::PointRow& point) {
        std::map<int, journal::StudyStep> steps;
        for (const auto& step : store.study_steps(point.id)) {
            steps[step.step] = step;
        }
        const auto clock = analysis::global_time_of(store, point);
        const auto empty = point.job ? store.empty_times(*point.job) : store::EmptyTimes{};
        const auto start =
            fmt::format("{},{},{},{},{},{}", run.id, point.position, csv_cell(point.key.operation, texts),
                        point.key.procs, point.key.size.count, csv_cell(point.key.progress, texts));
        store.visit_study(point.id, [&](int rank, const std::vector<journal::StudySample>& samples) {
            const auto found = empty.find(rank);
            const auto reading = found == empty.end() ? Nanoseconds{0} : found->second;
            fmt::memory_buffer rows;
            for (const auto& sample : samples) {
                const auto& step = steps[sample.step];
                const auto time =
                    analysis::study_time(sample, reading, step.scheme == journal::StepScheme::time);
                fmt::format_to(std::back_inserter(rows),
                               "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", start, sample.step,
                               to_text(step.scheme), step.work_ns, step.tests, step.interval_bytes,
                               sample.round, rank, clock.global(rank, sample.start).count, time.whole_ns,
                               time.post_ns, time.tests_ns, time.wait_ns, sample.tests_made,
                               sample.valid ? 1 : 0, point.launch, csv_cell(point.key.setting, texts));
            }
            std::fwrite(rows.data(), 1, rows.size(), out);
        });
    });
}

}  // namespace fathom::report
