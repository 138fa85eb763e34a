#pragma once

#include <string>

namespace translate::trainer {

/// A validation sentence and its translation, for people to look at.
struct ShownTranslation {
  std::string source;
  std::string reference;
  std::string translation;
};

}  // namespace translate::trainer
