#include "tune/search/proposal.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace fathom::tune {
namespace {

/// What is known of one way beside the first.
class Evidence {
  public:
    explicit Evidence(const RaceResult& found) {
        for (const auto& time : found.times) {
            times_[time.point] = &time;
        }
    }

    /// The way against the first at a size; nothing if they were not measured there in one job.
    [[nodiscard]] std::optional<BestWay> at(const BestWay& place, std::size_t way) const {
        const auto found = times_.find({way, place.size});
        return found == times_.end() || !comparable(place.first, *found->second)
                   ? std::nullopt
                   : std::optional(BestWay{.size = place.size, .first = place.first, .best = *found->second});
    }

    /// Whether it is far faster than the first there: by more than jobs differ, so that it does not matter
    /// whether one job measured both.
    [[nodiscard]] bool far_faster(const BestWay& place, std::size_t way) const {
        const auto found = times_.find({way, place.size});
        return found != times_.end() &&
               BestWay{.size = place.size, .first = place.first, .best = *found->second}
                       .gain_interval()
                       .low >= least_gain;
    }

    /// The fastest of the usable ways at a size, against the first.
    [[nodiscard]] BestWay best_at(const BestWay& place, const RaceResult& found,
                                  const std::function<bool(std::size_t way)>& usable) const {
        BestWay best{.size = place.size, .first = place.first, .best = {}};
        for (const auto& [point, time] : times_) {
            const bool broken = std::ranges::find(found.broken, point.way) != found.broken.end();
            if (point.size == place.size && point.way != 0 && !broken && (!usable || usable(point.way)) &&
                comparable(place.first, *time) && (!best.best || time->time_ns < best.best->time_ns)) {
                best.best = *time;
            }
        }
        return best;
    }

  private:
    std::map<RacePoint, const RaceTime*> times_;
};

bool worth_it(const BestWay& at) {
    return at.best && at.gain() >= least_gain && at.gain_interval().low > 1;
}

/// Not certainly slower, and not by more than what would be taken out again.
bool harmless(const std::optional<BestWay>& at) {
    constexpr double most_loss = 0.98;
    return at && at->gain() > most_loss && at->gain_interval().high >= 1;
}

/// Its ends and gains, from its sizes.
void settle(Proposal& proposal) {
    const auto [least, most] = std::ranges::minmax(proposal.sizes, {}, &BestWay::gain);
    proposal.first = proposal.sizes.front().size;
    proposal.last = proposal.sizes.back().size;
    proposal.least_gain = least.gain();
    proposal.most_gain = most.gain();
}

}  // namespace

std::vector<Proposal> proposals(const RaceResult& found, const std::function<bool(std::size_t way)>& usable) {
    const Evidence evidence(found);
    std::vector<BestWay> places;
    for (const auto& place : found.best) {
        places.push_back(evidence.best_at(place, found, usable));
    }
    std::vector<std::size_t> chosen(places.size(), 0);
    for (std::size_t i = 0; i < places.size(); ++i) {
        chosen[i] = worth_it(places[i]) ? places[i].best->point.way : 0;
    }
    // Sizes are neighbours if nothing was to be measured between them.
    const auto follows = [&](std::size_t i) {
        const auto next = std::ranges::upper_bound(found.sizes, places[i - 1].size);
        return next == found.sizes.end() || *next >= places[i].size;
    };
    // A size between two that agree follows them.
    for (std::size_t i = 1; i + 1 < places.size(); ++i) {
        const auto way = chosen[i - 1];
        if (follows(i) && follows(i + 1) && chosen[i] == 0 && way != 0 && chosen[i + 1] == way &&
            harmless(evidence.at(places[i], way))) {
            chosen[i] = way;
        }
    }
    const auto agrees = [&](std::size_t i, std::size_t way) {
        return chosen[i] == way || harmless(evidence.at(places[i], way)) ||
               evidence.far_faster(places[i], way);
    };
    std::vector<Proposal> made;
    for (std::size_t i = 0; i < places.size();) {
        auto end = i + 1;
        while (end < places.size() && chosen[end] == chosen[i] && follows(end)) {
            ++end;
        }
        const bool alone = end - i == 1 && (places.size() > 1 || found.sizes.size() > 1);
        const bool confirmed = !alone || (i > 0 && follows(i) && agrees(i - 1, chosen[i])) ||
                               (end < places.size() && follows(end) && agrees(end, chosen[i]));
        if (chosen[i] != 0 && confirmed) {
            Proposal proposal{.way = chosen[i], .first = {}, .last = {}};
            for (auto at = i; at < end; ++at) {
                proposal.sizes.push_back(evidence.at(places[at], chosen[i]).value());
            }
            settle(proposal);
            made.push_back(std::move(proposal));
        }
        i = end;
    }
    return made;
}

void take_out(std::vector<Proposal>& proposals, Bytes size) {
    std::vector<Proposal> left;
    for (auto& proposal : proposals) {
        Proposal below{.way = proposal.way, .first = {}, .last = {}};
        Proposal above = below;
        for (const auto& at : proposal.sizes) {
            if (at.size != size) {
                (at.size < size ? below : above).sizes.push_back(at);
            }
        }
        for (auto* part : {&below, &above}) {
            if (!part->sizes.empty()) {
                settle(*part);
                left.push_back(std::move(*part));
            }
        }
    }
    proposals = std::move(left);
}

}  // namespace fathom::tune
