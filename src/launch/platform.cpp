#include "launch/platform.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string_view>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "plan/unknown_name.hpp"

namespace fathom::launch {
namespace {

namespace fs = std::filesystem;

constexpr int most_hosts = 10'000'000;
constexpr int most_cores = 9999;
constexpr int most_places = 10'000'000;

/// The number of the line that holds the character at `offset`, or the last one before it that is not blank:
/// an element left open is reported for the last line of a file, not for the end after it.
std::ptrdiff_t line_of(const std::string& text, std::size_t offset) {
    const auto last = text.find_last_not_of(" \t\r\n", offset);
    const auto before = std::string_view(text).substr(0, last == std::string::npos ? 0 : last);
    return 1 + std::count(before.begin(), before.end(), '\n');
}

/// Parses a whole document, with its comments. Throws BadInput that names the file and the line.
pugi::xml_document parse_xml(const fs::path& file) {
    const auto text = read_file(file, longest_input);
    pugi::xml_document document;
    const auto result =
        document.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_comments);
    if (!result) {
        throw BadInput(fmt::format("{}:{}: malformed XML: {}.", file.string(),
                                   line_of(text, static_cast<std::size_t>(result.offset)),
                                   result.description()));
    }
    return document;
}

/// The text of the first comment `<!-- summary: ... -->`, on one line; empty if there is none.
std::string summary_of(const pugi::xml_document& document) {
    constexpr std::string_view mark = "summary:";
    for (const auto& found : document.select_nodes("//comment()")) {
        const auto comment = trimmed(found.node().value());
        if (comment.starts_with(mark)) {
            auto words = split(std::string_view(comment).substr(mark.size()), '\n');
            return fmt::format("{}", fmt::join(words, " "));
        }
    }
    return "";
}

/// An attribute as a message quotes it.
std::string_view quotable(std::string_view attribute) {
    constexpr std::size_t longest = 60;
    return attribute.substr(0, longest);
}

/// A number written in decimal digits only, from `least` to `most`.
std::optional<int> number_in_range(std::string_view text, int least, int most) {
    int number = 0;
    const auto* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, number);
    if (code != std::errc() || rest != end || number < least || number > most) {
        return std::nullopt;
    }
    return number;
}

}  // namespace

std::string Platform::hostfile() const {
    std::string text;
    for (const auto& site : sites) {
        for (int host = 0; host < site.hosts; ++host) {
            for (int slot = 0; slot < ranks_per_host; ++slot) {
                text += fmt::format("{}{}{}\n", site.host_prefix, host, site.host_suffix);
            }
        }
    }
    return text;
}

Platform read_platform(const fs::path& file) {
    const auto document = parse_xml(file);
    const auto refuse = [&](const std::string& why) {
        return BadInput(
            fmt::format("{}: {}; start other platforms with --launcher 'smpirun ...'.", file.string(), why));
    };
    const auto clusters = document.select_nodes("//cluster");
    if (clusters.empty()) {
        throw refuse("it has no <cluster>, a platform has one, or one for each site");
    }
    Platform platform;
    platform.name = file.stem().string();
    platform.file = file;
    platform.summary = summary_of(document);
    for (const auto& found : clusters) {
        const auto cluster = found.node();
        const std::string_view radical = cluster.attribute("radical").value();
        const auto last_host =
            radical.starts_with("0-") ? number_in_range(radical.substr(2), 0, most_hosts - 1) : std::nullopt;
        if (!last_host) {
            throw refuse(fmt::format("its radical is '{}', a platform's is 0-N", quotable(radical)));
        }
        const std::string_view core = cluster.attribute("core").as_string("1");
        const auto cores = number_in_range(core, 1, most_cores);
        if (!cores) {
            throw refuse(
                fmt::format("its core is '{}', a platform's is 1 to {}", quotable(core), most_cores));
        }
        if (!platform.sites.empty() && *cores != platform.ranks_per_host) {
            throw refuse(fmt::format("its clusters have {} and {} cores a host, a platform's have the same",
                                     platform.ranks_per_host, *cores));
        }
        platform.ranks_per_host = *cores;
        const int hosts = *last_host + 1;
        if (hosts > most_places / platform.ranks_per_host - platform.hosts) {
            throw refuse(fmt::format("its {} hosts of {} cores are too many, a platform has at most {} cores",
                                     static_cast<std::int64_t>(platform.hosts) + hosts,
                                     platform.ranks_per_host, most_places));
        }
        platform.hosts += hosts;
        platform.sites.push_back({.host_prefix = cluster.attribute("prefix").value(),
                                  .host_suffix = cluster.attribute("suffix").value(),
                                  .hosts = hosts});
    }
    for (const auto& found : document.select_nodes("//config/prop[@id and @value]")) {
        const auto prop = found.node();
        platform.config.emplace_back(prop.attribute("id").value(), prop.attribute("value").value());
    }
    return platform;
}

std::vector<Platform> platforms_in(const fs::path& folder) {
    std::vector<Platform> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        if (entry.path().extension() == ".xml") {
            found.push_back(read_platform(entry.path()));
        }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return found;
}

Platform find_platform(const fs::path& folder, const std::string& name) {
    if (name.ends_with(".xml")) {
        return read_platform(name);
    }
    std::vector<std::string> names;
    for (auto& platform : platforms_in(folder)) {
        if (platform.name == name) {
            return std::move(platform);
        }
        names.push_back(platform.name);
    }
    throw plan::UnknownName("platform", name, names, "'fathom list platforms' shows all");
}

}  // namespace fathom::launch
