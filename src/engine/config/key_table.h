#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/json.h"
#include "config/options.h"
#include "config/value_reading.h"

namespace translate {

/// The description of one key. Reading, writing, comparing and documenting a configuration use the table of all keys,
/// so that a new key is one new entry.
struct Key {
  std::string path;                                                     ///< "training.label_smoothing"
  std::string type;                                                     ///< accepted values, in words
  std::string comment;                                                  ///< what it means
  bool may_change = false;                                              ///< a resumed run may change it
  bool shorthand = false;                                               ///< sets other keys; never written
  std::function<void(const OptionValue& value, Config& config)> read;   ///< throws ConfigError
  std::function<Json(const Config& config)> write;                      ///< JSON from which `read` restores the option
  std::function<void(const Config& source, Config& destination)> copy;  ///< copies this option alone
};

/// Every key, in the order of the documentation.
[[nodiscard]] const std::vector<Key>& all_keys();

/// The key of a path, or nullptr.
[[nodiscard]] const Key* find_key(std::string_view path);

/// Returns the names allowed directly in the object at a path ("" for the whole): keys and objects. Empty if no object
/// is at that path.
[[nodiscard]] std::vector<std::string> names_in_object(std::string_view path);

// The parts of the table, one for each object of the file.
void add_data_keys(std::vector<Key>& keys);
void add_tokenizer_keys(std::vector<Key>& keys);
void add_model_keys(std::vector<Key>& keys);
void add_training_keys(std::vector<Key>& keys);
void add_decoding_keys(std::vector<Key>& keys);
void add_distillation_keys(std::vector<Key>& keys);

/// Adds the keys of one object to a table. `Access` gives the object's struct for a Config, const or not.
template <class Access>
class ObjectKeys {
 public:
  ObjectKeys(std::vector<Key>& keys, std::string path, Access access)
      : keys_(keys), path_(std::move(path)), access_(access) {}

  /// Adds a key for a member of the struct. The returned reference is valid until the next call.
  template <class Struct, class Option>
  Key& add(const std::string& name, Option Struct::*member, std::string comment, const NumberRange& range = {}) {
    Key key;
    key.path = join_path(path_, name);
    key.type = describe_type(Option{}, range);
    key.comment = std::move(comment);
    const Access access = access_;
    key.read = [=](const OptionValue& value, Config& config) { read_value(value, range, access(config).*member); };
    key.write = [=](const Config& config) { return write_value(access(config).*member); };
    key.copy = [=](const Config& source, Config& destination) { access(destination).*member = access(source).*member; };
    return keys_.emplace_back(std::move(key));
  }

 private:
  std::vector<Key>& keys_;
  std::string path_;
  Access access_;
};

/// The largest magnitude of decoding.length_penalty: far beyond any use.
inline constexpr double kLargestLengthPenalty = 10.0;

/// The widest beam, and the most translations of a sentence: a search of a hundred thousand hypotheses would not end.
inline constexpr int kMostHypotheses = 1000;

/// The translations of a source subword that a shortlist has at most.
inline constexpr int kMostListed = 1000;

/// The documentation of a key in configs/README.md.
struct KeyDescription {
  std::string path;           ///< "training.label_smoothing"
  std::string type;           ///< accepted values: "a number from 0 to 1 (1 excluded)"
  std::string default_value;  ///< as JSON
  std::string comment;        ///< what it means
};

/// Every key of a configuration, in the order of the documentation.
[[nodiscard]] std::vector<KeyDescription> describe_keys();

/// The paths of the keys whose values differ, e.g. "model.d_model", in the order of describe_keys.
[[nodiscard]] std::vector<std::string> changed_keys(const Config& saved, const Config& wanted);

/// True for a key that may change when a run is resumed, because the trained weights do not depend on it: limits,
/// logging, when to validate and save, which checkpoints to keep, decoding, labels, the test set. (The limits of steps
/// shape the learning rate of the cosine and linear schedules, which are meant to end with them.)
[[nodiscard]] bool may_change_on_resume(std::string_view path);

}  // namespace translate
