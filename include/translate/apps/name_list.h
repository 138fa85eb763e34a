#pragma once

#include <functional>
#include <string>
#include <vector>

namespace translate {

/// The names in a list that is separated by commas, as `--checkpoint A,B` takes one. A name may hold commas itself
/// where it `exists` as a whole: from the left, the longest name that exists is taken, else the one up to the next
/// comma.
[[nodiscard]] std::vector<std::string> split_names(const std::string& list,
                                                   const std::function<bool(const std::string&)>& exists);

}  // namespace translate
