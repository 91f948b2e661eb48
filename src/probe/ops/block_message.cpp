#include "probe/ops/block_message.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "probe/mpi/check.hpp"

namespace fathom::probe {
namespace {

Bytes together(Shape shape, Bytes size) {
    return shape == Shape::bytes || shape == Shape::contiguous ? size : Bytes{0};
}

}  // namespace

BlockMessage::BlockMessage(Shape shape, Bytes size) : shape_(shape), bytes_(together(shape, size)) {
    if (shape == Shape::bytes) {
        count_ = bytes_.count();
        return;
    }
    derive(Blocks(shape, size));
    FATHOM_MPI(MPI_Type_commit, derived_.place());
    // SimGrid 3.32 keeps sizes of datatypes in 32 bits and would move the wrong data.
    MPI_Count described = 0;
    FATHOM_MPI(MPI_Type_size_x, derived_.get(), &described);
    if (described * count_ != size.count) {
        throw Unavailable("this MPI library cannot describe a message of more than 2 GiB");
    }
}

void BlockMessage::derive(const Blocks& blocks) {
    switch (shape_) {
        case Shape::bytes:
            break;
        case Shape::contiguous:
            FATHOM_MPI(MPI_Type_contiguous, bytes_.count(), bytes_.datatype(), derived_.place());
            break;
        case Shape::vector: {
            OwnedType whole;
            FATHOM_MPI(MPI_Type_vector, mpi::as_count(blocks.whole_cycles(), "blocks"),
                       static_cast<int>(vector_blocks[0].length), static_cast<int>(vector_cycle.stride),
                       MPI_BYTE, blocks.cut() ? whole.place() : derived_.place());
            if (blocks.cut()) {
                join(blocks, whole.get(), 1);
            }
            break;
        }
        case Shape::indexed:
            derive_indexed(blocks);
            break;
        case Shape::record:
            derive_records(blocks);
            break;
    }
}

void BlockMessage::derive_indexed(const Blocks& blocks) {
    mpi::as_count(blocks.span().count, "bytes between the first and the last");
    std::vector<int> lengths;
    std::vector<int> places;
    lengths.reserve(static_cast<std::size_t>(blocks.count()));
    places.reserve(lengths.capacity());
    for (std::int64_t i = 0; i < blocks.count(); ++i) {
        lengths.push_back(static_cast<int>(blocks.at(i).length));
        places.push_back(static_cast<int>(blocks.at(i).place));
    }
    FATHOM_MPI(MPI_Type_indexed, static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE,
               derived_.place());
}

void BlockMessage::derive_records(const Blocks& blocks) {
    const int records = mpi::as_count(blocks.whole_cycles(), "records");
    constexpr auto number = record_blocks[0];
    constexpr auto text = record_blocks[1];
    static_assert(number.length == sizeof(double));
    const std::array<int, 2> lengths{1, static_cast<int>(text.length)};
    const std::array<MPI_Aint, 2> places{number.place, text.place};
    const std::array<MPI_Datatype, 2> types{MPI_DOUBLE, MPI_CHAR};
    OwnedType members;
    FATHOM_MPI(MPI_Type_create_struct, 2, lengths.data(), places.data(), types.data(), members.place());
    OwnedType record;
    FATHOM_MPI(MPI_Type_create_resized, members.get(), 0, record_cycle.stride,
               blocks.cut() ? record.place() : derived_.place());
    if (blocks.cut()) {
        join(blocks, record.get(), records);
    } else {
        count_ = records;
    }
}

/// Whole cycles and the bytes behind them as one type.
void BlockMessage::join(const Blocks& blocks, MPI_Datatype cycles, int times) {
    std::vector<int> lengths{times};
    std::vector<MPI_Aint> places{0};
    std::vector<MPI_Datatype> types{cycles};
    for (auto i = blocks.whole_cycles() * blocks.in_a_cycle(); i < blocks.count(); ++i) {
        const auto block = blocks.at(i);
        lengths.push_back(static_cast<int>(block.length));
        places.push_back(static_cast<MPI_Aint>(block.place));
        types.push_back(MPI_BYTE);
    }
    FATHOM_MPI(MPI_Type_create_struct, static_cast<int>(types.size()), lengths.data(), places.data(),
               types.data(), derived_.place());
}

std::string BlockMessage::text() const {
    switch (shape_) {
        case Shape::bytes:
            break;
        case Shape::contiguous:
            return "contiguous of byte";
        case Shape::vector:
            return fmt::format("vector of byte, {} in {}", vector_blocks[0].length, vector_cycle.stride);
        case Shape::indexed:
            return "indexed byte, blocks of 4 to 24";
        case Shape::record:
            return fmt::format("struct of double and char, 16 in {}", record_cycle.stride);
    }
    return "byte";
}

/// An indexed datatype lists its blocks: our two numbers for each, and what libraries make of them.
Bytes BlockMessage::own_memory(Shape shape, Bytes size) {
    constexpr std::int64_t for_a_block = 128;
    return {shape == Shape::indexed ? for_a_block * Blocks(shape, size).count() : 0};
}

}  // namespace fathom::probe
