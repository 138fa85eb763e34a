#include "text/alignment_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <system_error>

#include "core/error.h"
#include "core/foreign_text.h"

namespace translate {

namespace {

/// Reads a number from the beginning of `text` and removes it there; false if there is none, or none in plain form.
bool take_position(std::string_view& text, std::int64_t& position) {
  std::int32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const auto length = static_cast<std::size_t>(rest - text.data());
  const bool plain = error == std::errc() && text.front() != '-' && (text.front() != '0' || length == 1);
  text.remove_prefix(length);
  position = number;
  return plain;
}

AlignmentPoint parse_link(std::string_view link, const std::string& place) {
  AlignmentPoint point;
  std::string_view rest = link;
  const bool has_source = take_position(rest, point.source) && rest.starts_with('-');
  rest.remove_prefix(has_source ? 1 : 0);
  if (!has_source || !take_position(rest, point.target) || !rest.empty()) {
    throw DataError(fmt::format(
        "{}: expected links SOURCE-TARGET with positions from 0, one space between them, such as \"0-0 1-2\"; found "
        "\"{}\"",
        place, shown(link)));
  }
  return point;
}

}  // namespace

std::string alignment_line(const Alignment& alignment) {
  std::string line;
  for (const auto& [source, target] : alignment) {
    fmt::format_to(std::back_inserter(line), "{}{}-{}", line.empty() ? "" : " ", source, target);
  }
  return line;
}

Alignment parse_alignment_line(std::string_view line, const std::string& place) {
  Alignment alignment;
  for (bool more = !line.empty(); more;) {
    const auto space = std::min(line.find(' '), line.size());
    alignment.push_back(parse_link(line.substr(0, space), place));
    more = space < line.size();
    line.remove_prefix(space + (more ? 1 : 0));
  }
  std::ranges::sort(alignment);
  const auto twice = std::ranges::adjacent_find(alignment);
  if (twice != alignment.end()) {
    throw DataError(fmt::format("{}: the link {}-{} occurs twice; remove one", place, twice->source, twice->target));
  }
  return alignment;
}

void check_alignment(const Alignment& alignment, std::size_t source_words, std::size_t target_words,
                     const std::string& place) {
  for (const auto& [source, target] : alignment) {
    if (static_cast<std::size_t>(source) >= source_words || static_cast<std::size_t>(target) >= target_words) {
      throw DataError(
          fmt::format("{}: the link {}-{} lies outside of the pair, which has {} source and {} target words; positions "
                      "count from 0",
                      place, source, target, source_words, target_words));
    }
  }
}

}  // namespace translate
