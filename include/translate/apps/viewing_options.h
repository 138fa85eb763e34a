#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "translate/config/options.h"

namespace translate {

/// What translate-infer shows of a model besides its translations.
struct ViewingOptions {
  bool explain = false;  ///< how each translation came about, in place of the translation alone
  std::optional<std::int64_t>
      layer;              ///< explained in full, with the attention of each head (unset: the first, without)
  std::string attention;  ///< a page of attention to write besides (empty: none)

  /// Whether anything is to be shown at all.
  [[nodiscard]] bool any() const { return explain || !attention.empty(); }
};

/// Throws ConfigError where neither encoder nor decoder has the layer.
void check_layer(const ViewingOptions& options, const ModelOptions& model);

}  // namespace translate
