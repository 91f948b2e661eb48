#pragma once

#include <array>
#include <string_view>

#include "base/named_enum.hpp"

/// Settings that are one of a few words.
namespace fathom::plan {

/// How the ranks of a repetition start together.
enum class StartMode { automatic, roundtime, window, barrier, mpi_barrier, none };
constexpr std::array<std::string_view, 6> enum_names(StartMode /*unused*/) {
    return {"auto", "roundtime", "window", "barrier", "mpi-barrier", "none"};
}

/// The rule by which repetitions end.
enum class StopMode { median_ci, skampi, fixed };
constexpr std::array<std::string_view, 3> enum_names(StopMode /*unused*/) {
    return {"median-ci", "skampi", "fixed"};
}

/// The root of calls that have one: rank 0, or another for every call.
enum class RootMode { fixed, rotating };
constexpr std::array<std::string_view, 2> enum_names(RootMode /*unused*/) {
    return {"fixed", "rotating"};
}

/// Where message data are: in the cache, or in other memory for every call.
enum class Cache { warm, cold };
constexpr std::array<std::string_view, 2> enum_names(Cache /*unused*/) {
    return {"warm", "cold"};
}

/// Order of points: by the seed, or as planned.
enum class Order { random, planned };
constexpr std::array<std::string_view, 2> enum_names(Order /*unused*/) {
    return {"random", "planned"};
}

/// How the ranks of a repetition are reduced; automatic: as its operation defines.
enum class OverRanks { automatic, max, span, root, mean, median, min, each };
constexpr std::array<std::string_view, 8> enum_names(OverRanks /*unused*/) {
    return {"auto", "max", "span", "root", "mean", "median", "min", "each"};
}

/// What a message there and back counts as: half of its round trip, the time of one way, or all of it.
enum class RoundTrip { half, whole };
constexpr std::array<std::string_view, 2> enum_names(RoundTrip /*unused*/) {
    return {"half", "whole"};
}

/// What ends the timed part of a repetition: the call itself, an MPI_Barrier after it whose own time is
/// subtracted, or an empty message from every other process to rank 0, which is not.
enum class Finish { call, mpi_barrier, acknowledged };
constexpr std::array<std::string_view, 3> enum_names(Finish /*unused*/) {
    return {"call", "mpi-barrier", "acknowledged"};
}

/// Whether the operating system's counters are read around repetitions.
enum class Counters { on, off };
constexpr std::array<std::string_view, 2> enum_names(Counters /*unused*/) {
    return {"on", "off"};
}

/// What a size means if processes have blocks: the block of each, or the total.
enum class SizeAs { each, total };
constexpr std::array<std::string_view, 2> enum_names(SizeAs /*unused*/) {
    return {"each", "total"};
}

/// Of blocks over ranks in the v forms.
enum class Distribution { equal, linear, one_heavy, random };
constexpr std::array<std::string_view, 4> enum_names(Distribution /*unused*/) {
    return {"equal", "linear", "one-heavy", "random"};
}

/// Of reductions; automatic: as the size allows.
enum class ElementType { automatic, int_, float_, double_ };
constexpr std::array<std::string_view, 4> enum_names(ElementType /*unused*/) {
    return {"auto", "int", "float", "double"};
}

/// The library's own operations, a user-defined sum, a user-defined operation that is not commutative, or one
/// that does nothing.
enum class ReduceOp { sum, user, user_ordered, max, min, band, bor, bxor, empty };
constexpr std::array<std::string_view, 9> enum_names(ReduceOp /*unused*/) {
    return {"sum", "user", "user-ordered", "max", "min", "band", "bor", "bxor", "empty"};
}

/// Whether the order of operands makes no difference, as libraries are told.
constexpr bool commutes(ReduceOp op) {
    return op != ReduceOp::user_ordered;
}
/// Whether it is an operation of MPI's own.
constexpr bool built_in(ReduceOp op) {
    return op != ReduceOp::user && op != ReduceOp::user_ordered && op != ReduceOp::empty;
}

/// How windows of one-sided calls get their memory.
enum class WindowMemory { allocate, create, shared };
constexpr std::array<std::string_view, 3> enum_names(WindowMemory /*unused*/) {
    return {"allocate", "create", "shared"};
}

/// What the target of a one-sided call does that needs no call of its own (lock, flush): waits inside the
/// library, or computes outside it.
enum class Target { waiting, working };
constexpr std::array<std::string_view, 2> enum_names(Target /*unused*/) {
    return {"waiting", "working"};
}

/// What is computed during communication: arithmetic, or streaming through memory.
enum class Work { registers, memory };
constexpr std::array<std::string_view, 2> enum_names(Work /*unused*/) {
    return {"registers", "memory"};
}

/// What progresses communication while the program computes: the library as configured, a thread that is
/// requested from it, or one after the other.
enum class Progress { library, thread, both };
constexpr std::array<std::string_view, 3> enum_names(Progress /*unused*/) {
    return {"library", "thread", "both"};
}

/// Which threads may call the library, as the job asks for when it initialises MPI. Single: MPI_Init, as a
/// plain program calls it; the others: MPI_Init_thread. In the order of MPI: a level includes those before
/// it.
enum class ThreadLevel { single, funneled, serialized, multiple };
constexpr std::array<std::string_view, 4> enum_names(ThreadLevel /*unused*/) {
    return {"single", "funneled", "serialized", "multiple"};
}

/// What ranks are bound to: what the launcher does by itself, one core each, or nothing.
enum class Bind { launcher, core, none };
constexpr std::array<std::string_view, 3> enum_names(Bind /*unused*/) {
    return {"launcher", "core", "none"};
}

/// The option of the probe, which has to know before it initialises MPI and can read its job only afterwards.
inline constexpr std::string_view thread_level_option = "--thread-level";

/// MPI libraries, in the order in which one is preferred; `mpi` may be any, `smpi` is simulated.
enum class Flavour { mpi, openmpi, mpich, smpi };
constexpr std::array<std::string_view, 4> enum_names(Flavour /*unused*/) {
    return {"mpi", "openmpi", "mpich", "smpi"};
}

}  // namespace fathom::plan
