#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace translate {

/// Codes of languages: of ISO 639-1 or 639-3, in any case, with or without a script and a region behind "-" or "_":
/// "pt", "por", "pt-BR", "zh_Hant". Names that are no longer in use ("iw" for "he") and LibreTranslate's own ("zt" for
/// "zh-Hant", "pb" for "pt-BR") are other spellings. A text that is not such a code is equal to itself alone.

/// Returns the code that is usual in place of an old name or a code of LibreTranslate's: "he" of "iw", "pt-BR" of "pb",
/// "he-IL" of "iw-IL"; any other code as it is.
[[nodiscard]] std::string usual_code(std::string_view code);

/// The language of a code without its script or region: "pt" of "pt-BR".
[[nodiscard]] std::string_view without_subtags(std::string_view code);

/// How much two codes have in common; each level includes those before it.
enum class LanguageMatch {
  kNone,      ///< they name different languages
  kLanguage,  ///< one language, whatever the script or region: "pt-BR" and "por"; "zh" and "cmn_Hant"; "nb" and "no"
  kCode,      ///< spellings of one code, with the same script and region: "fr" and "fra", "pt-BR" and "por_br"
};

/// Compares two codes. A macrolanguage and its members ("no" and "nb") are one language, but not one code; Norwegian's
/// codes count as one language.
[[nodiscard]] LanguageMatch compare_languages(std::string_view code, std::string_view other);

/// Whether a code is that of one language, rather than of several together ("mul", "roa": ISO 639-5) or another text.
[[nodiscard]] bool is_one_language(std::string_view code);

/// Returns the language of a code in lower case, without script and region, and as its macrolanguage where it is the
/// member that is usually meant by that: "zh" of "cmn_Hans", "no" of "nb", "he" of "iw".
[[nodiscard]] std::string main_language(std::string_view code);

/// Returns the index of the code that a user means by `wanted`; nothing if there is none. The first of these that
/// exists:
/// 1. the very code;
/// 2. another spelling of it (LanguageMatch::kCode): "fra" for "fr", "por_br" for "pt-BR";
/// 3. the same with a macrolanguage in place of the member that is usually meant by it, or the reverse: "nb" for "no",
///    "cmn_Hans" for "zh-Hans";
/// 4. a code in the same script, which is the language's usual one where it is not named, and without another region:
///    "zh_Hant" for "zh-TW", "zh_Hans" for "zh", "pt-BR" for "pt" (but not beside "pt-PT");
/// 5. the language alone: "pt" for "pt-BR", "zh" for "zh-Hant";
/// 6. the only code of the language, if `wanted` is the language alone: "zh_Hant" for "zh".
[[nodiscard]] std::optional<std::size_t> find_language_code(std::span<const std::string> codes,
                                                            std::string_view wanted);

}  // namespace translate
