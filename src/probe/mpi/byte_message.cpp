#include "probe/mpi/byte_message.hpp"

#include <array>
#include <limits>

#include "probe/mpi/check.hpp"

namespace fathom::probe::mpi {

ByteCut cut_bytes(Bytes size) {
    if (size.count <= std::numeric_limits<int>::max()) {
        return {.block = 1, .blocks = static_cast<int>(size.count), .rest = 0};
    }
    constexpr std::int64_t block = std::int64_t{1} << 30;
    return {.block = block,
            .blocks = static_cast<int>(size.count / block),
            .rest = static_cast<int>(size.count % block)};
}

ByteMessage::ByteMessage(Bytes size) {
    const auto cut = cut_bytes(size);
    if (cut.block == 1) {
        count_ = cut.blocks;
        return;
    }
    MPI_Datatype block = MPI_DATATYPE_NULL;
    FATHOM_MPI(MPI_Type_contiguous, static_cast<int>(cut.block), MPI_BYTE, &block);
    const std::array<int, 2> counts{cut.blocks, cut.rest};
    const std::array<MPI_Aint, 2> places{0, static_cast<MPI_Aint>(cut.block) * cut.blocks};
    const std::array<MPI_Datatype, 2> types{block, MPI_BYTE};
    FATHOM_MPI(MPI_Type_create_struct, 2, counts.data(), places.data(), types.data(), &datatype_);
    FATHOM_MPI(MPI_Type_free, &block);
    FATHOM_MPI(MPI_Type_commit, &datatype_);
    count_ = 1;
    // SimGrid 3.32 keeps sizes of datatypes in 32 bits and would move the wrong data.
    MPI_Count described = 0;
    FATHOM_MPI(MPI_Type_size_x, datatype_, &described);
    if (described != size.count) {
        MPI_Type_free(&datatype_);
        throw Unavailable("this MPI library cannot describe a message of more than 2 GiB");
    }
    derived_ = true;
}

ByteMessage::~ByteMessage() {
    if (derived_) {
        MPI_Type_free(&datatype_);
    }
}

}  // namespace fathom::probe::mpi
