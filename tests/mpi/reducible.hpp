#pragma once

#include <cstdint>
#include <vector>

#include <mpi.h>

/// What ranks, or leaves of a tree, contribute in tests of collectives, and what comes of it.
namespace fathom::test {

/// Maps x -> factor x + summand, in arithmetic that wraps around. One after the other is again one; their
/// order counts.
struct Affine {
    std::uint32_t factor = 1;
    std::uint32_t summand = 0;

    friend bool operator==(const Affine&, const Affine&) = default;
};

inline Affine after(const Affine& first, const Affine& second) {
    return {first.factor * second.factor, second.factor * first.summand + second.summand};
}

inline Affine contribution(int leaf, std::size_t element) {
    const auto own = static_cast<std::uint32_t>(leaf);
    const auto place = static_cast<std::uint32_t>(element);
    return {2 * own + place + 3, own * 7919 + place + 1};
}

/// Of leaves 0 to leaves - 1, in their order.
inline Affine of_all(int leaves, std::size_t element) {
    Affine result = contribution(0, element);
    for (int leaf = 1; leaf < leaves; ++leaf) {
        result = after(result, contribution(leaf, element));
    }
    return result;
}

/// The same with memory in between that is nobody's business.
struct Gapped {
    std::uint32_t factor = 1;
    std::uint32_t first_gap = 0;
    std::uint32_t summand = 0;
    std::uint32_t second_gap = 0;
};

inline void apply_affine(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    for (int i = 0; i < *count; ++i) {
        auto& result = static_cast<Affine*>(inout)[i];
        result = after(static_cast<const Affine*>(in)[i], result);
    }
}

inline void apply_gapped(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    for (int i = 0; i < *count; ++i) {
        const auto& left = static_cast<const Gapped*>(in)[i];
        auto& right = static_cast<Gapped*>(inout)[i];
        const auto result = after({left.factor, left.summand}, {right.factor, right.summand});
        right.factor = result.factor;
        right.summand = result.summand;
    }
}

/// Types and operations of our own.
class OwnTypes {
  public:
    OwnTypes() {
        MPI_Type_contiguous(2, MPI_UINT32_T, &affine);
        MPI_Type_commit(&affine);
        MPI_Datatype pair = MPI_DATATYPE_NULL;
        MPI_Type_vector(2, 1, 2, MPI_UINT32_T, &pair);
        MPI_Type_create_resized(pair, 0, sizeof(Gapped), &gapped);
        MPI_Type_commit(&gapped);
        MPI_Type_free(&pair);
        MPI_Op_create(&apply_affine, 0, &join_affine);
        MPI_Op_create(&apply_gapped, 0, &join_gapped);
    }
    OwnTypes(const OwnTypes&) = delete;
    OwnTypes& operator=(const OwnTypes&) = delete;
    ~OwnTypes() {
        MPI_Op_free(&join_affine);
        MPI_Op_free(&join_gapped);
        MPI_Type_free(&affine);
        MPI_Type_free(&gapped);
    }

    MPI_Datatype affine = MPI_DATATYPE_NULL;
    MPI_Datatype gapped = MPI_DATATYPE_NULL;
    MPI_Op join_affine = MPI_OP_NULL;
    MPI_Op join_gapped = MPI_OP_NULL;
};

inline std::vector<unsigned char> noise(int leaf, std::size_t bytes) {
    std::vector<unsigned char> data(bytes);
    std::uint32_t state = static_cast<std::uint32_t>(leaf) * 2654435761U + 12345;
    for (auto& byte : data) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<unsigned char>(state >> 24U);
    }
    return data;
}

}  // namespace fathom::test
