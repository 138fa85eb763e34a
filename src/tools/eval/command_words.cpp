#include "eval/command_words.h"

#include <fmt/format.h>

#include <cstddef>

#include "core/error.h"

namespace translate::tools {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// Reads a word that begins at `at`, which is then behind it.
std::string word_at(std::string_view command, std::size_t& at) {
  std::string word;
  char quote = 0;
  for (; at < command.size() && (quote != 0 || kSpace.find(command[at]) == std::string_view::npos); ++at) {
    const char c = command[at];
    if (c == '\\' && quote != '\'') {
      if (++at == command.size()) {
        throw ConfigError(fmt::format("a \\ is at the end of the command {}: write \\\\ for the character", command));
      }
      word += command[at];
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      word += c;
    }
  }
  if (quote != 0) {
    throw ConfigError(fmt::format("a {} is not closed in the command {}: add the second one", quote, command));
  }
  return word;
}

}  // namespace

std::vector<std::string> command_words(std::string_view command) {
  std::vector<std::string> words;
  for (std::size_t at = command.find_first_not_of(kSpace); at < command.size();
       at = command.find_first_not_of(kSpace, at)) {
    words.push_back(word_at(command, at));
  }
  if (words.empty()) {
    throw ConfigError("the command is empty: give a program and its arguments");
  }
  return words;
}

}  // namespace translate::tools
