// Who measures a run: one process at a time.
#include <fmt/format.h>

#include "base/error.hpp"
#include "store/row.hpp"
#include "store/store.hpp"

namespace fathom::store {

Store::~Store() {
    if (!database_) {
        return;  // moved from
    }
    while (!held_.empty()) {
        const auto run = held_.begin()->first;
        try {
            release_lease(run);
        } catch (
            const Error&) {  // NOLINT(bugprone-empty-catch): it becomes stale when this process has ended
        }
        held_.erase(run);
    }
}

std::optional<LeaseRow> Store::lease(std::int64_t run) const {
    auto query = database_->prepare(
        "SELECT run, owner, host, boot_id, namespaces, pid, start_ticks, taken_utc, heartbeat FROM lease "
        "WHERE "
        "run = ?1");
    query.bind(run);
    if (!query.step()) {
        return std::nullopt;
    }
    Row row(query, "lease");
    row.id();
    LeaseRow found;
    found.owner = row.text();
    found.process.host = row.text();
    found.process.boot_id = row.text();
    found.process.namespaces = row.text();
    found.process.pid = row.integer(0, INT32_MAX);
    found.process.start_ticks = row.integer(0, INT64_MAX);
    found.taken_utc = row.text();
    found.heartbeat = row.integer(0, INT64_MAX);
    row.require();
    return found;
}

bool Store::take_lease(std::int64_t run, const LeaseRow& lease, const std::optional<LeaseRow>& instead_of) {
    auto writing = transaction();
    const auto now = this->lease(run);
    const bool as_it_was =
        now && instead_of && now->owner == instead_of->owner && now->heartbeat == instead_of->heartbeat;
    if (now && !as_it_was) {
        return false;
    }
    const auto& process = lease.process;
    database_
        ->prepare(
            "INSERT OR REPLACE INTO lease (run, owner, host, boot_id, namespaces, pid, start_ticks, "
            "taken_utc, "
            "heartbeat) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 0)")
        .bind(run, lease.owner, process.host, process.boot_id, process.namespaces, process.pid,
              process.start_ticks)
        .run();
    writing.commit();
    held_[run] = lease.owner;
    renewed_ = std::chrono::steady_clock::now();
    return true;
}

void Store::renew_leases(std::chrono::seconds every) {
    if (held_.empty() || std::chrono::steady_clock::now() - renewed_ < every) {
        return;
    }
    auto writing = transaction();
    renew_leases_if_older_than(every);
    writing.commit();
}

void Store::renew_leases_if_older_than(std::chrono::seconds age) {
    if (held_.empty() || std::chrono::steady_clock::now() - renewed_ < age) {
        return;
    }
    auto renew = database_->prepare("UPDATE lease SET heartbeat = heartbeat + 1 WHERE run = ?1");
    for (const auto& [run, owner] : held_) {
        renew.bind(run).run();
    }
    renewed_ = std::chrono::steady_clock::now();
}

/// Within a transaction: what is written in it is written by the owner.
void Store::check_leases() {
    for (const auto& [run, owner] : held_) {
        const auto now = lease(run);
        if (now && now->owner == owner) {
            continue;
        }
        throw LeaseLost(
            now ? fmt::format("run {} was taken over by process {} on {} at {}, since this process had not "
                              "shown that it lives; it ends and stores nothing more.",
                              run, now->process.pid, now->process.host, now->taken_utc)
                : fmt::format("run {} was taken over by another process, which has ended, or was deleted; "
                              "this process ends and stores nothing more.",
                              run));
    }
    renew_leases_if_older_than(renew_lease_every);
}

void Store::release_lease(std::int64_t run) {
    const auto held = held_.find(run);
    if (held == held_.end()) {
        return;
    }
    const auto owner = held->second;
    held_.erase(held);
    Transaction writing(*database_);
    database_->prepare("DELETE FROM lease WHERE run = ?1 AND owner = ?2").bind(run, owner).run();
    writing.commit();
}

}  // namespace fathom::store
