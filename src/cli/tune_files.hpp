#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/search_runs.hpp"
#include "tune/files/between.hpp"
#include "tune/files/library_files.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::cli {

/// What a tuning leaves behind: its document, and the library's files as far as they were proven.
class TunedFiles {
  public:
    /// Paths begin with `prefix`. `model`, which may be nothing, decides for numbers of processes in between.
    TunedFiles(SearchRuns& runs, const tune::LibraryFiles& library, tune::Tuning& tuning, std::string prefix,
               std::optional<tune::RuleModel> model);

    /// Leaves out what gives wrong results for operators that do not commute, unless rules need not hold for
    /// those (`commutative`), and proves the rest until no size is slower by its rule. Files get their names
    /// when they are proven; none of an earlier tuning are left under these names.
    void write_and_prove(bool commutative);

    [[nodiscard]] std::string document() const { return prefix_ + ".tuning.json"; }
    void write_document() const;

  private:
    void write(const std::string& begin);
    void remove();
    [[nodiscard]] std::vector<std::string> earlier_files() const;
    bool proves_in_rounds();
    tune::Proof proof_of_files(double budget_s);
    [[nodiscard]] std::string number_of_proof() const;
    void leave_out_unordered();
    void leave_out_unproven();
    void take_out_harmed(const tune::Proof& proof);
    [[nodiscard]] tune::TunedOperation* find(const std::string& operation, int procs);
    [[nodiscard]] bool proposes() const;
    [[nodiscard]] bool goes_on() const { return runs_.outcome().kind == launch::Outcome::Kind::done; }

    SearchRuns& runs_;
    const tune::LibraryFiles& library_;
    tune::Tuning& tuning_;
    std::string prefix_;
    std::optional<tune::RuleModel> model_;
};

}  // namespace fathom::cli
