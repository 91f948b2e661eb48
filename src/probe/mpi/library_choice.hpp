#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "plan/library_algorithms.hpp"
#include "probe/mpi/control_variables.hpp"

/// Algorithms of the MPI library that this job runs with.
namespace fathom::probe::mpi {

/// For an operation.
plan::LibraryOffer library_offer(const plan::OperationInfo& operation);

/// The library's parameters that decide how messages are carried. A simulated one has none.
std::vector<plan::ProtocolParameter> offered_protocol();

/// Files that the library takes decisions from instead of its own.
std::vector<std::string> rule_files_in_force();

/// Has the library perform an operation by one algorithm as long as this lives, on the communicator that it
/// gives. Collective over the communicator; in simulation all ranks share one choice, so none may make calls
/// that are not of this choice at the same time.
class LibraryChoice {
  public:
    /// Throws Unavailable if the library has no such algorithm or parameter.
    LibraryChoice(const plan::LibraryAlgorithm& algorithm, const plan::OperationInfo& operation,
                  MPI_Comm communicator);
    LibraryChoice(const LibraryChoice&) = delete;
    LibraryChoice& operator=(const LibraryChoice&) = delete;
    ~LibraryChoice();

    [[nodiscard]] MPI_Comm communicator() const { return communicator_; }

    /// Makes a call of the operation that fails where the library would use another algorithm silently,
    /// because this one is not for such calls.
    void strictly(const std::function<void()>& call) const;

  private:
    /// Sets what has to be set, and returns the component to prefer.
    std::string choose(const plan::LibraryAlgorithm& algorithm, const plan::OperationInfo& operation);
    void set(const std::string& variable, const std::string& value);
    void restore() noexcept;

    std::vector<std::pair<std::string, std::string>> before_;  // the last one set first
    std::string simulated_;                                    // the collective, where one was chosen
    bool may_be_strict_ = false;
    MPI_Comm communicator_ = MPI_COMM_NULL;
};

}  // namespace fathom::probe::mpi
