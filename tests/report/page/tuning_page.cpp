#include "report/page/tuning_page.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using Pointer = ordered_json::json_pointer;

ordered_json a_tuning() {
    return ordered_json::parse(R"({
      "schema": "fathom.tune/1", "fathom": "0.1.0", "date": "2026-11-17T13:40:26Z",
      "library": "Open MPI v4.1.4", "flavour": "openmpi", "hosts": 4, "procs_per_host": 2, "metric": "median",
      "operations": [{"operation": "bcast", "procs": 8, "implementations": ["library", "library:binomial"],
        "finished": true, "rounds": 6, "points_measured": 4, "points_all": 4, "dropped": ["library:x"],
        "sizes": [
          {"size_bytes": 0,
           "library": {"implementation": "library", "size_bytes": 0, "time_ns": 1300, "ci95_ns": [1290, 1310]},
           "best": null, "speedup": 1, "speedup_ci95": [1, 1], "proposed": null},
          {"size_bytes": 8,
           "library": {"implementation": "library", "size_bytes": 8, "time_ns": 1300, "ci95_ns": [1290, 1310]},
           "best": {"implementation": "library:binomial", "size_bytes": 8, "time_ns": 1000, "ci95_ns": [990, 1010]},
           "speedup": 1.3, "speedup_ci95": [1.28, 1.32], "proposed": "library:binomial"}],
        "proposals": [{"implementation": "library:binomial", "first_bytes": 8, "last_bytes": 8, "least_speedup": 1.3,
                       "most_speedup": 1.3}],
        "times": [{"implementation": "library:binomial", "size_bytes": 8, "time_ns": 1000, "ci95_ns": [990, 1010]}],
        "predictions": [{"implementation": "library:binomial", "size_bytes": 8, "time_ns": 900}]}],
      "files": [{"path": "tuned.rules", "variables": {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}}],
      "proof": [{"operation": "bcast", "procs": 8, "size_bytes": 8, "before_ns": 1300, "before_ci95_ns": [1290, 1310],
                 "after_ns": 1001, "after_ci95_ns": [990, 1010], "speedup": 1.3, "speedup_ci95": [1.28, 1.32],
                 "ruled": true, "verdict": "faster"}]})");
}

/// Why a text is refused; empty if it is not.
std::string refusal_of(const std::string& text) {
    try {
        check_tuning_document(text, "t.json");
        return {};
    } catch (const BadInput& error) {
        return error.what();
    }
}

TEST(TuningDocument, IsShownAsItIs) {
    const auto tuning = check_tuning_document(a_tuning().dump(), "t.json");
    EXPECT_EQ(tuning["file"], "t.json");
    EXPECT_EQ(tuning["platform"], nullptr);
    const auto wanted = a_tuning();
    for (const auto* field : {"fathom", "date", "library", "flavour", "hosts", "procs_per_host", "metric",
                              "operations", "proof"}) {
        EXPECT_EQ(tuning[field], wanted[field]) << field;
    }
    EXPECT_EQ(tuning["files"], ordered_json::parse(R"([{"path": "tuned.rules", "sha256": null, "variables":
        [{"name": "OMPI_MCA_coll_tuned_use_dynamic_rules", "value": "1"}]}])"));
    const auto data = tuning_page_data({tuning, tuning});
    EXPECT_EQ(data["schema"], "fathom.tuning-page/1");
    EXPECT_EQ(data["tunings"].size(), 2U);
}

TEST(TuningDocument, MayHaveAProofWithoutIntervals) {
    auto json = a_tuning();
    for (const auto* name : {"before_ci95_ns", "after_ci95_ns", "speedup_ci95"}) {
        json["proof"][0][name] = nullptr;
        EXPECT_EQ(check_tuning_document(json.dump(), "t.json")["proof"][0][name], nullptr) << name;
    }
}

TEST(TuningDocument, MayLackWhatCameLater) {
    auto json = a_tuning();
    json.erase("files");
    json["proof"] = nullptr;
    json["operations"][0].erase("predictions");
    json["platform"] = "smp-32x2";
    const auto tuning = check_tuning_document(json.dump(), "t.json");
    EXPECT_EQ(tuning["proof"], nullptr);
    EXPECT_EQ(tuning["files"], ordered_json::array());
    EXPECT_EQ(tuning["operations"][0]["predictions"], ordered_json::array());
    EXPECT_EQ(tuning["platform"], "smp-32x2");
}

TEST(TuningDocument, NothingElseOfItReachesThePage) {
    auto json = a_tuning();
    json["[]"] = 1'000'000'000;  // would be the length of a packed table
    json["operations"][0]["[]"] = 1'000'000'000;
    json["operations"][0]["more"] = {{"a", 1}};
    EXPECT_EQ(check_tuning_document(json.dump(), "t.json"),
              check_tuning_document(a_tuning().dump(), "t.json"));
}

TEST(TuningDocument, ThatIsWrongIsRefusedWithTheField) {
    struct Case {
        const char* where;
        const char* value;  ///< as JSON; none: the field is removed
        const char* sentence;
    };
    const std::vector<Case> cases{
        {"/schema", R"("fathom.run/1")", "schema is \"fathom.run/1\", not \"fathom.tune/1\"."},
        {"/schema", "1", "schema is not a text."},
        {"/schema", nullptr, "schema is missing."},
        {"/hosts", "0", "hosts is not a whole number from 1 to 2147483647."},
        {"/hosts", "1.5", "hosts is not a whole number from 1 to 2147483647."},
        {"/hosts", "18446744073709551615", "hosts is not a whole number from 1 to 2147483647."},
        {"/procs_per_host", "-1", "procs_per_host is not a whole number from 1 to 2147483647."},
        {"/platform", "7", "platform is not a text."},
        {"/operations", "{}", "operations is not an array."},
        {"/operations/0", "[]", "operations[0] is not an object."},
        {"/operations/0/finished", R"("yes")", "operations[0].finished is neither true nor false."},
        {"/operations/0/implementations", "[]", "operations[0].implementations is empty."},
        {"/operations/0/implementations/1", "3", "operations[0].implementations[1] is not a text."},
        {"/operations/0/sizes/1/size_bytes", "0",
         "operations[0].sizes[1].size_bytes is not above the one before."},
        {"/operations/0/sizes/1/size_bytes", "9007199254740993",
         "operations[0].sizes[1].size_bytes is not a whole number from 0 to 9007199254740992."},
        {"/operations/0/sizes/0/library", nullptr, "operations[0].sizes[0].library is missing."},
        {"/operations/0/sizes/0/library", "null", "operations[0].sizes[0].library is not an object."},
        {"/operations/0/sizes/0/library/time_ns", R"("1")",
         "operations[0].sizes[0].library.time_ns is not a number."},
        {"/operations/0/sizes/0/library/time_ns", "0",
         "operations[0].sizes[0].library.time_ns is not a positive number."},
        {"/operations/0/sizes/0/library/time_ns", "1e300",
         "operations[0].sizes[0].library.time_ns is above 1e+15."},
        {"/operations/0/sizes/0/library/ci95_ns", "[1]",
         "operations[0].sizes[0].library.ci95_ns is not an interval of two numbers."},
        {"/operations/0/sizes/0/library/ci95_ns", "[2, 1]",
         "operations[0].sizes[0].library.ci95_ns begins above its end."},
        {"/operations/0/sizes/0/library/ci95_ns", "[null, 1]",
         "operations[0].sizes[0].library.ci95_ns[0] is not a number."},
        {"/operations/0/sizes/1/best/implementation", R"("other")",
         "operations[0].sizes[1].best.implementation is not one of the operation's implementations."},
        {"/operations/0/sizes/1/proposed", "true", "operations[0].sizes[1].proposed is not a text."},
        {"/operations/0/proposals/0/first_bytes", "9",
         "operations[0].proposals[0].first_bytes is above last_bytes."},
        {"/operations/0/times/0/ci95_ns", nullptr, "operations[0].times[0].ci95_ns is missing."},
        {"/operations/0/predictions/0/time_ns", "-3",
         "operations[0].predictions[0].time_ns is not a positive number."},
        {"/files/0/variables", R"({"A": 1})", "files[0].variables has a value of 'A' that is not a text."},
        {"/files/0/variables", R"({"A;rm -r x": "1"})",
         "files[0].variables has 'A;rm -r x', which is not a variable's name."},
        {"/files/0/variables", R"({"A": "1\nrm -r x"})",
         "files[0].variables has a value of A that cannot be shown."},
        {"/proof/0/verdict", R"("<script>")",
         "proof[0].verdict is not one of faster, same, slower, undecided."},
    };
    for (const auto& [where, value, sentence] : cases) {
        auto json = a_tuning();
        const Pointer at(where);
        if (value != nullptr) {
            json[at] = ordered_json::parse(value);
        } else {
            json[at.parent_pointer()].erase(at.back());
        }
        EXPECT_EQ(refusal_of(json.dump()), std::string("t.json: ") + sentence) << where;
    }
}

TEST(TuningDocument, OfOneOperationTwiceIsRefused) {
    auto json = a_tuning();
    json["operations"].push_back(json["operations"][0]);
    EXPECT_EQ(refusal_of(json.dump()), "t.json: operations[1].operation with these procs is there twice.");
    json["operations"][1]["procs"] = 16;
    EXPECT_EQ(refusal_of(json.dump()), "");
}

TEST(TuningDocument, ThatIsTooLargeIsRefused) {
    auto json = a_tuning();
    json["library"] = std::string(9'000, 'x');
    EXPECT_EQ(refusal_of(json.dump()), "t.json: library is longer than 8192 bytes.");
    json = a_tuning();
    auto& sizes = json["operations"][0]["sizes"];
    for (int i = 0; i < 10'000; ++i) {
        sizes.push_back(sizes[1]);
    }
    EXPECT_EQ(refusal_of(json.dump()), "t.json: operations[0].sizes has more than 10000 entries.");
    EXPECT_THAT(refusal_of("[" + std::string(5'000'000, '[')), HasSubstr("within each other"));
    std::string values = "[0";
    for (int i = 0; i < 2'100'000; ++i) {
        values += ",0";
    }
    EXPECT_THAT(refusal_of(values + "]"), HasSubstr("more than 2000000 values"));
}

/// A time that grows with the square of the size would be hours here.
TEST(TuningDocument, ThatIsLargeIsReadInTime) {
    auto json = a_tuning();
    auto& times = json["operations"][0]["times"];
    for (int i = 1; i < 100'000; ++i) {
        times.push_back(times[0]);
    }
    EXPECT_EQ(refusal_of(json.dump()), "");
    std::string names = "{\"\\\"[[[[[[[[[[[[[[[[[[[[\": 0";
    for (int i = 0; i < 900'000; ++i) {
        names += ",\"" + std::to_string(i) + "\":{}";
    }
    EXPECT_EQ(refusal_of(names + "}"), "t.json: schema is missing.");
}

TEST(TuningDocument, ThatIsNotJsonIsRefusedWithItsLine) {
    EXPECT_EQ(refusal_of(""), "t.json:1: this is not JSON; 'fathom tune' writes the file.");
    EXPECT_EQ(refusal_of("{\n\"a\": 1,\n]"), "t.json:3: this is not JSON; 'fathom tune' writes the file.");
    EXPECT_EQ(refusal_of("{\"a\": \"\xFF\"}"), "t.json:1: this is not JSON; 'fathom tune' writes the file.");
    EXPECT_EQ(refusal_of("{\"a\": 1e999}"), "t.json: it has a number that is too large.");
    EXPECT_EQ(refusal_of("3"), "t.json: it is not an object.");
}

}  // namespace
}  // namespace fathom::report
