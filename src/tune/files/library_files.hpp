#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "plan/library_algorithms.hpp"
#include "tune/files/between.hpp"
#include "tune/files/rules.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::tune {

/// Writes what a tuning proposes in the form that its library reads.
class LibraryFiles {
  public:
    /// `bytes` are those of the library's file; MPICH's own selection is in them.
    LibraryFiles(plan::Flavour flavour, const plan::OfferedLibrary& library, std::string_view bytes);

    /// Why no file can be written for this library at all; empty if one can.
    [[nodiscard]] const std::string& obstacle() const { return obstacle_; }

    /// Whether a file can name an implementation of an operation, `library:ring`.
    [[nodiscard]] bool has(const std::string& operation, const std::string& way) const;

    /// Which ways of an operation can be proposed, by their number; any in simulation, which reads no files.
    /// For as long as `tuned` is there.
    [[nodiscard]] std::function<bool(std::size_t way)> usable(const TunedOperation& tuned) const;

    /// Whether rules for a reduction hold for operators that do not commute too.
    [[nodiscard]] bool holds_for_any_order(const std::string& operation) const;

    /// Sets files and variables from what is proposed. `prefix` begins the paths of the files. None if
    /// nothing is proposed. `model`, which may be null, decides for numbers of processes in between.
    void put(Tuning& tuning, const std::string& prefix, const RuleModel* model = nullptr) const;

  private:
    [[nodiscard]] RuleFile rules_of(const Tuning& tuning, const RuleModel* model) const;
    [[nodiscard]] Rule rule_of(const TunedOperation& tuned, const Proposal& proposal) const;

    plan::Flavour flavour_;
    const plan::OfferedLibrary& library_;
    std::string algorithms_;    // MPICH's own selections
    std::string compositions_;  //
    std::string obstacle_;
};

/// A library's name and version, without how it was built: `Open MPI v4.1.4`. Files are for one of them.
std::string short_version(std::string_view library);

}  // namespace fathom::tune
