#include "infer/input_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "core/logging.h"

namespace translate {

void add_input_options(CLI::App& app, InputOptions& options, const std::string& verb) {
  auto* texts = app.add_option("TEXT", options.texts, fmt::format("Lines to {} (default: --input or stdin)", verb));
  app.add_option("--input", options.path, fmt::format("A text file to {}, line by line; plain or gzip", verb))
      ->type_name("FILE")
      ->excludes(texts);
  auto* prefixes =
      app.add_flag("--prefixes", options.prefixes,
                   "Lines are SOURCE<TAB>BEGINNING, where the translation must begin with the words BEGINNING");
  auto* score =
      app.add_flag(
             "--score", options.score,
             "Lines are SOURCE<TAB>TRANSLATION: show the log-probability of each translation instead of translating")
          ->excludes(prefixes);
  auto* json_input =
      app.add_flag("--json-input", options.json,
                   "Lines are JSON objects with the text in \"source\" or \"text\", the beginning of the translation "
                   "in \"prefix\" and, with --score, the translation in \"target\"; with --json the output "
                   "has all other fields, too")
          ->excludes(prefixes);
  app.add_flag(
      "--strict", options.strict,
      "Stop at the first line that cannot be read (default: give an empty line, or with --json an object with an "
      "\"error\", translate the others, and exit with code 2)");
  app.add_option("--target", options.target, "With --score and --input: the file with the translations")
      ->needs(score)
      ->needs("--input")
      ->excludes(json_input)
      ->type_name("FILE");
  app.add_flag("--paragraphs", options.paragraphs,
               "The text is wrapped: lines up to a blank one are joined, and each paragraph gives one line")
      ->excludes(json_input)
      ->excludes(prefixes)
      ->excludes(score);
}

void warn_of_file_name(const InputOptions& options) {
  const auto& texts = options.texts;
  const auto found = std::ranges::find_if(texts, [](const std::string& text) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(text, ignored);
  });
  if (found != texts.end()) {
    log_warning(fmt::format("\"{0}\" is read as a text, but there is a file of this name; --input {0} reads its lines",
                            *found));
  }
}

}  // namespace translate
