#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// The candidate that `word` was most likely meant to be, if one is close enough to suggest.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// ` Did you mean 'allreduce'?` or nothing: to be appended to a sentence that refuses `word`.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// Parts between separators, blanks around them removed. An empty text has no parts.
std::vector<std::string> split(std::string_view text, char separator);

/// Text without blanks at both ends.
std::string trimmed(std::string_view text);

/// Words of a command as a shell would split them: blanks part words, quotes and backslashes keep them
/// together. Nothing is expanded. Throws BadInput if a quote is left open.
std::vector<std::string> shell_words(std::string_view text);

/// The words quoted so that a shell would read them back unchanged.
std::string shell_text(const std::vector<std::string>& words);

/// `a`, `a and b`, `a, b and c`.
std::string and_list(const std::vector<std::string>& words);

}  // namespace fathom
