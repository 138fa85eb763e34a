#include "data/pair_output.h"

#include <algorithm>
#include <string_view>

#include "command_line/line_stream.h"
#include "core/utf8.h"

namespace translate::tools {

namespace {

class TableOutput final : public PairOutput {
 public:
  explicit TableOutput(const std::string& path) : writer_(path) {}

  void write(const SentencePair& pair) override { writer_.write(cell(pair.source) + '\t' + cell(pair.target)); }
  void finish() override { writer_.finish(); }

 private:
  static std::string cell(std::string text) {
    std::ranges::replace(text, '\t', ' ');
    return text;
  }

  LineWriter writer_;
};

class JsonOutput final : public PairOutput {
 public:
  JsonOutput(const std::string& path, LanguageCodes languages) : writer_(path), languages_(std::move(languages)) {}

  void write(const SentencePair& pair) override {
    writer_.write(json_line({{"translation", {{languages_.source, pair.source}, {languages_.target, pair.target}}}}));
  }
  void finish() override { writer_.finish(); }

 private:
  LineWriter writer_;
  LanguageCodes languages_;
};

class TextOutput final : public PairOutput {
 public:
  TextOutput(const std::string& path, const LanguageCodes& languages)
      : source_(path + "." + languages.source), target_(path + "." + languages.target) {}

  void write(const SentencePair& pair) override {
    source_.write(pair.source);
    target_.write(pair.target);
  }
  void finish() override {
    source_.finish();
    target_.finish();
  }

 private:
  LineWriter source_;
  LineWriter target_;
};

}  // namespace

std::unique_ptr<PairOutput> open_pair_output(const std::string& path, const LanguageCodes& languages) {
  const auto name = ascii_lower(path);
  if (path.empty() || name.ends_with(".tsv")) {
    return std::make_unique<TableOutput>(path);
  }
  if (name.ends_with(".jsonl")) {
    return std::make_unique<JsonOutput>(path, languages);
  }
  return std::make_unique<TextOutput>(path, languages);
}

}  // namespace translate::tools
