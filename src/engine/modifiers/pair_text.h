#pragma once

#include <string>

namespace translate {

/// The two sides of a pair of sentences.
struct PairText {
  std::string source;
  std::string target;

  bool operator==(const PairText&) const = default;
};

}  // namespace translate
