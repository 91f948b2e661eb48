#include "report/tree_trace.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "journal/json.hpp"
#include "report/json.hpp"
#include "report/sentences/tree.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using tree::End;
using tree::Event;
using tree::Node;
using tree::Stage;
using tree::StageKind;

/// Writes events one by one: a trace is long.
class TraceEvents {
  public:
    TraceEvents(const tree::StageTimes& times, std::string operation)
        : times_(times), operation_(std::move(operation)), origin_(first_moment()) {}

    void name_tracks(const std::map<int, std::string>& hosts) {
        const auto& index = times_.index();
        std::set<int> ranks;
        for (Node node = 0; node < index.nodes(); ++node) {
            const int rank = index.rank(node);
            if (ranks.insert(rank).second) {
                const auto host = hosts.find(rank);
                put_name("process_name", rank, 0,
                         host == hosts.end() ? fmt::format("rank {}", rank)
                                             : fmt::format("rank {} on {}", rank, host->second));
            }
            put_name("thread_name", rank, node, node_text(index, node));
        }
    }

    void add(std::size_t call) {
        const auto& index = times_.index();
        for (int leaf = 0; leaf < index.leaves(); ++leaf) {
            const auto& own = times_.calls().at(call, leaf, End::own);
            put(call, leaf, operation_, own.down_ns, own.up_ns);
            put_stage(call, leaf, {StageKind::edge_down, leaf}, "to");
            put_stage(call, leaf, {StageKind::edge_up, leaf}, "from");
        }
        for (Node join = index.root(); join < index.nodes(); ++join) {
            add_join(call, join);
        }
    }

    [[nodiscard]] std::string document() const {
        return "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [" + events_ + "\n]}\n";
    }

  private:
    void add_join(std::size_t call, Node join) {
        const auto& index = times_.index();
        auto first = Event::never;
        auto last_out = Event::never;
        for (const Node child : index.children(join)) {
            const auto& passage = times_.calls().at(call, child, End::parent);
            if (passage.down_ns != Event::never) {
                first = first == Event::never ? passage.down_ns : std::min(first, passage.down_ns);
            }
            last_out = std::max(last_out, passage.up_ns);
        }
        const auto& moments = times_.moments(call, join);
        put(call, join, "wait for contributors", first, moments.last_arrival_ns);
        put_stage(call, join, {StageKind::join_down, join}, "join");
        if (join == index.root()) {
            put_stage(call, join, {StageKind::store, join}, "store");
        } else {
            put_stage(call, join, {StageKind::edge_down, join}, "to");
            put_stage(call, join, {StageKind::edge_up, join}, "from");
        }
        put_stage(call, join, {StageKind::join_up, join}, "first departure");
        put(call, join, "departures", moments.first_departure_ns, last_out);
    }

    /// On edges the name says where to or from.
    void put_stage(std::size_t call, Node track, const Stage& stage, const std::string& name) {
        const auto span = times_.span(call, stage);
        if (!span) {
            return;
        }
        const bool edge = stage.kind == StageKind::edge_down || stage.kind == StageKind::edge_up;
        const auto& index = times_.index();
        put(call, track, edge ? name + " " + node_text(index, index.parent(stage.node)) : name, span->from_ns,
            span->to_ns);
    }

    void put(std::size_t call, Node track, const std::string& name, std::int64_t from_ns,
             std::int64_t to_ns) {
        if (from_ns == Event::never || to_ns == Event::never) {
            return;
        }
        constexpr double ns_per_us = 1e3;
        const auto& head = times_.calls().calls[call];
        push({{"name", name},
              {"ph", "X"},
              {"ts", static_cast<double>(from_ns - origin_) / ns_per_us},
              // One-way times of ranks whose clocks are off by less than their bound may be negative.
              {"dur", static_cast<double>(std::max<std::int64_t>(0, to_ns - from_ns)) / ns_per_us},
              {"pid", times_.index().rank(track)},
              {"tid", track},
              {"args", {{"call", head.number}, {"launch", head.launch}}}});
    }

    void put_name(const char* what, int rank, Node track, const std::string& name) {
        push({{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", track}, {"args", {{"name", name}}}});
    }

    void push(const ordered_json& event) {
        events_ += (events_.empty() ? "\n" : ",\n") + document_line(event);
    }

    /// Where the trace begins.
    [[nodiscard]] std::int64_t first_moment() const {
        auto first = INT64_MAX;
        if (times_.size() > 0) {
            for (const auto& passage : times_.calls().calls.front().passages) {
                for (const auto moment : {passage.down_ns, passage.up_ns}) {
                    first = moment == Event::never ? first : std::min(first, moment);
                }
            }
        }
        return first;
    }

    const tree::StageTimes& times_;
    std::string operation_;
    std::int64_t origin_;
    std::string events_;
};

}  // namespace

std::string tree_trace_json(const tree::StageTimes& times, const std::map<int, std::string>& hosts,
                            const std::string& operation, std::size_t most_calls) {
    TraceEvents events(times, operation);
    events.name_tracks(hosts);
    for (std::size_t call = 0; call < std::min(most_calls, times.size()); ++call) {
        events.add(call);
    }
    return events.document();
}

}  // namespace fathom::report
