#include "core/counted.h"

#include <fmt/format.h>

namespace translate {

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace translate
