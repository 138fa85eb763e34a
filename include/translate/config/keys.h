#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "translate/config/options.h"

namespace translate {

/// What configs/README.md says about a key.
struct KeyDescription {
  std::string path;           ///< "training.label_smoothing"
  std::string type;           ///< what is accepted: "a number from 0 to 1 (1 excluded)"
  std::string default_value;  ///< as JSON
  std::string comment;        ///< what it means
};

/// Every key of a configuration, in the order of the documentation.
[[nodiscard]] std::vector<KeyDescription> describe_keys();

/// The paths of the keys whose values differ, e.g. "model.d_model", in the order of describe_keys.
[[nodiscard]] std::vector<std::string> changed_keys(const Config& saved, const Config& wanted);

/// True for a key that a resumed run may have otherwise than when it was saved, because the weights that training leads
/// to do not depend on it: limits, logging, when to validate and to save, what to keep, decoding, labels, the test set.
/// (The limits of steps shape the learning rate of the cosine and linear schedules, which are meant to end with them.)
[[nodiscard]] bool may_change_on_resume(std::string_view path);

}  // namespace translate
