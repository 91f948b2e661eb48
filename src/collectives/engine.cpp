// Making what a tree needs, and waiting for others. engine_run.cpp moves segments.
#include "collectives/engine.hpp"

#include <algorithm>
#include <cmath>
#include <sched.h>

#include <climits>
#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/mpi_failure.hpp"
#include "collectives/simulation.hpp"
#include "collectives/waiting.hpp"

namespace fathom::collectives {
namespace {

using tree::EdgeKind;

/// Any basic type fits, however small segments or contributions are said to be.
constexpr std::size_t least_capacity = 64;
/// MPI counts bytes of a message in 31 bits.
constexpr std::size_t largest_message = std::size_t{1} << 30;
/// MPI makes progress with other communication of the program only if it is called now and then.
constexpr std::uint32_t looks_between_pokes = 16;

constexpr int requests_of_link = 4;
constexpr int first_send = 2;

std::size_t index_of(int number) {
    return static_cast<std::size_t>(number);
}

/// Every edge has two tags.
void check_tags(const tree::Tree& tree) {
    const auto nodes = tree.leaves.size() + tree.joins.size();
    void* largest = nullptr;
    int known = 0;
    checked(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest), &known));
    if (known != 0 && 2 * nodes > static_cast<std::size_t>(*static_cast<const int*>(largest))) {
        throw Unavailable(fmt::format("tree '{}' has {} nodes, and this MPI library has tags for {}",
                                      tree.name, nodes, *static_cast<const int*>(largest) / 2));
    }
}

/// Threads that only have a leaf call no MPI, but MPI must know that there are any.
void check_thread_level(const tree::Tree& tree) {
    const bool threads = std::any_of(tree.leaves.begin(), tree.leaves.end(),
                                     [](const tree::Leaf& leaf) { return leaf.thread > 0; });
    int level = MPI_THREAD_SINGLE;
    checked(MPI_Query_thread(&level));
    if (threads && level < MPI_THREAD_FUNNELED) {
        throw Unavailable(fmt::format(
            "tree '{}' has leaves for threads, and MPI was initialised for one thread; initialise "
            "it with MPI_Init_thread and MPI_THREAD_FUNNELED",
            tree.name));
    }
}

bool any_shared(const RingPlaces& places) {
    return std::any_of(places.capacity_down.begin(), places.capacity_down.end(),
                       [](std::size_t capacity) { return capacity > 0; });
}

int parent_join(const tree::Tree& tree, tree::Node node) {
    const auto leaves = static_cast<int>(tree.leaves.size());
    return node < leaves ? tree.leaves[index_of(node)].parent : tree.joins[index_of(node - leaves)].parent;
}

}  // namespace

Engine::Engine(MPI_Comm communicator, const tree::Tree& tree, const TreeOptions& options)
    : simulated_edge_ns_(std::llround(options.simulated_edge_ns)) {
    checked(MPI_Comm_rank(communicator, &rank_));
    checked(MPI_Comm_size(communicator, &size_));
    check_tags(tree);
    auto program = make_program(tree, rank_, size_, !simulated);
    check_thread_level(tree);
    hosts_ = std::make_unique<HostMemory>(communicator, 1 + static_cast<int>(program.threads.size()));
    check_hosts(tree, hosts_->host_of());
    checked(MPI_Comm_dup(communicator, &messages_));
    checked(MPI_Comm_set_errhandler(messages_, MPI_ERRORS_RETURN));

    const auto requested = tree.segment
                               ? static_cast<std::size_t>(std::max<std::int64_t>(1, tree.segment->count))
                               : usual_segment_bytes;
    limits_.wanted = std::min(requested, largest_message / index_of(program.most_runs));
    limits_.capacity = std::max(
        {std::min(limits_.wanted, options.largest_bytes), least_capacity, options.largest_element_bytes});
    staging(options.largest_bytes);
    convert_ = allocate(limits_.capacity);
    for (const auto collector : program.collectors) {
        stamps_.push_back({.collector = collector});
    }
    for (auto& part : program.parts) {
        parts_.emplace_back().plan = std::move(part);
    }
    thread_plans_ = std::move(program.threads);
    make_parts();
    make_rings(tree);
}

Engine::~Engine() {
    if (bell_ != nullptr) {
        // Who has published something for us may still be about to ring.
        hosts_->meet();
        remove_bell(*bell_);
        for (auto* const bell : thread_bells_) {
            remove_bell(*bell);
        }
    }
    if (messages_ != MPI_COMM_NULL) {
        MPI_Comm_free(&messages_);
    }
}

Engine::Memory Engine::new_memory(std::size_t bytes) {
    return Memory(new std::byte[std::max<std::size_t>(bytes, 1)]);
}

std::byte* Engine::allocate(std::size_t bytes) {
    memory_.push_back(new_memory(bytes));
    return memory_.back().get();
}

std::byte* Engine::staging(std::size_t bytes) {
    if (staging_ == nullptr || staging_bytes_ < bytes) {
        staging_ = new_memory(bytes);
        staging_bytes_ = bytes;
    }
    return staging_.get();
}

void Engine::make_parts() {
    for (auto& part : parts_) {
        for (const auto& plan : part.plan.children) {
            auto& link = part.children.emplace_back();
            link.plan = plan;
            link.receive_tag = 2 * plan.node;
            link.send_tag = 2 * plan.node + 1;
        }
        if (part.plan.parent) {
            part.parent.plan = *part.plan.parent;
            part.parent.send_tag = 2 * part.parent.plan.node;
            part.parent.receive_tag = 2 * part.parent.plan.node + 1;
        }
        for (const auto& join : part.plan.joins) {
            part.runs_left.push_back(static_cast<int>(join.results.size()));
        }
        part.merge_waits.assign(part.plan.merges.size(), 2);
        part.data.assign(part.plan.pieces.size(), nullptr);
        part.typed.assign(part.plan.pieces.size(), Pair{});
        part.up_rings.resize(part.plan.joins.size());
        part.up_begin.resize(part.plan.joins.size());
        part.on_path.resize(part.plan.joins.size());
        make_memory(part);
    }
    // Links stay where they are from now on.
    const auto add_requests = [&](LinkState& link) {
        has_shared_ = has_shared_ || link.plan.shared;
        sleeps_ = sleeps_ || (link.plan.shared && link.plan.kind != EdgeKind::flag);
        if (!link.plan.shared) {
            link.request = static_cast<int>(links_.size()) * requests_of_link;
            links_.push_back(&link);
        }
    };
    for (auto& part : parts_) {
        std::for_each(part.children.begin(), part.children.end(), add_requests);
        if (part.plan.parent) {
            add_requests(part.parent);
        }
    }
    requests_.assign(links_.size() * requests_of_link, MPI_REQUEST_NULL);
}

void Engine::make_memory(PartState& part) {
    const auto pair = [&](int runs) {
        const auto bytes = limits_.capacity * index_of(runs);
        return Pair{allocate(bytes), allocate(bytes)};
    };
    part.own.assign(part.plan.pieces.size(), Pair{});
    std::vector<bool> in_message(part.plan.pieces.size());
    for (auto& link : part.children) {
        if (!link.plan.shared) {
            link.buffer = pair(link.plan.runs);
            std::fill_n(in_message.begin() + link.plan.first_piece, link.plan.runs, true);
        }
    }
    for (std::size_t i = 0; i < part.plan.pieces.size(); ++i) {
        const auto& piece = part.plan.pieces[i];
        if (piece.written && !piece.local && !in_message[i]) {
            part.own[i] = pair(1);
        }
    }
    if (part.plan.parent && !part.parent.plan.shared) {
        part.out = pair(part.parent.plan.runs);
    }
    part.place = pair(1);
}

void Engine::make_rings(const tree::Tree& tree) {
    if constexpr (simulated) {
        return;
    }
    const auto places = place_rings(tree, size_, limits_.capacity);
    if (!any_shared(places)) {
        return;
    }
    hosts_->share(places.bytes);
    std::byte* const own = hosts_->of(rank_);
    bell_ = make_bell(own);
    for (auto& part : parts_) {
        if (part.plan.parent && part.parent.plan.shared) {
            const auto node = index_of(part.parent.plan.node);
            part.down_ring = RingWriter(own + places.down[node], 1, places.capacity_down[node]);
        }
        for (std::size_t join = 0; join < part.plan.joins.size(); ++join) {
            const auto& plan = part.plan.joins[join];
            if (!plan.shared.empty()) {
                part.up_rings[join] =
                    RingWriter(own + places.up[index_of(plan.join)], plan.shared.size(), limits_.capacity);
            }
        }
    }
    auto edges = make_thread_edges(places);
    hosts_->meet();
    for (auto& part : parts_) {
        for (auto& link : part.children) {
            if (link.plan.shared) {
                std::byte* const memory = hosts_->of(link.plan.rank);
                const auto node = index_of(link.plan.node);
                link.bell = reinterpret_cast<Bell*>(memory + places.bell[node]);
                link.reader = RingReader(memory + places.down[node], 0, 1, places.capacity_down[node]);
            }
        }
        if (part.plan.parent && part.parent.plan.shared) {
            auto& link = part.parent;
            link.bell = reinterpret_cast<Bell*>(hosts_->of(link.plan.rank));
            link.reader = reader_of_result(tree, places, link.plan);
        }
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const auto& plan = thread_plans_[i];
        edges[i].up = reader_of_result(tree, places, plan.parent);
        edges[i].parent_bell = reinterpret_cast<Bell*>(hosts_->of(plan.parent.rank));
        threads_.emplace_back(edges[i], plan.beside, limits_);
    }
}

/// Of the ring that the upper end of an edge writes.
RingReader Engine::reader_of_result(const tree::Tree& tree, const RingPlaces& places,
                                    const Link& link) const {
    return {hosts_->of(link.rank) + places.up[index_of(parent_join(tree, link.node))], index_of(link.reader),
            index_of(link.readers), limits_.capacity};
}

/// What threads of this rank own of the edges of their leaves.
std::vector<LeafEdge> Engine::make_thread_edges(const RingPlaces& places) {
    std::vector<LeafEdge> edges;
    std::byte* const own = hosts_->of(rank_);
    for (const auto& plan : thread_plans_) {
        const auto node = index_of(plan.parent.node);
        thread_bells_.push_back(make_bell(own + places.bell[node]));
        edges.push_back({.down = RingWriter(own + places.down[node], 1, places.capacity_down[node]),
                         .up = {},
                         .bell = thread_bells_.back(),
                         .kind = plan.parent.kind,
                         .collector = plan.collector,
                         .crowded = crowded(),
                         .failed = &failed_});
    }
    return edges;
}

void Engine::make_typed_memory() {
    constexpr std::size_t alignment = 64;
    const auto span = (call_.layout.span(call_.cut.per_segment) / alignment + 1) * alignment;
    std::size_t pieces = 0;
    for (const auto& part : parts_) {
        pieces += part.plan.pieces.size();
    }
    if (typed_span_ < span) {
        typed_memory_ = new_memory(2 * pieces * span);
        typed_span_ = span;
    }
    std::byte* next = typed_memory_.get();
    for (auto& part : parts_) {
        for (auto& pair : part.typed) {
            for (auto& memory : pair) {
                memory = next - call_.layout.true_lower;
                next += typed_span_;
            }
        }
    }
}

void Engine::trace(EventRing* ring, TimeSource time, const TraceChoice& choice) {
    tracer_ = Tracer(ring, time, choice);
}

bool Engine::sending(const LinkState& link, int segment) const {
    return !link.plan.shared &&
           requests_[index_of(link.request + first_send + (segment & 1))] != MPI_REQUEST_NULL;
}

void Engine::receive(LinkState& link, int segment, std::byte* to, std::size_t bytes) {
    const int odd = segment & 1;
    checked(MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, link.plan.rank, link.receive_tag, messages_,
                      &requests_[index_of(link.request + odd)]));
    link.segment[index_of(odd)] = segment;
    ++active_;
}

void Engine::send(LinkState& link, int segment, const std::byte* from, std::size_t bytes) {
    // Libraries copy so small a message and return (the smallest eager limit that is usual is 1 KiB), which
    // saves completing a request. One that waits instead does no harm in a call of one segment: all ranks
    // post their receives before they send.
    constexpr std::size_t copied_bytes = 512;
    if (!simulated && call_.segments() == 1 && bytes <= copied_bytes) {
        checked(MPI_Send(from, static_cast<int>(bytes), MPI_BYTE, link.plan.rank, link.send_tag, messages_));
        return;
    }
    checked(MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, link.plan.rank, link.send_tag, messages_,
                      &requests_[index_of(link.request + first_send + (segment & 1))]));
    ++active_;
}

void Engine::completed(int index) {
    --active_;
    idle_ = 0;
    const int which = index % requests_of_link;
    if (which >= first_send) {
        return;
    }
    auto& link = *links_[index_of(index / requests_of_link)];
    if (simulated && link.plan.kind != EdgeKind::message && simulated_edge_ns_ > 0) {
        pass_simulated_time(simulated_edge_ns_);
    }
    link.arrived[index_of(which)] = true;
    if (tracing_ && link.segment[index_of(which)] + 1 == call_.segments()) {
        link.arrived_ns = tracer_.time_after();
    }
}

void Engine::wait() {
    int index = MPI_UNDEFINED;
    const auto count = static_cast<int>(requests_.size());
    if (simulated || (!has_shared_ && !crowded())) {
        // A simulated rank must not look around: time stands still meanwhile.
        checked(MPI_Waitany(count, requests_.data(), &index, MPI_STATUS_IGNORE));
        if (index == MPI_UNDEFINED) {
            throw MpiFailure{MPI_ERR_INTERN};
        }
        completed(index);
        return;
    }
    if (active_ > 0) {
        int done = 0;
        checked(MPI_Testany(count, requests_.data(), &index, &done, MPI_STATUS_IGNORE));
        if (done != 0 && index != MPI_UNDEFINED) {
            completed(index);
            return;
        }
    }
    give_way();
}

void Engine::give_way() {
    ++idle_;
    const auto kind = sleeps_ && active_ == 0 ? sleeping_kind() : std::nullopt;
    if (!kind && idle_ < (crowded() ? looks_when_crowded : looks_alone)) {
        return;
    }
    const bool long_enough = kind ? idle_ > 1 : idle_ % looks_between_pokes == 0;
    if (active_ == 0 && long_enough) {
        int found = 0;
        checked(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, messages_, &found, MPI_STATUS_IGNORE));
    }
    if (kind) {
        sleep_until_rung(*bell_, *kind, seen_);
    } else {
        ::sched_yield();
    }
}

/// What this rank may sleep on: all it waits for is rung in the same way, and nothing has to be tried again.
std::optional<EdgeKind> Engine::sleeping_kind() const {
    std::optional<EdgeKind> kind;
    const auto wakes = [&](const LinkState& link) {
        if (!link.plan.shared || link.plan.kind == EdgeKind::flag || (kind && *kind != link.plan.kind)) {
            return false;
        }
        kind = link.plan.kind;
        return true;
    };
    for (const auto& part : parts_) {
        if (part.down < part.down_total) {
            if (!part.opened || part.joined) {
                return std::nullopt;
            }
            for (const auto& link : part.children) {
                if (!link.taken && !wakes(link)) {
                    return std::nullopt;
                }
            }
        }
        if (part.up < part.up_total) {
            const auto* const source = source_of(part);
            if (part.arrived || (source != nullptr && !wakes(*source))) {
                return std::nullopt;
            }
        }
    }
    return kind;
}

}  // namespace fathom::collectives
