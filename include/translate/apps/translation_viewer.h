#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "translate/decoding/translation.h"

namespace translate {

/// What looks into a model while it translates (model_viewer.h, which takes LibTorch).
class TranslationViewer {
 public:
  TranslationViewer() = default;
  virtual ~TranslationViewer() = default;
  TranslationViewer(const TranslationViewer&) = delete;
  TranslationViewer& operator=(const TranslationViewer&) = delete;

  /// How a translation came about, as text and as a JSON object.
  [[nodiscard]] virtual std::string explanation_text(const Translation& translation) const = 0;
  [[nodiscard]] virtual nlohmann::ordered_json explanation_json(const Translation& translation) const = 0;

  /// Sees a translation that was written.
  virtual void add(const Translation& translation) = 0;

  /// After the last one. Throws RuntimeError where something cannot be written.
  virtual void finish() = 0;
};

}  // namespace translate
