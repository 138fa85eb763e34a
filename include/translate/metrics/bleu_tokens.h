#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// How BLEU cuts a line into tokens, in sacreBLEU's definitions.
enum class BleuTokenization {
  k13a,   ///< see tokenize_13a
  kIntl,  ///< see tokenize_intl
  kNone,  ///< at white space only: for text that is in tokens already
  kChar,  ///< each character but white space
};

/// All names, as to_string gives them.
inline constexpr std::array<std::string_view, 4> kBleuTokenizations = {"13a", "intl", "none", "char"};

/// The name that stands in signatures.
[[nodiscard]] std::string_view to_string(BleuTokenization tokenization);

/// The tokenization of a name. Throws ConfigError where there is none.
[[nodiscard]] BleuTokenization bleu_tokenization(std::string_view name);

/// What BLEU compares.
struct BleuOptions {
  BleuTokenization tokenization = BleuTokenization::k13a;
  bool lowercase = false;  ///< case does not count: everything is put into lower case first
};

/// The tokens of a UTF-8 line: put into lower case where that is asked for, white space at its end taken off, cut.
[[nodiscard]] std::vector<std::string> bleu_tokens(std::string_view line, const BleuOptions& options);

}  // namespace translate
