#pragma once

#include <cstdint>

namespace translate {

/// Warns, once for a whole program, that `count` translations reached the length limit before their end.
void warn_of_truncation(std::int64_t count);

}  // namespace translate
