#include "processes/collectives/error_text.h"

#include <c10/util/Exception.h>

#include <algorithm>

namespace translate::trainer {

std::string one_line(const std::exception& error) {
  const auto* of_libtorch = dynamic_cast<const c10::Error*>(&error);
  std::string text = of_libtorch != nullptr ? of_libtorch->what_without_backtrace() : error.what();
  text.erase(std::min(text.find_last_not_of('\n') + 1, text.size()));
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace translate::trainer
