#pragma once

#include <cstddef>
#include <string_view>

namespace translate {

/// Returns the length in bytes of the placeholder that `text` has at `begin`, which programs replace by a value; 0:
/// there is none. Known are {0}, {name}, {n:.2f}, {{x}}, ${x}, #{x}, %{x}, $t(key), $name, $NAME$, those of printf and
/// its like (%s, %1$d, %-5.2f, %(name)s, %@, %%), of Qt (%1, %L1, %n), and :name where a word begins.
[[nodiscard]] std::size_t placeholder_length(std::string_view text, std::size_t begin);

/// A tag of mark-up inside of plain text.
struct TextTag {
  enum class Kind { kOpening, kClosing, kEmpty };
  std::size_t length = 0;  ///< bytes; 0: there is no tag
  Kind kind = Kind::kEmpty;
  std::string_view name;  ///< of its element
};

/// Returns the tag that `text` has at `begin`: <b>, </b>, <br/>, <a href="x">, and <0>, as some programs number theirs.
[[nodiscard]] TextTag text_tag(std::string_view text, std::size_t begin);

}  // namespace translate
