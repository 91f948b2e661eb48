#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::analysis {

/// How large a part's messages are, in terms of those of the operation it stands in for. A size is that of a
/// process's block, where there are blocks.
enum class PartSize {
    same,
    half,        ///< of it
    twice,       ///< it
    by_procs,    ///< a process's share of it
    times_procs  ///< all processes' blocks together
};

/// One call that does part of the work.
struct GuidelinePart {
    std::string_view operation;  ///< empty: the operation itself
    PartSize size = PartSize::same;
    int times = 1;
};

/// An operation that is no slower than others that do its work, in any sound library.
struct Guideline {
    std::string_view left;       ///< `allreduce`
    std::string_view right;      ///< `reduce + bcast`
    std::string_view operation;  ///< empty: every collective with sizes
    std::vector<GuidelinePart> parts;
    bool cold_only = false;  ///< warm caches may hold the parts' data and not the whole
    bool of_larger = false;  ///< that a message is no slower than a larger one of the same operation

    /// `allreduce <= reduce + bcast`
    [[nodiscard]] std::string text() const { return std::string(left) + " <= " + std::string(right); }
};

/// Self-consistent performance requirements (Traeff, Gropp and Thakur, IEEE TPDS 2010), and that a call is
/// no slower than its non-blocking form waited for immediately.
std::span<const Guideline> guidelines();

}  // namespace fathom::analysis
