#include "translate/metrics/bleu_tokens.h"

#include <cstddef>
#include <stdexcept>

#include "translate/core/error.h"
#include "translate/core/utf8.h"
#include "translate/metrics/tokenize_13a.h"
#include "translate/metrics/tokenize_intl.h"
#include "translate/metrics/unicode_text.h"
#include "translate/metrics/words.h"

namespace translate {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  const std::vector<std::string_view> words = split_at_spaces(line);
  return {words.begin(), words.end()};
}

std::vector<std::string> characters_of(std::string_view line) {
  std::vector<std::string> characters;
  for (const char32_t code_point : decode_utf8(line)) {
    if (!is_unicode_space(code_point)) characters.push_back(encode_utf8({&code_point, 1}));
  }
  return characters;
}

std::vector<std::string> tokens_of(std::string_view line, BleuTokenization tokenization) {
  switch (tokenization) {
    case BleuTokenization::k13a:
      return tokenize_13a(line);
    case BleuTokenization::kIntl:
      return tokenize_intl(line);
    case BleuTokenization::kNone:
      return words_of(line);
    case BleuTokenization::kChar:
      return characters_of(line);
  }
  throw std::logic_error("a BLEU tokenization that is none");
}

}  // namespace

std::string_view to_string(BleuTokenization tokenization) {
  return kBleuTokenizations.at(static_cast<std::size_t>(tokenization));
}

BleuTokenization bleu_tokenization(std::string_view name) {
  for (std::size_t i = 0; i < kBleuTokenizations.size(); ++i) {
    if (kBleuTokenizations[i] == name) return static_cast<BleuTokenization>(i);
  }
  throw ConfigError("BLEU has no tokenization \"" + std::string(name) + "\": it has 13a, intl, none and char");
}

std::vector<std::string> bleu_tokens(std::string_view line, const BleuOptions& options) {
  // White space at the end goes before 13a's rule that joins words at "-\n".
  if (!options.lowercase) return tokens_of(trim_trailing_spaces(line), options.tokenization);
  const std::string lower = to_lower_case(line);
  return tokens_of(trim_trailing_spaces(lower), options.tokenization);
}

}  // namespace translate
