#include <fmt/format.h>

#include "base/error.hpp"
#include "plan/implementations.hpp"
#include "plan/library_algorithms.hpp"
#include "probe/mpi/check.hpp"
#include "probe/point_run.hpp"
#include "probe/start/dissemination.hpp"

/// What performs the operation of a point, where it is not the library as it decides itself.
namespace fathom::probe {

/// That performs the collectives of the point; null: something else does.
const tree::Tree* PointRun::tree_of_point() const {
    const auto implementation = plan::implementation_of(point_.key);
    if (implementation.kind != plan::ImplementationKind::tree) {
        return nullptr;
    }
    const auto found = bench_.trees.find(implementation.name);
    if (found == bench_.trees.end()) {
        throw Unavailable(fmt::format("the plan does not hold the tree '{}'", implementation.name));
    }
    return &found->second;
}

/// That performs the collectives of the point; null: something else does.
const plan::ReferenceAlgorithm* PointRun::reference_of_point() const {
    const auto implementation = plan::implementation_of(point_.key);
    if (implementation.kind != plan::ImplementationKind::reference) {
        return nullptr;
    }
    const auto* const found = plan::find_reference(info_, implementation.name);
    if (found == nullptr) {
        throw Unavailable(fmt::format("{} has no reference algorithm '{}'", info_.name, implementation.name));
    }
    return found;
}

/// Has the library use the algorithm that the point names. Collective over the team.
std::optional<Refusal> PointRun::choose_algorithm() {
    std::string lack;
    try {
        const auto algorithm = plan::library_algorithm(plan::implementation_of(point_.key).name);
        choice_ = std::make_unique<mpi::LibraryChoice>(algorithm, info_, team_.measured());
    } catch (const Unavailable& error) {
        lack = Refusal{journal::PointStatus::unavailable, error.what()}.text();
    } catch (const BadInput& error) {
        lack = Refusal{journal::PointStatus::unavailable, error.what()}.text();
    }
    return Refusal::from(team_.group().first_of(lack));
}

/// Whether the library performs it by the algorithm at all: some need a power of two, or just two processes,
/// and say so on all ranks.
std::optional<Refusal> PointRun::tried(Operation& operation) {
    std::string lack;
    DisseminationBarrier barrier(team_.group());
    operation.next(0);
    operation.prepare_check();
    barrier.align();
    try {
        choice_->strictly([&] { operation.call(); });
    } catch (const mpi::MpiError& error) {
        lack = Refusal{journal::PointStatus::unavailable, error.what()}.text();
    }
    return Refusal::from(team_.group().first_of(lack));
}

/// That the measured calls are made on.
MPI_Comm PointRun::communicator() const {
    return choice_ ? choice_->communicator() : team_.measured();
}

}  // namespace fathom::probe
