#include "infer/document_translation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "command_line/line_stream.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/terminal.h"
#include "decoding/document_lines.h"
#include "infer/translation_output.h"

namespace translate {

namespace {

constexpr std::string_view kLines = "text";  // the value of --format for lines

std::string format_names() {
  std::vector<std::string_view> names = {kLines};
  std::ranges::transform(document_formats(), std::back_inserter(names), &DocumentFormat::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_document_options(CLI::App& app, DocumentOptions& options) {
  app.add_option("--format", options.format,
                 fmt::format("The format of the input: {} (default: by the suffix of --input; text, which is line by "
                             "line, for all other files)",
                             format_names()))
      ->type_name("NAME");
  app.add_option("--column", options.columns,
                 "With a table (CSV, TSV): the column to translate, by its name in the first line or its number from "
                 "1; may be given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME");
  app.add_flag("--editable", options.editable,
               "With HTML: also translate the regions that readers of the page edit (contenteditable)");
}

const DocumentFormat* choose_document_format(const DocumentOptions& options, const std::string& path,
                                             bool wants_lines) {
  const DocumentFormat* format = nullptr;
  if (!options.format.empty() && options.format != kLines) {
    format = &find_document_format(options.format);
    if (wants_lines) {
      throw ConfigError(
          fmt::format("--format {} translates a file as a whole; it cannot be used with TEXT and options about lines "
                      "(--json, --json-input, --prefixes, --score, --shard, --n-best, --mbr, --paragraphs, "
                      "--alignments, --word-scores)",
                      options.format));
    }
  } else if (options.format.empty() && !path.empty() && !wants_lines) {
    format = document_format_of(path);
    if (format != nullptr) {
      log_info(fmt::format("{}: read as {}, by its name; --format text translates its lines", path, format->title));
    }
  }
  if (!options.columns.empty() && (format == nullptr || (format->name != "csv" && format->name != "tsv"))) {
    throw ConfigError("--column is for tables: expected --input with a .csv or .tsv file, or --format csv or tsv");
  }
  if (options.editable && (format == nullptr || format->name != "html")) {
    throw ConfigError("--editable is for HTML: expected --input with a .html file, or --format html");
  }
  return format;
}

DocumentFile read_document_file(const DocumentFormat& format, const std::string& path) {
  LineStream stream(path);
  DocumentFile file{.name = stream.name(), .byte_order_mark = "", .bytes = stream.read_rest(kLargestDocument)};
  file.byte_order_mark = take_byte_order_mark(format, file.name, file.bytes);
  return file;
}

std::vector<AlignedText> translate_texts(const Document& document, Translator& translator) {
  constexpr std::size_t kTextsAtOnce = 1024;
  const auto texts = lines_of(document);
  TranslationAccount account;
  TranslationWarnings warnings;
  std::vector<AlignedText> translations;
  while (translations.size() < texts.size()) {
    const auto done = translations.size();
    const auto next = std::span(texts).subspan(done, std::min(kTextsAtOnce, texts.size() - done));
    for (auto& translation : translator.translate_lines(next, static_cast<std::int64_t>(done) + 1)) {
      account.add(translation);
      warnings.add(translation);
      translations.push_back({.text = std::move(translation.text), .alignment = std::move(translation.alignment)});
    }
    show_progress(account.progress_line(LineStream::Progress{.done = translations.size(), .size = texts.size()}));
  }
  show_progress("");
  warnings.log();
  log_debug(account.summary());
  return translations;
}

}  // namespace translate
