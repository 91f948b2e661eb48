#include "cli/stored_run.hpp"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "report/output.hpp"
#include "report/progress.hpp"

namespace fathom::cli {

analysis::RunResult whole_run(const store::Store& store, const store::RunRow& run, const Reading& reading) {
    const auto total = static_cast<int>(store.points(run.id).size());
    report::Progress progress(report::Terminal::of(STDERR_FILENO), total, report::lines_for(reading.quiet));
    int done = 0;
    auto wanted = reading.wanted;
    wanted.analyses = true;
    wanted.visit = [&](const auto& samples) {
        progress.reached(++done, fmt::format("reading {}", to_text(samples.point.key)));
        if (reading.wanted.visit) {
            reading.wanted.visit(samples);
        }
    };
    return analysis::evaluate(store, run, reading.view, wanted);
}

ExitStatus status_of_reading(const store::Store& store, ExitStatus otherwise) {
    std::fflush(stdout);
    for (const auto& damage : store.damage()) {
        report::print(stderr, "fathom: {}; it is left out.\n", printable(damage));
    }
    return store.damage().empty() ? otherwise : ExitStatus::bad_input;
}

std::string db_hint(const std::string& db) {
    return db == default_db ? std::string() : " --db " + shell_text({db});
}

}  // namespace fathom::cli
