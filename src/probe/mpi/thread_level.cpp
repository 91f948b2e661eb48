#include "probe/mpi/thread_level.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <mpi.h>

#include "probe/mpi/check.hpp"

namespace fathom::probe::mpi {
namespace {

struct Level {
    plan::ThreadLevel level;
    int value;
    std::string_view constant;
};

constexpr auto levels = std::to_array<Level>({
    {plan::ThreadLevel::single, MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
    {plan::ThreadLevel::funneled, MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
    {plan::ThreadLevel::serialized, MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
    {plan::ThreadLevel::multiple, MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"},
});

const Level& find(plan::ThreadLevel level) {
    return levels.at(static_cast<std::size_t>(level));
}

}  // namespace

void initialise(int& argc, char**& argv, plan::ThreadLevel level) {
    if (level == plan::ThreadLevel::single) {
        MPI_Init(&argc, &argv);
        return;
    }
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, find(level).value, &provided);
}

plan::ThreadLevel provided_thread_level() {
    int provided = MPI_THREAD_SINGLE;
    FATHOM_MPI(MPI_Query_thread, &provided);
    const auto* const found = std::find_if(levels.begin(), levels.end(),
                                           [&](const Level& level) { return level.value == provided; });
    return found == levels.end() ? plan::ThreadLevel::single : found->level;
}

std::string_view constant_of(plan::ThreadLevel level) {
    return find(level).constant;
}

}  // namespace fathom::probe::mpi
