#include "collectives/thread_leaf.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/layout.hpp"
#include "collectives/mpi_failure.hpp"

namespace fathom::collectives {
namespace {

constexpr unsigned bits_of_byte = 8;

/// What is found out of a datatype takes memory for a moment: as much as an element spans, and 17 bytes for
/// each byte in it. A reduction's elements fit a segment anyway (64 KiB), and a message of larger ones can be
/// described by smaller ones.
constexpr std::size_t largest_span = std::size_t{1} << 26;
constexpr std::size_t largest_element = std::size_t{1} << 20;

/// Where MPI takes each byte of a packed element from. Memory that holds the places of its own bytes is
/// packed once for each digit of those, so any datatype can be asked, however it was put together.
std::vector<std::ptrdiff_t> packed_offsets(const Layout& layout) {
    const auto span = static_cast<std::size_t>(layout.true_extent);
    std::vector<std::size_t> places(layout.bytes, 0);
    std::vector<std::byte> memory(span);
    std::vector<std::byte> packed(layout.bytes);
    for (unsigned shift = 0; shift < sizeof(std::size_t) * bits_of_byte && (span >> shift) > 0;
         shift += bits_of_byte) {
        for (std::size_t place = 0; place < span; ++place) {
            memory[place] = static_cast<std::byte>(place >> shift);
        }
        int position = 0;
        checked(MPI_Pack(memory.data() - layout.true_lower, 1, layout.type, packed.data(),
                         static_cast<int>(packed.size()), &position, MPI_COMM_SELF));
        for (std::size_t i = 0; i < packed.size(); ++i) {
            places[i] |= static_cast<std::size_t>(packed[i]) << shift;
        }
    }
    std::vector<std::ptrdiff_t> offsets;
    offsets.reserve(places.size());
    for (const auto place : places) {
        offsets.push_back(static_cast<std::ptrdiff_t>(place) + layout.true_lower);
    }
    return offsets;
}

/// Runs a call and returns what MPI would; it failed for an unknown reason if that is the first thread's.
template <class Body>
int code_of_leaf(const Body& body) {
    try {
        return body() ? MPI_SUCCESS : MPI_ERR_OTHER;
    } catch (const MpiFailure& failure) {
        return failure.code;
    }
}

std::size_t counted(int count) {
    if (count < 0) {
        throw MpiFailure{MPI_ERR_COUNT};
    }
    return static_cast<std::size_t>(count);
}

const std::byte* bytes_at(const void* memory) {
    return static_cast<const std::byte*>(memory);
}

}  // namespace

ThreadType::ThreadType(MPI_Datatype datatype) try {
    const auto layout = layout_of(datatype);
    dense_ = layout.dense;
    if (layout.bytes > largest_element || static_cast<std::size_t>(layout.true_extent) > largest_span) {
        throw Unavailable(
            fmt::format("an element of {} bytes is too large for threads; describe it by smaller elements",
                        layout.bytes));
    }
    map_ = ElementMap::of(packed_offsets(layout), layout.extent);
} catch (const MpiFailure& failure) {
    throw NotMeasured(fmt::format("a datatype cannot be used by threads: {}", failure.text()));
}

int ThreadLeaf::allreduce(const void* send, void* receive, int count, const ThreadType& type) {
    return code_of_leaf([&] {
        return path_.perform({.send = bytes_at(send == MPI_IN_PLACE ? receive : send),
                              .receive = static_cast<std::byte*>(receive),
                              .map = type.dense() ? nullptr : &type.map(),
                              .segments = split(counted(count), type.bytes(), limits_),
                              .down = true,
                              .up = true});
    });
}

int ThreadLeaf::reduce(const void* send, int count, const ThreadType& type, int root) {
    return code_of_leaf([&] {
        if (root < 0 || static_cast<std::size_t>(root) >= beside_.size()) {
            throw MpiFailure{MPI_ERR_ROOT};
        }
        const auto segments = split(counted(count), type.bytes(), limits_);
        const bool for_others = beside_[static_cast<std::size_t>(root)] != 0;
        return path_.perform({.send = bytes_at(send),
                              .map = type.dense() ? nullptr : &type.map(),
                              .segments = segments,
                              .down = true,
                              .skipped = for_others ? static_cast<std::uint32_t>(segments.count) : 0});
    });
}

int ThreadLeaf::bcast(void* buffer, int count, const ThreadType& type, int root) {
    return code_of_leaf([&] {
        if (root < 0 || static_cast<std::size_t>(root) >= beside_.size()) {
            throw MpiFailure{MPI_ERR_ROOT};
        }
        // Packed as others may describe the same data by another type.
        return path_.perform({.receive = static_cast<std::byte*>(buffer),
                              .map = &type.map(),
                              .segments = split(counted(count) * type.bytes(), 1, limits_),
                              .up = true});
    });
}

int ThreadLeaf::barrier() {
    return code_of_leaf(
        [&] { return path_.perform({.segments = split(0, 1, limits_), .down = true, .up = true}); });
}

}  // namespace fathom::collectives
