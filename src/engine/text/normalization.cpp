#include "text/normalization.h"

#include <fmt/format.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "text/vocabulary.h"

namespace translate {

namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

/// Default_Ignorable_Code_Point in DerivedCoreProperties.txt.
constexpr std::array<CharacterRange, 17> kIgnorable = {{{0xAD, 0xAD},
                                                        {0x34F, 0x34F},
                                                        {0x61C, 0x61C},
                                                        {0x115F, 0x1160},
                                                        {0x17B4, 0x17B5},
                                                        {0x180B, 0x180F},
                                                        {0x200B, 0x200F},
                                                        {0x202A, 0x202E},
                                                        {0x2060, 0x206F},
                                                        {0x3164, 0x3164},
                                                        {0xFE00, 0xFE0F},
                                                        {0xFEFF, 0xFEFF},
                                                        {0xFFA0, 0xFFA0},
                                                        {0xFFF0, 0xFFF8},
                                                        {0x1BCA0, 0x1BCA3},
                                                        {0x1D173, 0x1D17A},
                                                        {0xE0000, 0xE0FFF}}};

/// The blocks of the scripts that need joiners.
constexpr std::array<CharacterRange, 7> kJoined = {{{0x600, 0x8FF},      // Arabic, Syriac, Thaana, N'Ko, Mandaic
                                                    {0x900, 0xDFF},      // Devanagari to Sinhala
                                                    {0x1000, 0x109F},    // Myanmar
                                                    {0x1780, 0x17FF},    // Khmer
                                                    {0x1800, 0x18AF},    // Mongolian
                                                    {0xFB50, 0xFDFF},    // forms of Arabic letters
                                                    {0xFE70, 0xFEFC}}};  // the same

template <std::size_t kRanges>
bool is_in(const std::array<CharacterRange, kRanges>& ranges, char32_t character) {
  const auto* const range = std::ranges::find_if(ranges, [=](const auto& each) { return character <= each.last; });
  return range != ranges.end() && character >= range->first;
}

std::string utf8(char32_t character) { return encode_utf8({&character, 1}); }

}  // namespace

bool is_default_ignorable(char32_t character) { return is_in(kIgnorable, character); }

bool needs_joiner(char32_t character) { return is_in(kJoined, character); }

namespace {

/// Unicode's canonical compositions, as ICU knows them.
class Compositions {
 public:
  Compositions() {
    UErrorCode error = U_ZERO_ERROR;
    nfc_ = unorm2_getNFCInstance(&error);
    if (U_FAILURE(error)) {
      fail();
    }
  }

  [[nodiscard]] std::u32string nfc(const std::u32string& text) const {
    std::u16string input;
    for (const char32_t character : text) {
      append(character, input);
    }
    std::u16string output(input.size() * 4 + 16, u'\0');
    UErrorCode error = U_ZERO_ERROR;
    const auto size = unorm2_normalize(nfc_, input.data(), static_cast<std::int32_t>(input.size()), output.data(),
                                       static_cast<std::int32_t>(output.size()), &error);
    if (U_FAILURE(error)) {
      fail();
    }
    output.resize(static_cast<std::size_t>(size));
    return utf32(output);
  }

  /// Returns the full canonical decomposition; empty if there is none.
  [[nodiscard]] std::u32string decomposition(char32_t character) const {
    std::array<char16_t, 32> output{};
    UErrorCode error = U_ZERO_ERROR;
    const auto size = unorm2_getDecomposition(nfc_, static_cast<UChar32>(character), output.data(),
                                              static_cast<std::int32_t>(output.size()), &error);
    if (U_FAILURE(error)) {
      fail();
    }
    return size < 0 ? std::u32string() : utf32({output.data(), static_cast<std::size_t>(size)});
  }

 private:
  [[noreturn]] static void fail() { throw RuntimeError("ICU cannot compose characters (NFC)"); }

  static void append(char32_t character, std::u16string& text) {
    if (U_IS_BMP(character)) {
      text += static_cast<char16_t>(character);
    } else {
      (text += static_cast<char16_t>(U16_LEAD(character))) += static_cast<char16_t>(U16_TRAIL(character));
    }
  }

  static std::u32string utf32(std::u16string_view text) {
    std::u32string characters;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_pair = U16_IS_LEAD(text[i]) && i + 1 < text.size();
      characters += is_pair ? static_cast<char32_t>(U16_GET_SUPPLEMENTARY(text[i], text[i + 1])) : text[i];
      i += is_pair ? 1 : 0;
    }
    return characters;
  }

  const UNormalizer2* nfc_ = nullptr;
};

constexpr char32_t kFirstHangul = 0xAC00, kLastHangul = 0xD7A3;

/// Adds the sequences that compose to a character: its marks in every order, all or the last ones of them.
void add_compositions(const Compositions& unicode, char32_t character, const std::u32string& decomposed,
                      CharacterRules& rules) {
  const std::u32string composed(1, character);
  auto marks = decomposed.substr(1);
  std::ranges::sort(marks);
  do {
    for (std::size_t separate = 1; separate <= marks.size(); ++separate) {
      const auto first = unicode.nfc(decomposed.front() + marks.substr(0, marks.size() - separate));
      if (first.size() != 1) {
        continue;
      }
      const auto sequence = first + marks.substr(marks.size() - separate);
      if (unicode.nfc(sequence) == composed) {
        rules.emplace(encode_utf8(sequence), encode_utf8(composed));
      }
    }
  } while (std::ranges::next_permutation(marks).found);
}

void add_control_characters(CharacterRules& rules) {
  for (char32_t character = 1; character <= 0x9F; ++character) {
    if (character >= 0x20 && character < 0x7F) {
      continue;
    }
    const bool is_space = (character >= 0x09 && character <= 0x0D) || character == 0x85;
    rules[utf8(character)] = is_space ? " " : "";
  }
  for (const char32_t separator : {U'\u2028', U'\u2029'}) {
    rules[utf8(separator)] = " ";
  }
}

}  // namespace

CharacterRules nfc_rules() {
  constexpr char32_t kLast = 0x2FA1D;  // no later character has a canonical decomposition
  const Compositions unicode;
  CharacterRules rules;
  for (char32_t character = 0xC0; character <= kLast; ++character) {
    if (character >= 0xD800 && character <= 0xDFFF) {
      continue;
    }
    const auto decomposed = unicode.decomposition(character);
    if (decomposed.empty()) {
      continue;
    }
    const auto composed = unicode.nfc({character});
    if (composed != std::u32string(1, character)) {
      rules.emplace(utf8(character), encode_utf8(composed));
    } else if (character >= kFirstHangul && character <= kLastHangul && decomposed.size() == 3) {
      rules.emplace(encode_utf8(decomposed), utf8(character));
      rules.emplace(encode_utf8(unicode.nfc(decomposed.substr(0, 2)) + decomposed.back()), utf8(character));
    } else {
      add_compositions(unicode, character, decomposed, rules);
    }
  }
  add_control_characters(rules);
  return rules;
}

std::u32string joiners_in(const SentencePieceFile& file) {
  std::vector<std::string> attached;
  if (file.vocabulary) {
    attached = read_attached_vocabulary(*file.vocabulary);
  }
  std::u32string found;
  for (const char32_t joiner : kJoiners) {
    const auto has_joiner = [text = utf8(joiner)](std::string_view subword) {
      return subword.find(text) != subword.npos;
    };
    if (file.vocabulary ? std::ranges::any_of(attached, has_joiner)
                        : std::ranges::any_of(file.subwords, has_joiner, &SentencePieceSubword::text)) {
      found += joiner;
    }
  }
  return found;
}

CharacterRules without_ignorable(const CharacterRules& rules, std::u32string_view joiners) {
  CharacterRules result;
  for (const auto& [sequence, replacement] : rules) {
    const auto characters = decode_utf8(sequence);
    if (std::ranges::any_of(characters, is_default_ignorable)) {
      continue;
    }
    auto kept = decode_utf8(replacement);
    std::erase_if(kept, is_default_ignorable);
    result.emplace(sequence, encode_utf8(kept));
    if (!needs_joiner(characters.back())) {
      continue;
    }
    for (const char32_t joiner : joiners) {
      result.emplace(sequence + utf8(joiner), encode_utf8(kept + joiner));
    }
  }
  for (const auto& [first, last] : kJoined) {
    for (char32_t character = first; character <= last && !joiners.empty(); ++character) {
      const auto alone = utf8(character);
      if (is_default_ignorable(character) || result.contains(alone)) {
        continue;
      }
      for (const char32_t joiner : joiners) {
        result.emplace(alone + utf8(joiner), alone + utf8(joiner));
      }
    }
  }
  for (const auto& [first, last] : kIgnorable) {
    for (char32_t character = first; character <= last; ++character) {
      result.emplace(utf8(character), "");
    }
  }
  return result;
}

std::string removing_ignorable(std::string serialized) {
  const auto file = parse_sentencepiece_file(serialized);
  if (!file || file->subwords.empty()) {
    return serialized;
  }
  std::string map;
  try {
    map = compile_rules(without_ignorable(CharacterMap(file->character_map).rules(), joiners_in(*file)));
  } catch (const DataError&) {  // SentencePiece decides whether it reads them
    return serialized;
  }
  const auto name = fmt::format("{}{}", file->normalization, kWithoutIgnorable);
  return with_normalizer(serialized,
                         {.name = name, .character_map = map, .removes_extra_spaces = file->removes_extra_spaces});
}

}  // namespace translate
