#include "modifiers/noise.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "modifiers/chance.h"

namespace translate {

namespace {

/// A whole number of a range, both ends included.
std::uint64_t number_between(std::uint64_t lowest, std::uint64_t highest, std::mt19937_64& random) {
  return lowest + draw_below(random, highest - lowest + 1);
}

std::string_view any_of(std::span<const std::string_view> values, std::mt19937_64& random) {
  return one_of(values, random);
}

}  // namespace

std::string random_name(std::mt19937_64& random) {
  constexpr std::string_view kConsonants = "bcdfghjklmnprstvwz";
  constexpr std::string_view kVowels = "aeiou";
  std::string name;
  for (auto syllables = number_between(1, 3, random); syllables > 0; --syllables) {
    name += kConsonants[draw_below(random, kConsonants.size())];
    name += kVowels[draw_below(random, kVowels.size())];
    if (happens(0.4, random)) {
      name += kConsonants[draw_below(random, kConsonants.size())];
    }
  }
  return name;
}

namespace {

std::string random_host(std::mt19937_64& random) {
  constexpr std::array<std::string_view, 8> kDomains = {"com", "org", "net", "eu", "io", "de", "fr", "co.uk"};
  return random_name(random) + "." + std::string(any_of(kDomains, random));
}

std::string random_url(std::mt19937_64& random) {
  constexpr std::array<std::string_view, 4> kBegins = {"https://", "http://", "https://www.", "www."};
  auto url = std::string(any_of(kBegins, random)) + random_host(random);
  const auto folders = draw_below(random, 3);
  for (std::uint64_t folder = 0; folder < folders; ++folder) {
    url += "/" + random_name(random);
  }
  constexpr std::array<std::string_view, 4> kEnds = {"", "", "/", ".html"};
  url += any_of(std::span(kEnds).first(folders > 0 ? kEnds.size() : 3), random);
  return happens(0.2, random) ? fmt::format("{}?{}={}", url, random_name(random), number_between(1, 999, random)) : url;
}

std::string random_address(std::mt19937_64& random) {
  constexpr std::array<std::string_view, 4> kBetween = {".", "_", "-", ""};
  const auto first = random_name(random);
  const auto between = any_of(kBetween, random);
  const auto second = random_name(random);
  return fmt::format("{}{}{}@{}", first, between, second, random_host(random));
}

std::string random_number(std::mt19937_64& random) {
  const auto number = [&](std::uint64_t lowest, std::uint64_t highest) {
    return number_between(lowest, highest, random);
  };
  const auto first = number(1, 99);
  const auto second = number(0, 59);
  switch (draw_below(random, 7)) {
    case 0:
      return std::to_string(first);
    case 1:
      return std::to_string(number(100, 99'999));
    case 2:
      return fmt::format("{}.{}", first, second);
    case 3:
      return fmt::format("{}-{:02}-{:02}", 1950 + first, number(1, 12), number(1, 28));
    case 4:
      return fmt::format("{}:{:02}", first % 24, second);
    case 5:
      return fmt::format("{}%", first);
    default:
      return fmt::format("${}.{:02}", first, second);
  }
}

std::string random_emoji(std::mt19937_64& random) {
  constexpr std::array<std::string_view, 48> kEmoji = {
      "😀", "😁", "😂", "🤣", "😃", "😄", "😅", "😉", "😊", "😋", "😎", "😍", "😘", "🙂", "🤔", "😏",
      "😴", "😢", "😭", "😡", "😱", "🙄", "😇", "🥰", "🤗", "👍", "👎", "👏", "🙏", "💪", "👋", "👌",
      "🔥", "✨", "🎉", "💯", "🚀", "⭐", "❤",  "💔", "🌹", "🌞", "🌍", "🐶", "🐱", "🍕", "☕", "✅"};
  const auto emoji = std::string(any_of(kEmoji, random));
  return happens(0.25, random) ? emoji + std::string(any_of(kEmoji, random)) : emoji;
}

}  // namespace

std::string noise_segment(std::mt19937_64& random) {
  constexpr std::array kKinds = {&random_number, &random_url, &random_address, &random_emoji};
  return kKinds[draw_below(random, kKinds.size())](random);
}

}  // namespace translate
