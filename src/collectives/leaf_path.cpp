#include "collectives/leaf_path.hpp"

#include <algorithm>
#include <cstring>
#include <sched.h>

#include "collectives/waiting.hpp"

namespace fathom::collectives {

using tree::EdgeKind;
using tree::Event;

bool LeafPath::perform(const LeafCall& call) {
    down_ = up_ = 0;
    idle_ = 0;
    down_begin_ = edge_.down.written();
    tracing_ = tracer_.chooses(calls_);
    stamp_ = {.call = calls_, .collector = edge_.collector};
    if (call.skipped > 0) {
        edge_.up.skip(call.skipped);
    }
    const int down_total = call.down ? call.segments.count : 0;
    const int up_total = call.up ? call.segments.count : 0;
    while (down_ < down_total || up_ < up_total) {
        if (edge_.kind != EdgeKind::flag) {
            seen_ = edge_.bell->rung.load();
        }
        bool moved = false;
        if (down_ < down_total) {
            moved = hand_down(call);
        }
        if (up_ < up_total) {
            moved = take_result(call) || moved;
        }
        if (moved) {
            idle_ = 0;
        } else if (!give_way(down_ == down_total)) {  // nobody rings when there is room again
            return false;
        }
    }
    if (tracing_) {
        tracer_.keep(stamp_);
    }
    ++calls_;
    return true;
}

bool LeafPath::hand_down(const LeafCall& call) {
    if (tracing_ && call.segments.is_last(down_) && stamp_.down_ns == Event::never) {
        stamp_.down_ns = tracer_.time_before();
    }
    if (!edge_.down.has_room()) {
        return false;
    }
    const auto first = call.segments.begin_of(down_);
    const auto bytes = call.segments.bytes_in(down_);
    if (bytes > 0 && call.map != nullptr) {
        call.map->pack(call.send, first, bytes, edge_.down.slot());
    } else if (bytes > 0) {
        std::memcpy(edge_.down.slot(), call.send + first, bytes);
    }
    edge_.down.publish();
    if (edge_.kind != EdgeKind::flag) {
        ring(*edge_.parent_bell, edge_.kind);
    }
    ++down_;
    return true;
}

bool LeafPath::take_result(const LeafCall& call) {
    if (!edge_.up.ready()) {
        return false;
    }
    if (tracing_ && call.segments.is_last(up_)) {
        stamp_.up_ns = tracer_.time_after();
    }
    const auto first = call.segments.begin_of(up_);
    const auto bytes = call.segments.bytes_in(up_);
    if (bytes > 0 && call.map != nullptr) {
        call.map->unpack(edge_.up.slot(), first, bytes, call.receive);
    } else if (bytes > 0) {
        std::memcpy(call.receive + first, edge_.up.slot(), bytes);
    }
    edge_.up.release();
    ++up_;
    if (call.down) {
        // Its result is here, so our contribution was read.
        edge_.down.set_read(down_begin_ + static_cast<std::uint32_t>(up_));
    }
    return true;
}

/// Whether there is still something to wait for.
bool LeafPath::give_way(bool may_sleep) {
    ++idle_;
    if (may_sleep && edge_.kind != EdgeKind::flag) {
        sleep_until_rung(*edge_.bell, edge_.kind, seen_);
    } else if (idle_ >= (edge_.crowded ? looks_when_crowded : looks_alone)) {
        ::sched_yield();
    }
    return edge_.failed == nullptr || !edge_.failed->load(std::memory_order_relaxed);
}

}  // namespace fathom::collectives
