#include "launch/trust.hpp"

#include <cstdlib>
#include <optional>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "store/sample_store.hpp"

namespace fathom::launch {
namespace {

using ::testing::HasSubstr;
using testing::point_spec;
using testing::refusal_of;
using testing::SampleStore;
using testing::TempFolder;

/// A user whose state is in a folder of the test's own.
class Trust : public ::testing::Test {
  protected:
    Trust() {
        if (const char* const value = std::getenv("XDG_STATE_HOME")) {
            before = value;
        }
        use_home(home.path());
    }
    ~Trust() override {
        if (before) {
            ::setenv("XDG_STATE_HOME", before->c_str(), 1);
        } else {
            ::unsetenv("XDG_STATE_HOME");
        }
    }
    static void use_home(const std::filesystem::path& path) { ::setenv("XDG_STATE_HOME", path.c_str(), 1); }
    [[nodiscard]] std::string refused(Use use = Use::plan) const {
        return refusal_of([&] { refuse_foreign_run(sample.store, sample.store.find_run("last"), use); });
    }
    static constexpr const char* nothing = "nothing was refused";

    std::optional<std::string> before;
    TempFolder home;
    SampleStore sample{{point_spec(0, "bcast", 8)}, "sample", "launcher = \"run-it {n}\"\n"};
};

TEST_F(Trust, IsGivenToARunOfOnesOwn) {
    EXPECT_THAT(refused(), HasSubstr("--launcher 'run-it {n}'. Add --trust-file"));
    mark_as_own(sample.store, sample.run);
    EXPECT_EQ(refused(), nothing);
    struct stat status {};
    ASSERT_EQ(::stat((home / "fathom/key").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_EQ(status.st_size, 32);
}

TEST_F(Trust, IsNotGivenToARunOfAnother) {
    mark_as_own(sample.store, sample.run);
    const TempFolder other;
    use_home(other.path());
    EXPECT_THAT(refused(), HasSubstr("which cannot be read"));
    SampleStore second({point_spec(0, "bcast", 8)});
    mark_as_own(second.store, second.run);
    EXPECT_THAT(refused(), HasSubstr("you did not make it with the key"));
}

TEST_F(Trust, EndsWhereThePlanIsChangedByAnother) {
    mark_as_own(sample.store, sample.run);
    sample.store.set_run_plan(sample.run, "launcher = \"run-it {n} --evil\"\n");
    EXPECT_THAT(refused(), HasSubstr("--evil"));
    change_plan(sample.store, sample.run, "launcher = \"other {n}\"\n");
    EXPECT_THAT(refused(), HasSubstr("other")) << "it was not one's own before";
}

TEST_F(Trust, OutlivesAChangeOfThePlanByOneself) {
    mark_as_own(sample.store, sample.run);
    change_plan(sample.store, sample.run, "launcher = \"run-it {n}\"\nruns = 3\n");
    EXPECT_EQ(refused(), nothing);
}

TEST_F(Trust, IsNotNeededForAPlanThatNamesNothing) {
    SampleStore plain({point_spec(0, "bcast", 8)});
    EXPECT_NO_THROW(refuse_foreign_run(plain.store, plain.store.find_run("last"), Use::plan));
}

TEST_F(Trust, IsNeededForTreesThatWouldBeReadFromFiles) {
    sample.store.set_run_plan(sample.run, "via = [\"library\", \"tree:/home/me/flat.toml\"]\n");
    EXPECT_THAT(refused(), HasSubstr("--via tree:/home/me/flat.toml"));
    sample.store.set_run_plan(sample.run,
                              "via = [\"tree:flat\"]\n"
                              "trees = [{name = \"flat\", file = \"flat.toml\", lines = [\"\"]}]\n");
    EXPECT_EQ(refused(), nothing) << "its content is in the plan";
}

TEST_F(Trust, IsNeededForVariablesAndPlatformFilesToo) {
    for (const auto* plan : {"vary = [\"LD_PRELOAD=/tmp/x.so\"]\n", "platform = \"/tmp/x.xml\"\n"}) {
        SampleStore foreign({point_spec(0, "bcast", 8)}, "sample", plan);
        EXPECT_THROW(refuse_foreign_run(foreign.store, foreign.store.find_run("last"), Use::plan), BadInput)
            << plan;
    }
}

TEST_F(Trust, OfVariablesIsOfThoseThatOnesOwnJobHad) {
    SampleStore plain({point_spec(0, "bcast", 8)});
    const auto put = [&](const std::string& agent) {
        journal::JobInfo info;
        info.mpi_version = "Open MPI v4";
        info.facts = {{"env.OMPI_MCA_plm_rsh_agent", agent}};
        plain.store.put(plain.job, info);
    };
    const auto allowed = [&] {
        return refusal_of([&] {
                   refuse_foreign_run(plain.store, plain.store.find_run("last"), Use::plan_and_variables);
               }) == nothing;
    };
    mark_as_own(plain.store, plain.run);
    put("ssh");
    EXPECT_FALSE(allowed());
    mark_variables(plain.store, plain.run);
    EXPECT_TRUE(allowed());
    put("evil");
    EXPECT_FALSE(allowed());
}

TEST_F(Trust, IsNotGivenByAKeyThatOthersCanRead) {
    mark_as_own(sample.store, sample.run);
    ::chmod((home / "fathom/key").c_str(), 0644);
    EXPECT_THAT(refused(), HasSubstr("which cannot be read"));
}

TEST_F(Trust, IsNotGivenWhereNoKeyCanBeMade) {
    write_file(home / "file", "");
    use_home(home / "file");
    mark_as_own(sample.store, sample.run);
    EXPECT_FALSE(sample.store.mark(sample.run));
    EXPECT_THAT(refused(), HasSubstr("--trust-file"));
}

}  // namespace
}  // namespace fathom::launch
