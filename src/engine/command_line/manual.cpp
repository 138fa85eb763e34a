#include "command_line/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace translate {

namespace {

/// Escapes text for roff, so that it prints a minus rather than a hyphen and sees no escapes and no requests at the
/// start of a line.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if ((result.empty() || result.back() == '\n') && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// Returns "-h, --help" or "--device auto|cpu=auto" with bold names and the value in italics.
std::string heading(const OptionText& option) {
  std::string text;
  for (const auto& name : option.names) {
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", escaped(name));
  }
  const bool positional = option.names.front() == option.value;
  if (!option.value.empty() && !positional) {
    text += fmt::format(" \\fI{}\\fR", escaped(option.value));
  }
  if (option.repeatable) {
    text += " ...";
  }
  return text;
}

std::string paragraph(const OptionText& option) {
  auto text = option.description;
  const bool names_choices = !option.choices.empty() && option.value.find('|') == std::string::npos;
  if (names_choices) {
    text += fmt::format(". One of {}", fmt::join(option.choices, ", "));
  }
  if (!option.default_value.empty()) {
    text += fmt::format(" (default: {})", option.default_value);
  }
  if (!text.ends_with('.')) {
    text += ".";
  }
  return fmt::format(".TP\n{}\n{}\n", heading(option), escaped(text));
}

std::string synopsis(const CommandText& command) {
  auto text = fmt::format(".SH SYNOPSIS\n\\fB{}\\fR [\\fIOPTION\\fR]...", escaped(command.name));
  for (const auto& positional : command.positionals) {
    text += fmt::format(" [\\fI{}\\fR]{}", escaped(positional.names.front()), positional.repeatable ? "..." : "");
  }
  return text + "\n";
}

std::string options(const CommandText& command) {
  std::string text = ".SH OPTIONS\n";
  for (const auto& positional : command.positionals) {
    text += paragraph(positional);
  }
  std::string group = "Options";  // CLI11's own name for options without a heading
  for (const auto& option : command.options) {
    if (option.group != group) {
      group = option.group;
      text += fmt::format(".SS \"{}\"\n", escaped(group));
    }
    text += paragraph(option);
  }
  return text;
}

/// Returns lines without filling them: commands and their explanations.
std::string verbatim(const std::string& lines) { return fmt::format(".nf\n{}\n.fi\n", escaped(lines)); }

/// Returns paragraphs, which blank lines separate.
std::string prose(const std::string& notes) {
  std::string text;
  std::istringstream lines(notes);
  for (std::string line; std::getline(lines, line);) {
    text += line.empty() ? ".PP\n" : escaped(line) + "\n";
  }
  return text;
}

std::string references(const std::vector<std::string>& see_also) {
  std::string text;
  for (const auto& name : see_also) {
    text += fmt::format("{}\\fB{}\\fR(1)", text.empty() ? "" : ",\n", escaped(name));
  }
  return text + "\n";
}

}  // namespace

std::string man_page(const CommandText& command, std::string_view version, const std::vector<std::string>& see_also) {
  auto summary = command.description;
  if (summary.ends_with('.')) {
    summary.pop_back();
  }
  if (!summary.empty()) {
    summary[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(summary[0])));
  }
  auto text = fmt::format(
      ".\\\" Made from the options of the program by the build.\n.TH {} 1 \"\" \"translate {}\" \"User Commands\"\n",
      escaped(upper(command.name)), version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(command.name), escaped(summary));
  text += synopsis(command) + fmt::format(".SH DESCRIPTION\n{}\n", escaped(command.description)) + prose(command.notes);
  text += options(command);
  if (!command.examples.empty()) {
    text += ".SH EXAMPLES\n" + verbatim(command.examples);
  }
  if (!see_also.empty()) {
    text += ".SH \"SEE ALSO\"\n" + references(see_also);
  }
  return text;
}

}  // namespace translate
