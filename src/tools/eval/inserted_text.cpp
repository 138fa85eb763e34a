#include "eval/inserted_text.h"

#include <array>
#include <cstdint>
#include <random>
#include <span>

#include "core/random_numbers.h"
#include "core/utf8.h"
#include "modifiers/chance.h"
#include "modifiers/noise.h"
#include "segments/text_marks.h"

namespace translate::tools {

namespace {

constexpr std::uint64_t kNoiseSeed = 53;
constexpr std::uint64_t kPlaceholderSeed = 59;

std::size_t count_of(std::string_view line, std::string_view text) {
  std::size_t count = 0;
  for (auto at = line.find(text); at != std::string_view::npos; at = line.find(text, at + text.size())) {
    ++count;
  }
  return count;
}

}  // namespace

InsertedText with_noise_beside(const std::string& source, std::size_t number) {
  std::mt19937_64 random(mix_seeds({kNoiseSeed, number}));
  InsertedText inserted{.text = noise_segment(random), .source = {}, .is_in_front = happens(0.5, random)};
  inserted.source = with_same_text(inserted, source);
  return inserted;
}

InsertedText with_placeholder_inside(const std::string& source, std::size_t number) {
  constexpr std::array<std::string_view, 8> kForms = {"{name}", "{0}",   "%s",        "%1$d",
                                                      "${x}",   ":name", "%(count)s", "{{ user }}"};
  std::mt19937_64 random(mix_seeds({kPlaceholderSeed, number}));
  const std::string text(one_of(std::span<const std::string_view>(kForms), random));
  const auto words = words_of(source);
  if (words.size() < 2) {
    return {.text = text, .source = with_same_text({.text = text, .source = {}}, source)};
  }
  const auto place = words[1 + draw_below(random, words.size() - 1)].begin;
  return {.text = text, .source = source.substr(0, place) + text + " " + source.substr(place)};
}

std::string with_same_text(const InsertedText& inserted, const std::string& line) {
  return inserted.is_in_front ? inserted.text + " " + line : line + " " + inserted.text;
}

std::string without_text(const InsertedText& inserted, const std::string& line) {
  const auto begin = line.find(inserted.text);
  if (begin == std::string::npos) {
    return line;
  }
  auto before = std::string_view(line).substr(0, begin);
  auto after = std::string_view(line).substr(begin + inserted.text.size());
  if (before.empty() || !trailing_space(before).empty()) {
    after.remove_prefix(leading_space(after).size());
  }
  if (after.empty()) {
    before.remove_suffix(trailing_space(before).size());
  }
  return std::string(before) + std::string(after);
}

bool is_kept(const InsertedText& inserted, std::string_view translation) {
  return count_of(translation, inserted.text) == count_of(inserted.source, inserted.text);
}

}  // namespace translate::tools
