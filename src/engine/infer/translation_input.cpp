#include "infer/translation_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "config/json.h"
#include "core/error.h"
#include "core/unpacked_file.h"
#include "core/utf8.h"
#include "segments/json_glossary.h"
#include "text/text_joining.h"

namespace translate {

namespace {

constexpr std::size_t kDeepest = 1000;  // levels of JSON: a recursive function prints it

std::string expected(LineUse use) {
  return use == LineUse::kScore ? R"(expected an object such as {"source": "The cat sat", "target": "Le chat"})"
                                : R"(expected an object such as {"source": "The cat sat"})";
}

Json parse(const std::string& line, LineUse use, const std::string& place) {
  Json object;
  try {
    object = parse_json(line, {.deepest = kDeepest});
  } catch (const JsonError& error) {
    throw DataError(
        fmt::format("{}: column {}: {}; {}", place, error.position().column, error.reason(), expected(use)));
  }
  if (!object.is_object()) {
    throw DataError(fmt::format("{}: {}, not {}", place, expected(use), describe_value(object)));
  }
  return object;
}

/// Removes a text from the object and returns it.
std::string take(Json& object, const char* key, const std::string& place) {
  const auto& value = object[key];
  if (!value.is_string()) {
    throw DataError(fmt::format("{}: \"{}\" should be a text, not {}", place, key, describe_value(value)));
  }
  auto text = value.get<std::string>();
  object.erase(key);
  return text;
}

/// Moves the texts out of the line's fields.
void take_texts(LineUse use, const std::string& place, InputLine& read) {
  const bool has_source = read.fields.contains("source");
  if (has_source && read.fields.contains("text")) {
    throw DataError(fmt::format("{}: has both \"source\" and \"text\"; expected one of them, the text to {}", place,
                                use == LineUse::kScore ? "score" : "translate"));
  }
  const bool scores = use == LineUse::kScore;
  if ((!has_source && !read.fields.contains("text")) || (scores && !read.fields.contains("target"))) {
    throw DataError(fmt::format("{}: no \"{}\"; {}", place, scores && has_source ? "target" : "source", expected(use)));
  }
  read.source = take(read.fields, has_source ? "source" : "text", place);
  if (scores || read.fields.contains("prefix")) {
    read.target = take(read.fields, scores ? "target" : "prefix", place);
  }
  if (!scores && read.fields.contains("glossary")) {
    try {
      read.glossary = read_json_glossary(read.fields["glossary"]);
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}: {}", place, error.what()));
    }
    read.fields.erase("glossary");
  }
}

}  // namespace

InputLine read_json_input(const std::string& line, LineUse use, const std::string& place) {
  InputLine read;
  try {
    read.fields = parse(line, use, place);
    take_texts(use, place, read);
  } catch (const DataError& error) {
    read.source.clear();
    read.error = error.what();
  }
  return read;
}

void add_missing_fields(const Json& fields, Json& object) {
  Json::object_t::Container& members = object.get_ref<Json::object_t&>();
  const auto own = std::ssize(members);  // no field occurs twice: only these can have its key
  for (const auto& [key, value] : fields.items()) {
    const auto has_key = [&key = key](const auto& member) { return member.first == key; };
    if (std::none_of(members.begin(), members.begin() + own, has_key)) {
      members.emplace_back(key, value);
    }
  }
}

namespace {

/// Returns `count` lines, or fewer at the end of the text.
std::vector<std::string> read_all(LineStream& stream, std::size_t count) {
  auto lines = stream.read(count);
  while (lines.size() < count) {
    auto more = stream.read(count - lines.size());
    if (more.empty()) {
      break;
    }
    std::ranges::move(more, std::back_inserter(lines));
  }
  return lines;
}

/// Returns the lines of texts, with a blank line after each text.
std::vector<std::string> lines_of(const std::vector<std::string>& texts) {
  std::vector<std::string> lines;
  for (const auto& text : texts) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(line);
    }
    lines.emplace_back();
  }
  return lines;
}

}  // namespace

TranslationInput::TranslationInput(const InputOptions& options) : options_(options) {
  if (options.shard) {
    open_shard();
  } else if (options.texts.empty()) {
    reader_.emplace(options.path);
  }
  if (!options.target.empty()) {
    if (!options.score || options.path.empty()) {
      throw ConfigError("--target requires --score and --input: the file of the translations to score");
    }
    target_.emplace(options.target);
    skip_targets();
  }
}

void TranslationInput::open_shard() {
  if (options_.path.empty()) {
    throw ConfigError("--shard requires --input: the file to cut into shards");
  }
  const auto text =
      find_shard(options_.path, *options_.shard, options_.paragraphs ? ShardUnit::kParagraph : ShardUnit::kLine);
  reader_.emplace(options_.path, text.bytes);
  next_line_ = text.before + 1;
}

/// Passes over the translations of the lines in front of the shard.
void TranslationInput::skip_targets() {
  constexpr std::int64_t kLinesAtOnce = 4096;
  for (std::int64_t skipped = 0; skipped < next_line_ - 1;) {
    const auto lines = target_->read(static_cast<std::size_t>(std::min(kLinesAtOnce, next_line_ - 1 - skipped)));
    skipped += std::ssize(lines);
    if (lines.empty()) {
      fail_unequal(/*target_is_longer=*/false, skipped);
    }
  }
}

void TranslationInput::fail_unequal(bool target_is_longer, std::int64_t common_lines) const {
  throw DataError(fmt::format("{} ends with line {}, but {} goes on: expected a translation for each line",
                              target_is_longer ? options_.path : options_.target, common_lines,
                              target_is_longer ? options_.target : options_.path));
}

std::optional<LineStream::Progress> TranslationInput::progress() const {
  return reader_ ? reader_->progress() : std::nullopt;
}

std::vector<std::string> TranslationInput::read_texts(std::size_t count) {
  if (reader_) {
    return reader_->read(count);
  }
  return std::exchange(ended_, true) ? std::vector<std::string>() : options_.texts;
}

/// Returns the next paragraphs: lines up to a blank one, joined as their writing asks for, with spaces or without.
std::vector<std::string> TranslationInput::read_paragraphs(std::size_t count) {
  std::vector<std::string> paragraphs;
  while (paragraphs.empty()) {
    const auto lines = reader_ ? read_texts(count) : lines_of(read_texts(count));
    for (const auto& line : lines) {
      if (is_blank(line)) {
        end_paragraph(paragraphs);
      } else {
        paragraph_ += paragraph_.empty() ? "" : space_between(paragraph_, line);
        paragraph_ += line;
        if (paragraph_.size() > kLongestLine) {
          throw DataError(fmt::format("{}: paragraph {}: more than {} bytes without a blank line",
                                      reader_ ? reader_->name() : "the command line",
                                      next_line_ + std::ssize(paragraphs), kLongestLine));
        }
      }
    }
    if (lines.empty() || !reader_) {
      end_paragraph(paragraphs);
      return paragraphs;
    }
  }
  return paragraphs;
}

void TranslationInput::end_paragraph(std::vector<std::string>& paragraphs) {
  if (!paragraph_.empty()) {
    paragraphs.push_back(std::exchange(paragraph_, ""));
  }
}

InputLine TranslationInput::parse_line(std::string line, std::int64_t number) const {
  if ((options_.json || options_.score || options_.prefixes) && is_blank(line) &&
      (options_.json || line.find('\t') == std::string::npos)) {
    return {};  // stays blank
  }
  const auto place = fmt::format("{}: line {}", reader_ ? reader_->name() : "the command line", number);
  auto result = read_fields(std::move(line), place);
  if (options_.viewing && result.source.size() > kSegmentedAtOnce) {
    result.error = fmt::format("{}: {} bytes; --explain and --attention show lines of at most {} bytes", place,
                               result.source.size(), kSegmentedAtOnce);
    result.source.clear();
  } else if (!options_.score && result.target.size() > kSegmentedAtOnce) {
    result.error = fmt::format("{}: the beginning of the translation has {} bytes; expected at most {}", place,
                               result.target.size(), kSegmentedAtOnce);
    result.target.clear();
  }
  return result;
}

InputLine TranslationInput::read_fields(std::string line, const std::string& place) const {
  if (options_.json) {
    return read_json_input(line, options_.score ? LineUse::kScore : LineUse::kTranslate, place);
  }
  if (!options_.score && !options_.prefixes) {
    return {.source = std::move(line)};
  }
  const auto tab = line.find('\t');
  if (tab == std::string::npos) {
    return {.error =
                fmt::format("{}: no tab; {} expects source<TAB>{}", place, options_.score ? "--score" : "--prefixes",
                            options_.score ? "translation" : "beginning of the translation")};
  }
  return {.source = line.substr(0, tab), .target = line.substr(tab + 1)};
}

/// Pairs the lines with those of --target.
std::vector<InputLine> TranslationInput::with_targets(std::vector<std::string> lines) {
  const bool ends_file = !options_.shard || options_.shard->number == options_.shard->count;
  auto targets = read_all(*target_, lines.empty() && ends_file ? 1 : lines.size());
  if (targets.size() != lines.size()) {
    const bool target_is_longer = targets.size() > lines.size();
    fail_unequal(target_is_longer, next_line_ - 1 + std::ssize(target_is_longer ? lines : targets));
  }
  std::vector<InputLine> pairs;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    pairs.push_back({.source = std::move(lines[i]), .target = std::move(targets[i])});
  }
  return pairs;
}

std::vector<InputLine> TranslationInput::parse(std::vector<std::string> lines) {
  if (target_) {
    return with_targets(std::move(lines));
  }
  std::vector<InputLine> parsed;
  for (auto& line : lines) {
    parsed.push_back(parse_line(std::move(line), next_line_ + std::ssize(parsed)));
    if (options_.strict && !parsed.back().error.empty()) {
      throw DataError(parsed.back().error);
    }
  }
  return parsed;
}

std::vector<InputLine> TranslationInput::read(std::size_t count) {
  auto lines = parse(options_.paragraphs ? read_paragraphs(count) : read_texts(count));
  next_line_ += std::ssize(lines);
  return lines;
}

}  // namespace translate
