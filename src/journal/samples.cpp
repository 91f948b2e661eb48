#include "journal/samples.hpp"

#include <array>

#include <climits>

#include "journal/packing.hpp"

namespace fathom::journal {
namespace {

using Numbers = std::array<std::int64_t, 2>;
using StudyNumbers = std::array<std::int64_t, 8>;

Numbers numbers_of(const Sample& sample) {
    return {sample.start.count, sample.duration.count};
}
Sample sample_from(const Numbers& numbers, bool valid) {
    return {{numbers[0]}, {numbers[1]}, valid};
}
StudyNumbers numbers_of(const StudySample& sample) {
    return {sample.step,       sample.round,       sample.start.count, sample.whole.count,
            sample.post.count, sample.tests.count, sample.wait.count,  sample.tests_made};
}
StudySample sample_from(const StudyNumbers& numbers, bool valid) {
    const auto [step, round, start, whole, post, tests, wait, tests_made] = numbers;
    if (step < 0 || step > INT_MAX || round < 0 || round >= INT_MAX) {
        throw damaged_block();
    }
    return {.step = static_cast<int>(step),
            .round = static_cast<int>(round),
            .start = {start},
            .whole = {whole},
            .post = {post},
            .tests = {tests},
            .wait = {wait},
            .tests_made = tests_made,
            .valid = valid};
}

/// Each number as its difference from that of the sample before, then the flag.
template <typename Kind>
std::string pack(std::span<const Kind> samples) {
    std::string plain;
    plain.reserve(samples.size() * 4);
    decltype(numbers_of(Kind{})) before{};
    for (const auto& sample : samples) {
        const auto numbers = numbers_of(sample);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            put_difference(plain, numbers[i], before[i]);
        }
        plain += sample.valid ? '\1' : '\0';
        before = numbers;
    }
    return compressed(plain);
}

template <typename Kind>
std::vector<Kind> unpack(std::string_view packed, std::int64_t count) {
    decltype(numbers_of(Kind{})) numbers{};
    const auto plain = decompressed(packed, count, numbers.size(), 1);
    NumberReader reader(plain);
    std::vector<Kind> samples;
    samples.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        for (auto& number : numbers) {
            number = reader.next_after(number);
        }
        samples.push_back(sample_from(numbers, reader.next_unsigned() != 0));
    }
    if (!reader.at_end()) {
        throw damaged_block();
    }
    return samples;
}

}  // namespace

std::string pack_samples(std::span<const Sample> samples) {
    return pack(samples);
}

std::vector<Sample> unpack_samples(std::string_view packed, std::int64_t count) {
    return unpack<Sample>(packed, count);
}

std::string pack_study(std::span<const StudySample> samples) {
    return pack(samples);
}

std::vector<StudySample> unpack_study(std::string_view packed, std::int64_t count) {
    return unpack<StudySample>(packed, count);
}

}  // namespace fathom::journal
