#include "interop/marian/marian_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/error.h"
#include "interop/marian/marian_options.h"
#include "text/sentencepiece_file.h"
#include "text/vocabulary.h"

namespace translate::tools {

namespace {

constexpr const char* kPadding = "<pad>";
// A vocabulary may list a padding, which Marian itself never uses; the other ids must stay.
constexpr const char* kUnusedPadding = "<unused pad>";

bool is_sentencepiece(const std::string& vocabulary) { return vocabulary.ends_with(".spm"); }

/// Returns the subwords of a SentencePiece model by its own ids.
std::vector<std::string> subwords_of(const std::string& serialized, const std::string& origin) {
  const auto file = parse_sentencepiece_file(serialized);
  if (!file || file->subwords.empty()) {
    throw CheckpointError(fmt::format("{}: not a SentencePiece model", origin));
  }
  std::vector<std::string> subwords;
  for (const auto& subword : file->subwords) {
    subwords.emplace_back(subword.text);
  }
  return subwords;
}

}  // namespace

Tokenizer load_marian_tokenizer(const MarianFiles& files, const std::string& vocabulary, const std::string& model) {
  const bool is_own = is_sentencepiece(vocabulary);
  const auto file = is_own ? vocabulary : model;
  const auto serialized = files.read(file, kMostMarianText);
  auto subwords = is_own ? subwords_of(serialized, files.describe(file))
                         : read_marian_vocabulary(files.read(vocabulary, kMostMarianText), files.describe(vocabulary));
  std::ranges::replace(subwords, std::string(kPadding), std::string(kUnusedPadding));
  subwords.emplace_back(kPadding);
  return Tokenizer::from_serialized(attach_vocabulary(serialized, subwords), files.describe(file)).removing_ignorable();
}

MarianVocabulary marian_vocabulary(const Tokenizer& tokenizer) {
  MarianVocabulary vocabulary{
      .subwords = {}, .model = without_vocabulary(tokenizer.serialized()), .is_of_model = false};
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    vocabulary.subwords.push_back(tokenizer.subword(id));
  }
  const auto own = subwords_of(vocabulary.model, "the tokenizer");
  if (vocabulary.subwords != own && tokenizer.special_tokens().pad + 1 == tokenizer.vocab_size()) {
    vocabulary.subwords.pop_back();
    std::ranges::replace(vocabulary.subwords, std::string(kUnusedPadding), std::string(kPadding));
  }
  vocabulary.is_of_model = vocabulary.subwords == own;
  return vocabulary;
}

}  // namespace translate::tools
