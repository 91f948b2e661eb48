#include "plan/platform.hpp"

#include <algorithm>
#include <optional>
#include <regex>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "plan/unknown_name.hpp"

namespace fathom::plan {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> attribute(const std::string& tag, const std::string& name) {
    std::smatch match;
    if (std::regex_search(tag, match, std::regex("\\s" + name + "=\"([^\"]*)\""))) {
        return match[1].str();
    }
    return std::nullopt;
}

/// All tags of one name, without their content.
std::vector<std::string> tags(const std::string& xml, const std::string& name) {
    const std::regex tag("<" + name + "\\s[^>]*>");
    std::vector<std::string> found;
    for (auto match = std::sregex_iterator(xml.begin(), xml.end(), tag); match != std::sregex_iterator();
         ++match) {
        found.push_back(match->str());
    }
    return found;
}

std::string without_comments(std::string xml) {
    for (auto begin = xml.find("<!--"); begin != std::string::npos; begin = xml.find("<!--", begin)) {
        const auto end = xml.find("-->", begin);
        xml.erase(begin, end == std::string::npos ? end : end + 3 - begin);
    }
    return xml;
}

}  // namespace

std::string Platform::hostfile() const {
    std::string text;
    for (int host = 0; host < hosts; ++host) {
        for (int slot = 0; slot < ranks_per_host; ++slot) {
            text += fmt::format("{}{}{}\n", host_prefix, host, host_suffix);
        }
    }
    return text;
}

Platform read_platform(const fs::path& file) {
    const auto whole = read_file(file);
    Platform platform;
    platform.name = file.stem().string();
    platform.file = file;
    std::smatch summary;
    if (std::regex_search(whole, summary, std::regex("<!--\\s*summary:\\s*([^\n]{0,500}?)\\s*-->"))) {
        platform.summary = summary[1].str();
    }
    const auto xml = without_comments(whole);
    const auto clusters = tags(xml, "cluster");
    const auto refuse = [&](const std::string& why) {
        return BadInput(
            fmt::format("{}: {}; start other platforms with --launcher 'smpirun ...'.", file.string(), why));
    };
    if (clusters.size() != 1) {
        throw refuse(fmt::format("it holds {} <cluster>, a platform holds one", clusters.size()));
    }
    std::smatch radical;
    const auto range = attribute(clusters[0], "radical").value_or("");
    if (!std::regex_match(range, radical, std::regex("0-([0-9]{1,7})"))) {
        throw refuse(fmt::format("its radical is '{}', a platform's is 0-N", range));
    }
    platform.hosts = std::stoi(radical[1].str()) + 1;
    const auto cores = attribute(clusters[0], "core").value_or("1");
    if (!std::regex_match(cores, std::regex("[1-9][0-9]{0,3}"))) {
        throw refuse(fmt::format("its core is '{}', which is no number", cores));
    }
    platform.ranks_per_host = std::stoi(cores);
    platform.host_prefix = attribute(clusters[0], "prefix").value_or("");
    platform.host_suffix = attribute(clusters[0], "suffix").value_or("");
    for (const auto& prop : tags(xml, "prop")) {
        const auto id = attribute(prop, "id");
        const auto value = attribute(prop, "value");
        if (id && value) {
            platform.config.emplace_back(*id, *value);
        }
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
    throw UnknownName("platform", name, names, "platforms");
}

}  // namespace fathom::plan
