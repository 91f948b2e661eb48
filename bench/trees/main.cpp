// Collectives over trees next to the library's own, and what tracing them costs. All contenders of a table
// take turns in one job, so that a slow drift of the machine meets all of them. Run by bench/trees.py.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "base/ticks.hpp"
#include "collectives/event_ring.hpp"
#include "collectives/tree_collective.hpp"
#include "usual_clock.hpp"

namespace {

using namespace fathom;
using collectives::EventRing;
using collectives::TimeSource;
using collectives::TreeCollective;
using tree::EdgeKind;
using tree::Tree;

constexpr int rounds = 300;
constexpr int calls_in_round = 200;

struct Job {
    int rank = 0;
    int size = 1;
    const probe::Clock& clock;
};

Tree flat(int ranks, EdgeKind kind) {
    Tree made{.name = "flat", .joins = {{.name = "root"}}, .leaves = {}, .segment = {}};
    for (int rank = 0; rank < ranks; ++rank) {
        made.leaves.push_back({.rank = rank, .parent = 0, .edge = kind});
    }
    return made;
}

Tree binomial(int ranks, EdgeKind kind) {
    Tree made{.name = "binomial", .joins = {}, .leaves = {}, .segment = {}};
    for (int rank = 0; rank < ranks; ++rank) {
        made.joins.push_back({.name = std::to_string(rank),
                              .rank = rank,
                              .parent = rank == 0 ? -1 : rank & (rank - 1),
                              .edge = kind});
        made.leaves.push_back({.rank = rank, .parent = rank, .edge = kind});
    }
    return made;
}

double quantile(std::vector<double> values, double q) {
    const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

struct Contender {
    std::string name;
    std::function<void()> prepare;
    std::function<void()> call;
    std::vector<double> ns;  // a call, of each round

    [[nodiscard]] double median() const { return quantile(ns, 0.5); }
};

/// Fills in the times of all contenders, as the first rank sees them. Who begins changes from round to round.
void take_turns(const Job& job, std::vector<Contender>& contenders, int calls) {
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            auto& contender = contenders[(i + static_cast<std::size_t>(round)) % contenders.size()];
            contender.prepare();
            for (int warm_up = 0; warm_up < calls / 10; ++warm_up) {
                contender.call();
            }
            MPI_Barrier(MPI_COMM_WORLD);
            const auto begin = job.clock.now();
            for (int call = 0; call < calls; ++call) {
                contender.call();
            }
            contender.ns.push_back(static_cast<double>((job.clock.now() - begin).count) / calls);
        }
    }
}

/// The median of ratios within rounds, and the middle half of them.
std::string ratio_text(const Contender& one, const Contender& base) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < one.ns.size(); ++i) {
        ratios.push_back(one.ns[i] / base.ns[i]);
    }
    return fmt::format("{:.3f} ({:.3f} .. {:.3f})", quantile(ratios, 0.5), quantile(ratios, 0.25),
                       quantile(ratios, 0.75));
}

void against_the_library(const Job& job, int bytes) {
    const auto values = static_cast<std::size_t>(bytes) / sizeof(double);
    const std::vector<double> send(values, 1);
    std::vector<double> receive(values);
    const int count = static_cast<int>(values);
    std::vector<std::unique_ptr<TreeCollective>> trees;
    const auto nothing = [] {};
    std::vector<Contender> contenders;
    contenders.push_back(
        {"library",
         nothing,
         [&] { MPI_Allreduce(send.data(), receive.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
         {}});
    // What a tree does: down, then up. An allreduce of few ranks may do with half of the way.
    contenders.push_back({"library, reduce and bcast",
                          nothing,
                          [&] {
                              MPI_Reduce(send.data(), receive.data(), count, MPI_DOUBLE, MPI_SUM, 0,
                                         MPI_COMM_WORLD);
                              MPI_Bcast(receive.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
                          },
                          {}});
    const auto add = [&](const Tree& made, const std::string& name) {
        trees.push_back(std::make_unique<TreeCollective>(
            MPI_COMM_WORLD, made,
            collectives::TreeOptions{.largest_bytes = static_cast<std::size_t>(bytes)}));
        contenders.push_back({name,
                              nothing,
                              [&, collective = trees.back().get()] {
                                  collective->allreduce(send.data(), receive.data(), count, MPI_DOUBLE,
                                                        MPI_SUM);
                              },
                              {}});
    };
    for (const auto kind : values_of<EdgeKind>) {
        add(flat(job.size, kind), fmt::format("flat, {}", to_text(kind)));
    }
    if (job.size > 2) {
        add(binomial(job.size, EdgeKind::flag), "binomial, flag");
        add(binomial(job.size, EdgeKind::message), "binomial, message");
    }
    constexpr int large = 65'536;
    take_turns(job, contenders, bytes < large ? calls_in_round : calls_in_round / 10);
    if (job.rank == 0) {
        for (const auto& contender : contenders) {
            fmt::print("| {} B | {} | {:.0f} ns | {} | {} |\n", bytes, contender.name, contender.median(),
                       ratio_text(contender, contenders[0]), ratio_text(contender, contenders[1]));
        }
    }
}

std::int64_t read_clock(const void* state) {
    return static_cast<const probe::Clock*>(state)->now().count;
}

/// Two stamps and what keeps them, as a call does it for each collector.
void cost_of_an_event(const Job& job, TimeSource time) {
    constexpr std::size_t events = 4096;
    EventRing ring(events);
    std::vector<double> ns;
    for (int round = 0; round < rounds; ++round) {
        ring.clear();
        const auto begin = job.clock.now();
        for (std::uint32_t i = 0; i < events; ++i) {
            // As an end of an edge does: what leaves it is stamped before, what arrives after.
            const auto down =
                time.ticks ? static_cast<std::int64_t>(ticks_about_now()) : time.read(time.state);
            const auto up = time.ticks ? static_cast<std::int64_t>(ticks_after()) : time.read(time.state);
            ring.put({.call = i, .collector = 0, .down_ns = down, .up_ns = up});
        }
        ns.push_back(static_cast<double>((job.clock.now() - begin).count) / events);
    }
    if (job.rank == 0) {
        fmt::print("an event (two time stamps): {:.1f} ns (middle half {:.1f} .. {:.1f}), {} bytes\n",
                   quantile(ns, 0.5), quantile(ns, 0.25), quantile(ns, 0.75), sizeof(tree::Event));
    }
}

/// The paper's loop: as many values as ranks, two trees in turn; every k-th call traced, beside none.
void slow_down_of_gsum(const Job& job, EdgeKind kind, TimeSource time) {
    const auto values = static_cast<std::size_t>(job.size);
    const std::vector<double> send(values, 1);
    std::vector<double> receive(values);
    const collectives::TreeOptions options{.largest_bytes = values * sizeof(double)};
    const auto made = flat(job.size, kind);
    TreeCollective one(MPI_COMM_WORLD, made, options);
    TreeCollective other(MPI_COMM_WORLD, made, options);
    const auto events = one.events_per_call();
    EventRing ring((one.events_per_call() + other.events_per_call()) * calls_in_round);
    int turn = 0;
    const auto call = [&] {
        (turn++ % 2 == 0 ? one : other)
            .allreduce(send.data(), receive.data(), static_cast<int>(values), MPI_DOUBLE, MPI_SUM);
    };
    const auto traced = [&](EventRing* into, std::uint32_t every) {
        return [&, into, every] {
            ring.clear();
            one.trace(into, time, {.every = every});
            other.trace(into, time, {.every = every});
        };
    };
    std::vector<Contender> contenders;
    contenders.push_back({"off", traced(nullptr, 1), call, {}});
    contenders.push_back({"off, again", traced(nullptr, 1), call, {}});
    for (const std::uint32_t every : {1U, 10U, 100U}) {
        contenders.push_back({fmt::format("every {}", every), traced(&ring, every), call, {}});
    }
    take_turns(job, contenders, calls_in_round);
    if (job.rank == 0) {
        for (const auto& contender : contenders) {
            fmt::print("| {} | {} | {} | {:.0f} ns | {} |\n", to_text(kind), events, contender.name,
                       contender.median(), ratio_text(contender, contenders[0]));
        }
    }
}

void run() {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const auto clock = bench::usual_clock();
    const Job job{.rank = rank, .size = size, .clock = *clock};
    const auto title = [&](const std::string& text) {
        if (rank == 0) {
            fmt::print("\n{}\n{}\n", text, "|---|---|---|---|---|");
        }
    };
    title(
        "| size | allreduce by | median | ratio to the library's (middle half) | to its reduce and bcast |");
    for (const int bytes : {8, 256, 4'096, 65'536, 1'048'576}) {
        against_the_library(job, bytes);
    }
    const TimeSource time{.ticks = clock->counter() != nullptr, .read = read_clock, .state = clock.get()};
    title("| edges | events a call | Gsum traced | median of a call | ratio to untraced (middle half) |");
    slow_down_of_gsum(job, EdgeKind::flag, time);
    slow_down_of_gsum(job, EdgeKind::message, time);
    if (rank == 0) {
        fmt::print("\n");
        std::fflush(stdout);
    }
    cost_of_an_event(job, time);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    run();
    MPI_Finalize();
    return 0;
}
