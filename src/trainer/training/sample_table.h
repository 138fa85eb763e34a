#pragma once

#include <span>
#include <string>

#include "training/shown_translation.h"

namespace translate::trainer {

/// Returns translations beside their sources and references as a table in Markdown. Characters that mean something in
/// Markdown or HTML are written as numbers, so that the texts appear as they are.
[[nodiscard]] std::string sample_table(std::span<const ShownTranslation> samples);

}  // namespace translate::trainer
