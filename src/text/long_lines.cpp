#include "translate/text/long_lines.h"

namespace translate {

std::size_t chunk_end(std::string_view text, std::size_t begin, std::size_t size) {
  if (text.size() - begin <= size) return text.size();
  const std::size_t last = begin + size;
  const std::size_t space = text.rfind(' ', last);
  if (space != std::string_view::npos && space >= begin + size / 2) return space;
  const auto continues = [&](std::size_t place) { return (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U; };
  std::size_t end = last;
  while (end > last - 3 && continues(end)) --end;
  return end;
}

}  // namespace translate
