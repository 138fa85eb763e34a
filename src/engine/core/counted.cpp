#include "core/counted.h"

#include <fmt/format.h>

namespace translate {

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string with_commas(std::int64_t number) {
  return number < 1000 ? fmt::format("{}", number) : with_commas(number / 1000) + fmt::format(",{:03}", number % 1000);
}

}  // namespace translate
