#include "report/sentences/verdict.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "report/sentences/matrix.hpp"

namespace fathom::report {
namespace {

struct ReasonInWords {
    std::string operator()(const analysis::SlowComponent& component) const { return sentence(component); }
    std::string operator()(analysis::MatrixLimit limit) const {
        return sentence(limit) + "; repeat on a quiet machine";
    }
    std::string operator()(const analysis::FailedPoint& point) const {
        return fmt::format("{} failed: {}", to_text(point.key), point.reason);
    }
    std::string operator()(const analysis::NothingMeasured& /*reason*/) const {
        return "no point was measured";
    }
    std::string operator()(const analysis::ClocksExceeded& clocks) const {
        return fmt::format("{} after they were synchronised, the clocks exceeded their error bounds",
                           time_text(static_cast<double>(clocks.after_ns)));
    }
};

struct RemarkInWords {
    std::string operator()(analysis::MatrixLimit limit) const { return sentence(limit); }
    std::string operator()(const analysis::DisturbedPoints& points) const {
        return fmt::format(
            "other programs used the processors while {} of {} points were measured; repeat on a quiet "
            "machine "
            "for a more reliable verdict",
            points.disturbed, points.of);
    }
};

}  // namespace

std::vector<std::string> verdict_reasons(const analysis::Verdict& verdict) {
    std::vector<std::string> texts;
    for (const auto& reason : verdict.reasons) {
        texts.push_back(std::visit(ReasonInWords{}, reason));
    }
    return texts;
}

std::vector<std::string> verdict_remarks(const analysis::Verdict& verdict) {
    std::vector<std::string> texts;
    for (const auto& remark : verdict.remarks) {
        texts.push_back(std::visit(RemarkInWords{}, remark));
    }
    return texts;
}

}  // namespace fathom::report
