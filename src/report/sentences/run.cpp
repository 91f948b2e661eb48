#include "report/sentences/run.hpp"

#include <fmt/format.h>

namespace fathom::report {

std::vector<store::WarningRow> warnings_of(const analysis::RunResult& result) {
    auto warnings = result.warnings;
    if (result.plan_error) {
        warnings.push_back(
            {.severity = store::Severity::note,
             .code = "unknown-plan",
             .text = fmt::format(
                 "this fathom cannot read the plan of the run and looks at it in the usual way: {}",
                 *result.plan_error),
             .remedy = "use the fathom that made the run, or a newer one"});
    }
    return warnings;
}

}  // namespace fathom::report
