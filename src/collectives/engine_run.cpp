// A call: segments come down from children, are joined and handed on; results go up.
#include <algorithm>
#include <cstring>

#include "collectives/engine.hpp"
#include "collectives/mpi_failure.hpp"

namespace fathom::collectives {
namespace {

using tree::EdgeKind;
using tree::Event;

/// Segments that may be received at a time: one is joined or handed on while the next comes.
constexpr int segments_ahead = 2;

std::size_t of(int number) {
    return static_cast<std::size_t>(number);
}
std::size_t odd(int segment) {
    return static_cast<std::size_t>(segment & 1);
}

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
    // Most calls of a program move a number: the compiler makes one instruction of that.
    constexpr std::size_t word = 8;
    if (bytes == word) {
        std::memcpy(to, from, word);
    } else if (bytes > 0 && to != from) {
        std::memcpy(to, from, bytes);
    }
}

}  // namespace

void Engine::perform(const Call& call) {
    call_ = call;
    try {
        if (call_.typed) {
            make_typed_memory();
        }
        perform_parts();
    } catch (...) {
        failed_.store(true, std::memory_order_relaxed);
        throw;
    }
}

void Engine::perform_parts() {
    tracing_ = tracer_.chooses(calls_);
    for (auto& part : parts_) {
        begin(part);
    }
    if (!tracing_) {
        run<false>();
        ++calls_;
        return;
    }
    for (auto& event : stamps_) {
        event.call = calls_;
        event.down_ns = Event::never;
        event.up_ns = Event::never;
    }
    run<true>();
    for (const auto& event : stamps_) {
        tracer_.keep(event);
    }
    ++calls_;
}

void Engine::begin(PartState& part) {
    part.down = part.up = part.down_posted = part.up_posted = 0;
    part.opened = part.joined = part.arrived = false;
    part.input = part.plan.parent ? from_parent : from_root_join;
    part.only = all_children;
    part.except = no_child;
    part.to_parent = false;
    part.down_total = call_.segments();
    part.up_total = call_.segments();
    part.down_begin = part.down_ring.written();
    for (std::size_t join = 0; join < part.up_rings.size(); ++join) {
        part.up_begin[join] = part.up_rings[join].written();
    }
    if (call_.way == Way::allreduce) {
        return;
    }
    if (call_.way == Way::reduce) {
        begin_reduce(part);
    } else {
        begin_bcast(part);
    }
    if (tracing_) {
        mark_path(part);
    }
}

/// The result goes from the root of the tree to one rank alone.
void Engine::begin_reduce(PartState& part) const {
    const int below = part.plan.toward[of(call_.root)];
    if (below == Part::above) {
        part.up_total = 0;
        if (part.plan.parent && part.parent.plan.shared && part.plan.beside[of(call_.root)] != 0) {
            part.parent.reader.skip(static_cast<std::uint32_t>(call_.segments()));
        }
        return;
    }
    part.only = below == Part::own_leaf ? static_cast<int>(no_child) : below;
}

/// The tree as if it hung from the rank that has the data: on the way from there to the root they go down,
/// and from every join on that way up to all other children.
void Engine::begin_bcast(PartState& part) const {
    part.down_total = 0;
    const int below = part.plan.toward[of(call_.root)];
    if (below == Part::above) {
        return;
    }
    part.input = below == Part::own_leaf ? static_cast<int>(from_own_leaf) : below;
    part.except = below == Part::own_leaf ? static_cast<int>(no_child) : below;
    part.to_parent = part.plan.parent.has_value();
    if (part.to_parent && part.parent.plan.shared && part.parent.plan.readers > 1) {
        part.parent.reader.skip(static_cast<std::uint32_t>(call_.segments()));
    }
}

template <bool traced>
void Engine::run() {
    idle_ = 0;
    for (auto& part : parts_) {
        if (part.down_total > 0) {
            post_from_children(part);
        }
        if (part.up_total > 0) {
            post_from_above(part);
        }
    }
    while (true) {
        if (sleeps_) {
            seen_ = bell_->rung.load();
        }
        bool moved = false;
        bool unfinished = active_ > 0;
        for (auto& part : parts_) {
            if (part.down < part.down_total) {
                moved = advance_down<traced>(part) || moved;
            }
            if (part.up < part.up_total) {
                moved = advance_up<traced>(part) || moved;
            }
            unfinished = unfinished || part.down < part.down_total || part.up < part.up_total;
        }
        if (moved) {
            idle_ = 0;
        } else if (unfinished) {
            wait();
        } else {
            return;
        }
    }
}

template <bool traced>
bool Engine::advance_down(PartState& part) {
    bool moved = false;
    post_from_children(part);
    if (!part.opened) {
        if (part.down_posted == part.down) {
            return false;  // its memory is still being sent
        }
        open<traced>(part);
        moved = true;
    }
    if (part.links_left > 0) {
        moved = take_arrivals<traced>(part) || moved;
    }
    if (part.joined) {
        moved = hand_down<traced>(part) || moved;
    }
    return moved;
}

void Engine::post_from_children(PartState& part) {
    const int limit = std::min(part.down_total, part.down + segments_ahead);
    while (part.down_posted < limit) {
        const int segment = part.down_posted;
        if (part.plan.parent && sending(part.parent, segment)) {
            return;
        }
        for (auto& link : part.children) {
            if (!link.plan.shared) {
                receive(link, segment, link.buffer[odd(segment)],
                        of(link.plan.runs) * call_.bytes_in(segment));
            }
        }
        ++part.down_posted;
    }
}

template <bool traced>
void Engine::open(PartState& part) {
    part.opened = true;
    part.links_left = static_cast<int>(part.children.size());
    for (auto& link : part.children) {
        link.taken = false;
    }
    if (!part.plan.has_leaf) {
        return;
    }
    if (traced && is_last(part.down)) {
        const auto time = tracer_.time_before();
        stamp(part.plan.leaf_own_event).down_ns = time;
        if (part.plan.leaf_parent_event >= 0) {
            stamp(part.plan.leaf_parent_event).down_ns = time;
        }
    }
    if (part.plan.joins.empty()) {
        part.joined = true;
        return;
    }
    std::byte* mine = call_.contribution(part.down);
    const auto piece = of(part.plan.leaf_piece);
    if (part.plan.pieces[piece].written) {
        std::byte* const copy = (call_.typed ? part.typed : part.own)[piece][odd(part.down)];
        if (call_.typed) {
            copy_typed(mine, copy, call_.elements_in(part.down));
        } else {
            copy_bytes(copy, mine, call_.bytes_in(part.down));
        }
        mine = copy;
    }
    piece_ready<traced>(part, part.plan.leaf_piece, mine);
}

void Engine::copy_typed(const std::byte* from, std::byte* to, std::size_t elements) const {
    write_result(from, elements, convert_);
    int position = 0;
    checked(MPI_Unpack(convert_, static_cast<int>(elements * call_.cut.element_bytes), &position, to,
                       static_cast<int>(elements), call_.layout.type, messages_));
}

template <bool traced>
bool Engine::take_arrivals(PartState& part) {
    bool moved = false;
    for (auto& link : part.children) {
        if (!link.taken && (link.plan.shared ? link.reader.ready() : link.arrived[odd(part.down)])) {
            take<traced>(part, link);
            moved = true;
        }
    }
    return moved;
}

template <bool traced>
void Engine::take(PartState& part, LinkState& link) {
    link.taken = true;
    --part.links_left;
    if (traced && is_last(part.down)) {
        stamp(link.plan.event).down_ns = link.plan.shared ? tracer_.time_after() : link.arrived_ns;
    }
    std::byte* from = link.buffer[odd(part.down)];
    if (link.plan.shared) {
        from = link.reader.slot();
    } else {
        link.arrived[odd(part.down)] = false;
    }
    const auto elements = call_.elements_in(part.down);
    const auto bytes = call_.bytes_in(part.down);
    for (int run = 0; run < link.plan.runs; ++run) {
        const int piece = link.plan.first_piece + run;
        std::byte* where = from + of(run) * bytes;
        if (call_.typed) {
            int position = 0;
            std::byte* const unpacked = part.typed[of(piece)][odd(part.down)];
            checked(MPI_Unpack(where, static_cast<int>(bytes), &position, unpacked,
                               static_cast<int>(elements), call_.layout.type, messages_));
            where = unpacked;
        } else if (link.plan.shared && part.plan.pieces[of(piece)].written) {
            std::byte* const copy = part.own[of(piece)][odd(part.down)];
            copy_bytes(copy, where, bytes);
            where = copy;
        }
        piece_ready<traced>(part, piece, where);
    }
}

template <bool traced>
void Engine::piece_ready(PartState& part, int piece, std::byte* where) {
    part.data[of(piece)] = where;
    int next = part.plan.pieces[of(piece)].next;
    while (next >= 0) {
        if (--part.merge_waits[of(next)] > 0) {
            return;
        }
        part.merge_waits[of(next)] = 2;
        const auto& merge = part.plan.merges[of(next)];
        const auto elements = call_.elements_in(part.down);
        if (elements > 0) {
            checked(MPI_Reduce_local(part.data[of(merge.left)], part.data[of(merge.right)],
                                     static_cast<int>(elements), call_.layout.type, call_.op));
        }
        next = merge.next;
    }
    const int join = ~next;
    if (--part.runs_left[of(join)] == 0) {
        join_ready<traced>(part, join);
    }
}

template <bool traced>
void Engine::join_ready(PartState& part, int join) {
    const auto& plan = part.plan.joins[of(join)];
    part.runs_left[of(join)] = static_cast<int>(plan.results.size());
    if (!plan.shared.empty()) {
        // Whoever contributes to this call has read all results of those before.
        part.up_rings[of(join)].set_read(part.up_begin[of(join)]);
    }
    if (traced && is_last(part.down)) {
        const auto time = tracer_.time_before();
        stamp(plan.own_event).down_ns = time;
        if (plan.parent_event >= 0) {
            stamp(plan.parent_event).down_ns = time;
        }
    }
    if (plan.parent < 0) {
        part.joined = true;
        return;
    }
    for (std::size_t run = 0; run < plan.results.size(); ++run) {
        piece_ready<traced>(part, plan.parent_piece + static_cast<int>(run),
                            part.data[of(plan.results[run])]);
    }
}

template <bool traced>
bool Engine::hand_down(PartState& part) {
    if (!part.plan.parent) {
        return store<traced>(part);
    }
    auto& link = part.parent;
    if (link.plan.shared) {
        if (!part.down_ring.has_room()) {
            return false;
        }
        write_results(part, part.down_ring.slot());
        part.down_ring.publish();
        if (link.plan.kind != EdgeKind::flag) {
            ring(*link.bell, link.plan.kind);
        }
    } else {
        if (sending(link, part.down)) {
            return false;
        }
        const std::byte* from = part.out[odd(part.down)];
        if (call_.typed || link.plan.runs > 1) {
            write_results(part, part.out[odd(part.down)]);
        } else if (part.plan.joins.empty()) {
            from = call_.contribution(part.down);
        } else {
            from = part.data[of(part.plan.joins.back().results.front())];
        }
        send(link, part.down, from, of(link.plan.runs) * call_.bytes_in(part.down));
    }
    finish_down(part);
    return true;
}

/// At the root of the tree the way down ends and the way up begins.
template <bool traced>
bool Engine::store(PartState& part) {
    if (part.up != part.down || part.arrived || !place_is_free(part, part.down)) {
        return false;
    }
    write_results(part, place(part, part.down));
    if (traced && is_last(part.down)) {
        stamp(part.plan.joins.back().own_event).up_ns = tracer_.time_before();
    }
    part.arrived = true;
    finish_down(part);
    return true;
}

void Engine::finish_down(PartState& part) {
    for (auto& link : part.children) {
        if (link.plan.shared) {
            link.reader.release();
        }
    }
    ++part.down;
    part.opened = part.joined = false;
}

void Engine::write_results(const PartState& part, std::byte* to) const {
    const auto elements = call_.elements_in(part.down);
    if (part.plan.joins.empty()) {
        write_result(call_.contribution(part.down), elements, to);
        return;
    }
    for (const int piece : part.plan.joins.back().results) {
        write_result(part.data[of(piece)], elements, to);
        to += elements * call_.cut.element_bytes;
    }
}

void Engine::write_result(const std::byte* result, std::size_t elements, std::byte* to) const {
    const auto bytes = elements * call_.cut.element_bytes;
    if (call_.typed) {
        int position = 0;
        checked(MPI_Pack(result, static_cast<int>(elements), call_.layout.type, to, static_cast<int>(bytes),
                         &position, messages_));
    } else {
        copy_bytes(to, result, bytes);
    }
}

template <bool traced>
bool Engine::advance_up(PartState& part) {
    bool moved = false;
    post_from_above(part);
    if (!part.arrived && part.input != from_root_join) {
        moved = take_result<traced>(part);
    }
    if (part.arrived) {
        moved = hand_up<traced>(part) || moved;
    }
    return moved;
}

void Engine::post_from_above(PartState& part) {
    auto* const link = source_of(part);
    if (link == nullptr || link->plan.shared) {
        return;
    }
    const int limit = std::min(part.up_total, part.up + segments_ahead);
    while (part.up_posted < limit) {
        const int segment = part.up_posted;
        // In place, a contribution must have left before its result may come; it has if the one after the
        // next, which uses the same request, was handed on.
        const bool leaving = segment + segments_ahead >= part.down && sending(part.parent, segment);
        const bool occupied = call_.in_place && part.plan.has_leaf && (segment >= part.down || leaving);
        if (occupied || !place_is_free(part, segment)) {
            return;
        }
        receive(*link, segment, place(part, segment), call_.bytes_in(segment));
        ++part.up_posted;
    }
}

/// Results of a whole call have memory if this rank wants them; other ranks and parts pass them on by
/// segments.
std::byte* Engine::place(const PartState& part, int segment) const {
    return call_.base != nullptr && part.plan.has_leaf ? call_.base_of(segment) : part.place[odd(segment)];
}

bool Engine::place_is_free(const PartState& part, int segment) const {
    if (call_.base != nullptr && part.plan.has_leaf) {
        return true;
    }
    return std::none_of(part.children.begin(), part.children.end(),
                        [&](const LinkState& link) { return sending(link, segment); }) &&
           !(part.to_parent && sending(part.parent, segment));
}

template <bool traced>
bool Engine::take_result(PartState& part) {
    auto* const link = source_of(part);
    std::int64_t time = 0;
    if (link == nullptr) {
        time = traced && is_last(part.up) ? tracer_.time_before() : 0;
    } else if (!link->plan.shared) {
        if (!link->arrived[odd(part.up)]) {
            return false;
        }
        link->arrived[odd(part.up)] = false;
        time = link->arrived_ns;
    } else {
        if (!link->reader.ready() || !place_is_free(part, part.up)) {
            return false;
        }
        time = traced && is_last(part.up) ? tracer_.time_after() : 0;
        copy_bytes(place(part, part.up), link->reader.slot(), call_.bytes_in(part.up));
        link->reader.release();
    }
    part.arrived = true;
    if (part.input == from_parent && part.down_total > 0) {
        // Its result is here, so our contribution was read.
        part.down_ring.set_read(part.down_begin + static_cast<std::uint32_t>(part.up) + 1);
    }
    if (traced && is_last(part.up)) {
        stamp_entry(part, time);
    }
    return true;
}

int Engine::leaf_join(const PartState& part) {
    const auto found = std::find_if(part.plan.joins.begin(), part.plan.joins.end(),
                                    [](const OwnJoin& join) { return join.has_leaf; });
    return found == part.plan.joins.end() ? -1 : static_cast<int>(found - part.plan.joins.begin());
}

void Engine::mark_path(PartState& part) const {
    std::fill(part.on_path.begin(), part.on_path.end(), std::uint8_t{0});
    const int below = part.plan.toward[of(call_.root)];
    if (below == Part::above) {
        return;
    }
    int join = below == Part::own_leaf ? leaf_join(part) : part.plan.children[of(below)].join;
    for (; join >= 0; join = part.plan.joins[of(join)].parent) {
        part.on_path[of(join)] = 1;
    }
}

/// Where data of the call entered this part. Coming from below, they pass the joins above immediately.
void Engine::stamp_entry(PartState& part, std::int64_t time) {
    if (part.input == from_parent) {
        stamp(part.parent.plan.event).up_ns = time;
        return;
    }
    if (part.input >= 0) {
        stamp(part.children[of(part.input)].plan.event).down_ns = time;
    } else {
        stamp(part.plan.leaf_own_event).down_ns = time;
        if (part.plan.leaf_parent_event >= 0) {
            stamp(part.plan.leaf_parent_event).down_ns = time;
        }
    }
    for (std::size_t join = 0; join < part.on_path.size(); ++join) {
        const auto& plan = part.plan.joins[join];
        if (part.on_path[join] == 0) {
            continue;
        }
        stamp(plan.own_event).down_ns = time;
        if (plan.parent_event >= 0) {
            stamp(plan.parent_event).down_ns = time;
        } else if (!part.plan.parent) {
            stamp(plan.own_event).up_ns = time;
        }
    }
}

bool Engine::stamps_up(const PartState& part, std::size_t join) const {
    return call_.way == Way::allreduce || (part.on_path[join] != 0) == (call_.way == Way::reduce);
}

bool Engine::stamps_leaf_up(const PartState& part) const {
    return part.plan.leaf_parent_event >= 0 && part.input != from_own_leaf &&
           (call_.way != Way::reduce || part.only == no_child);
}

bool Engine::goes_to(const PartState& part, int link) {
    return part.only == all_children ? link != part.except : link == part.only;
}

bool Engine::goes_to_readers(const PartState& part, const OwnJoin& join) {
    return std::any_of(join.shared.begin(), join.shared.end(), [&](int link) { return goes_to(part, link); });
}

bool Engine::can_hand_up(PartState& part) {
    if (part.to_parent &&
        (part.parent.plan.shared ? !part.down_ring.has_room() : sending(part.parent, part.up))) {
        return false;
    }
    for (std::size_t join = 0; join < part.plan.joins.size(); ++join) {
        const auto& plan = part.plan.joins[join];
        for (const int link : plan.messages) {
            if (goes_to(part, link) && sending(part.children[of(link)], part.up)) {
                return false;
            }
        }
        if (goes_to_readers(part, plan) && !part.up_rings[join].has_room()) {
            return false;
        }
    }
    return true;
}

template <bool traced>
bool Engine::hand_up(PartState& part) {
    if (!can_hand_up(part)) {
        return false;
    }
    if (part.to_parent) {
        hand_to_parent(part);
    }
    for (auto join = part.plan.joins.size(); join > 0; --join) {
        hand_to_children<traced>(part, join - 1);
    }
    if (traced && is_last(part.up) && stamps_leaf_up(part)) {
        const auto time = tracer_.time_before();
        stamp(part.plan.leaf_parent_event).up_ns = time;
        stamp(part.plan.leaf_own_event).up_ns = time;
    }
    ++part.up;
    part.arrived = false;
    return true;
}

void Engine::hand_to_parent(PartState& part) {
    auto& link = part.parent;
    const auto bytes = call_.bytes_in(part.up);
    if (!link.plan.shared) {
        send(link, part.up, place(part, part.up), bytes);
        return;
    }
    copy_bytes(part.down_ring.slot(), place(part, part.up), bytes);
    part.down_ring.publish();
    if (link.plan.kind != EdgeKind::flag) {
        ring(*link.bell, link.plan.kind);
    }
}

template <bool traced>
void Engine::hand_to_children(PartState& part, std::size_t join) {
    const auto& plan = part.plan.joins[join];
    const bool stamped = traced && is_last(part.up);
    const auto bytes = call_.bytes_in(part.up);
    const std::byte* const from = place(part, part.up);
    if (stamped && plan.parent_event >= 0 && stamps_up(part, join)) {
        const auto time = tracer_.time_before();
        stamp(plan.parent_event).up_ns = time;
        stamp(plan.own_event).up_ns = time;
    }
    for (const int index : plan.messages) {
        if (goes_to(part, index)) {
            auto& link = part.children[of(index)];
            if (stamped) {
                stamp(link.plan.event).up_ns = tracer_.time_before();
            }
            send(link, part.up, from, bytes);
        }
    }
    if (plan.shared.empty() || !goes_to_readers(part, plan)) {
        return;
    }
    const auto time = stamped ? tracer_.time_before() : 0;
    copy_bytes(part.up_rings[join].slot(), from, bytes);
    part.up_rings[join].publish();
    for (const int index : plan.shared) {
        const auto& link = part.children[of(index)];
        if (!goes_to(part, index)) {
            continue;
        }
        const bool sleeps = link.plan.kind != EdgeKind::flag;
        if (stamped) {
            stamp(link.plan.event).up_ns = sleeps ? tracer_.time_before() : time;
        }
        if (sleeps) {
            ring(*link.bell, link.plan.kind);
        }
    }
}

}  // namespace fathom::collectives
