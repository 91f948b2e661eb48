#include "cli/tune_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "cli/tune_order.hpp"
#include "cli/tune_proof.hpp"
#include "report/json.hpp"
#include "report/page/tuning_page.hpp"
#include "report/tuning.hpp"
#include "tune/files/proof_request.hpp"
#include "tune/search/proposal.hpp"

namespace fathom::cli {
namespace {

/// Of the time: kept for other proofs, which are made only if rules were taken out.
constexpr double kept_share = 0.08;
constexpr int most_proofs = 3;

void remove_file(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

}  // namespace

TunedFiles::TunedFiles(SearchRuns& runs, const tune::LibraryFiles& library, tune::Tuning& tuning,
                       std::string prefix, std::optional<tune::RuleModel> model)
    : runs_(runs),
      library_(library),
      tuning_(tuning),
      prefix_(std::filesystem::absolute(std::move(prefix)).string()),
      model_(std::move(model)) {}

/// The library's files, as their paths begin.
void TunedFiles::write(const std::string& begin) {
    library_.put(tuning_, begin, model_ ? &*model_ : nullptr);
    for (const auto& file : tuning_.files) {
        write_file(file.path, file.text);
    }
}

void TunedFiles::remove() {
    for (const auto& file : tuning_.files) {
        remove_file(file.path);
    }
    tuning_.files.clear();
    tuning_.variables.clear();
}

void TunedFiles::write_document() const {
    write_file(document(), report::document(report::tuning_json(tuning_)));
}

void TunedFiles::write_and_prove(bool commutative) {
    const auto earlier = earlier_files();
    if (!commutative) {
        leave_out_unordered();
    }
    if (proves_in_rounds()) {
        leave_out_unproven();
        write(prefix_);
    } else {
        tuning_.proof.clear();
    }
    for (const auto& file : earlier) {
        if (std::ranges::find(tuning_.files, file, &tune::LibraryFile::path) == tuning_.files.end()) {
            remove_file(file);
        }
    }
    write_document();
}

/// Whether the rules that are left stood a proof.
bool TunedFiles::proves_in_rounds() {
    for (int round = 1; round <= most_proofs && proposes() && goes_on(); ++round) {
        const double kept = (most_proofs - round) * kept_share / (most_proofs - 1);
        const auto proof = proof_of_files((1 - kept) * runs_.budget_s() - runs_.elapsed_s());
        if (!goes_on()) {
            return false;
        }
        tuning_.proof = proof.points;
        if (proof.stands()) {
            return true;
        }
        take_out_harmed(proof);
    }
    return false;
}

/// By files that are there no longer than it takes.
tune::Proof TunedFiles::proof_of_files(double budget_s) {
    write(prefix_ + ".unproven");
    try {
        auto proof = prove(runs_, tune::proof_request(tuning_), number_of_proof(), budget_s);
        remove();
        return proof;
    } catch (...) {
        remove();
        throw;
    }
}

/// Other rules need another proof.
std::string TunedFiles::number_of_proof() const {
    constexpr std::size_t bytes = 6;
    auto text = prefix_ + "\n";  // settings of its points name the files
    for (const auto& tuned : tuning_.operations) {
        for (const auto& proposal : tuned.proposals) {
            text += fmt::format("{} {} {} {} {}\n", tuned.operation, tuned.procs, tuned.ways[proposal.way],
                                proposal.first.count, proposal.last.count);
        }
    }
    return fmt::format("proof-{}", hexadecimal(sha256(text).substr(0, bytes)));
}

/// That an earlier tuning wrote under these names: a job script would go on using them.
std::vector<std::string> TunedFiles::earlier_files() const {
    std::vector<std::string> found;
    try {
        const auto text = read_file(document(), report::longest_tuning_document);
        const auto before = report::check_tuning_document(text, document());
        for (const auto& file : before["files"]) {
            auto path = file["path"].get<std::string>();
            const bool as_written = path.starts_with(prefix_ + ".") &&
                                    file["sha256"] == hexadecimal(sha256(read_file_or_empty(path)));
            if (as_written) {
                found.push_back(std::move(path));
            }
        }
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): there was none, or none that can be read
    }
    return found;
}

/// Where a file's rules hold for operators that do not commute too, algorithms that change the order of
/// operands are left out.
void TunedFiles::leave_out_unordered() {
    for (auto& tuned : tuning_.operations) {
        if (tuned.proposals.empty() || !library_.holds_for_any_order(tuned.operation)) {
            continue;
        }
        const auto propose = [&](const tune::RaceResult& race) {
            return tune::proposals(race, library_.usable(tuned));
        };
        if (!cli::leave_out_unordered(runs_, tuned, propose)) {
            return;
        }
    }
}

/// Rules that no size was certainly faster with gain nothing that anybody knows of.
void TunedFiles::leave_out_unproven() {
    for (auto& tuned : tuning_.operations) {
        std::vector<tune::Proposal> kept;
        for (auto& proposal : tuned.proposals) {
            const auto in_it = [&](const tune::ProofPoint& point) {
                return point.operation == tuned.operation && point.procs == tuned.procs &&
                       proposal.first <= point.size && point.size <= proposal.last;
            };
            const bool faster = std::ranges::any_of(tuning_.proof, [&](const auto& point) {
                return in_it(point) && point.verdict() == tune::ProofVerdict::faster;
            });
            if (!faster) {
                std::erase_if(tuning_.proof, in_it);
            }
            (faster ? kept : tuned.unproven).push_back(std::move(proposal));
        }
        tuned.proposals = std::move(kept);
    }
}

void TunedFiles::take_out_harmed(const tune::Proof& proof) {
    for (const auto& point : proof.points) {
        auto* const tuned = find(point.operation, point.procs);
        if (tuned != nullptr && point.ruled && point.harmed()) {
            tuning_.taken_out.push_back(point);
            tune::take_out(tuned->proposals, point.size);
        }
    }
    for (const auto& failed : proof.failed) {
        if (auto* const tuned = find(failed.operation, failed.procs)) {
            tuning_.failed_rules.push_back(failed);
            tune::take_out(tuned->proposals, failed.size);
        }
    }
    for (const auto& point : proof.losses()) {
        if (auto* const tuned = find(point.operation, point.procs)) {
            tuning_.taken_out.push_back(point);
            tuned->proposals.clear();
        }
    }
}

tune::TunedOperation* TunedFiles::find(const std::string& operation, int procs) {
    const auto found = std::ranges::find_if(tuning_.operations, [&](const tune::TunedOperation& tuned) {
        return tuned.operation == operation && tuned.procs == procs;
    });
    return found == tuning_.operations.end() ? nullptr : &*found;
}

bool TunedFiles::proposes() const {
    return std::ranges::any_of(tuning_.operations,
                               [](const auto& tuned) { return !tuned.proposals.empty(); });
}

}  // namespace fathom::cli
