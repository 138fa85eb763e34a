#pragma once

namespace translate {

/// What a program does with a model: it decides which --precision there is, and what auto means.
enum class Work { kTraining, kTranslation, kEvaluation };

}  // namespace translate
