#include "report/sentences/doctor.hpp"

#include <gtest/gtest.h>

#include "base/named_enum.hpp"

namespace fathom::report {
namespace {

using analysis::HostTrouble;
using analysis::TroubleKind;

HostTrouble trouble_on(std::size_t hosts, TroubleKind kind) {
    HostTrouble trouble;
    trouble.kind = kind;
    for (std::size_t i = 1; i <= hosts; ++i) {
        trouble.hosts.push_back("c" + std::to_string(i));
    }
    return trouble;
}

TEST(DoctorSentences, SayWhatIsWrongAndWhatToDo) {
    auto governor = trouble_on(1, TroubleKind::governor);
    governor.setting = "powersave";
    const auto warning = warning_of(governor);
    EXPECT_EQ(warning.text,
              "c1: the CPU frequency governor is \"powersave\", so times change with the load.");
    EXPECT_EQ(warning.remedy, "cpupower frequency-set -g performance (as root)");
    EXPECT_EQ(warning.code, "governor");
    EXPECT_EQ(warning.severity, store::Severity::serious);
    EXPECT_EQ(warning.hosts, governor.hosts);
}

TEST(DoctorSentences, NameWhatWasLeftBehindAndTheCommandThatRemovesIt) {
    auto left = trouble_on(1, TroubleKind::leftovers);
    left.segments = 2;
    left.size = {8192};
    left.example = "/dev/shm/open_mpi.0000";
    EXPECT_EQ(warning_of(left).text,
              "c1: killed MPI jobs left 2 shared-memory segments behind (8 KiB), such as "
              "/dev/shm/open_mpi.0000.");
    EXPECT_EQ(warning_of(left).remedy, "fathom doctor --clean");
    EXPECT_EQ(leftovers_text(1, 1), "1 shared-memory segment and 1 session folder");
    EXPECT_EQ(leftovers_text(0, 3), "3 session folders");
}

TEST(DoctorSentences, HaveTheFigures) {
    auto crowded = trouble_on(1, TroubleKind::oversubscription);
    crowded.ranks = 5;
    crowded.processors = 4;
    EXPECT_EQ(warning_of(crowded).text,
              "c1: 5 ranks share 4 processors (oversubscribed) and wait for each other's time slices.");
    auto unbound = trouble_on(1, TroubleKind::unbound);
    unbound.ranks = 1;
    unbound.all_ranks = 2;
    EXPECT_EQ(warning_of(unbound).text,
              "c1: 1 of 2 ranks are not bound to a core and may move between them.");
    auto load = trouble_on(1, TroubleKind::load);
    load.setting = "1.00";
    load.processors = 4;
    EXPECT_EQ(warning_of(load).text, "c1: the load average was 1.00 on 4 processors.");
    EXPECT_EQ(warning_of(load).severity, store::Severity::note);
}

TEST(DoctorSentences, ExistForEveryTroubleWithItsFix) {
    for (const auto name : enum_names(TroubleKind{})) {
        const auto warning = warning_of(trouble_on(1, *from_text<TroubleKind>(name)));
        EXPECT_GT(warning.text.size(), 10U) << name;
        EXPECT_FALSE(warning.remedy.empty()) << name;
    }
}

TEST(DoctorSentences, NameFewHostsAndCountMany) {
    const std::string rest =
        ": this is a virtual machine; the hypervisor may run other guests on its processors.";
    const auto text = [](std::size_t hosts) {
        return warning_of(trouble_on(hosts, TroubleKind::virtual_machine)).text;
    };
    EXPECT_EQ(text(1), "c1" + rest);
    EXPECT_EQ(text(2), "c1 and c2" + rest);
    EXPECT_EQ(text(4), "c1, c2, c3 and c4" + rest);
    EXPECT_EQ(text(5), "c1, c2, c3 and 2 more hosts" + rest);
    EXPECT_EQ(text(128), "c1, c2, c3 and 125 more hosts" + rest);
}

}  // namespace
}  // namespace fathom::report
