#include "checkpoint/foreign_formats.h"

#include <algorithm>

namespace translate {

[[gnu::weak]] const ForeignFormats& linked_formats() {
  static const ForeignFormats none;
  return none;
}

const ModelFormat* find_model_format(const std::filesystem::path& path) {
  const auto& models = linked_formats().models;
  const auto found = std::ranges::find_if(models, [&](const ModelFormat& format) { return format.matches(path); });
  return found == models.end() ? nullptr : &*found;
}

}  // namespace translate
