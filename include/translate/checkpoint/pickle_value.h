#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace translate {

struct PickleValue;

/// A run of equal elements in an entry of its own, which tensors are views of.
struct PickledStorage {
  c10::ScalarType dtype = c10::ScalarType::Float;
  std::string key;  ///< the entry is `data/<key>`
  std::int64_t elements = 0;
};

/// A tensor as `torch._utils._rebuild_tensor_v2` gets it; offset and strides in elements. Nothing in it is checked yet.
struct PickledTensor {
  PickledStorage storage;
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

struct PickleList {
  std::vector<PickleValue*> items;
};

struct PickleTuple {
  std::vector<PickleValue*> items;
};

/// A dict or an OrderedDict, in the order of the pickle; a key given twice stands here twice.
struct PickleDict {
  std::vector<std::pair<PickleValue*, PickleValue*>> items;
};

/// The Python functions and classes that are understood, by what is made of a call.
enum class PickleCallable { kOrderedDict, kRebuildTensor, kRebuildParameter, kSize, kStorageType };

struct PickleGlobal {
  PickleCallable callable = PickleCallable::kOrderedDict;
  c10::ScalarType dtype = c10::ScalarType::Float;  ///< of a storage type
};

/// One Python object: None, bool, int, float (an int of more than 64 bits too), str or bytes, and those above.
/// Objects refer to one another, in circles even.
struct PickleValue {
  using Variant =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, PickleList, PickleTuple, PickleDict,
                   PickleGlobal, std::unique_ptr<PickledStorage>, std::unique_ptr<PickledTensor>>;
  Variant value;

  /// Nothing where the object is of another kind.
  template <typename T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&value);
  }
  [[nodiscard]] const PickledTensor* tensor() const;
  /// "a dict", "a tensor", ... for messages.
  [[nodiscard]] std::string_view kind() const;
};

/// All objects of a pickle and which of them it stands for. Owns them in one place, so that neither circles nor depth
/// matter.
class PickleDocument {
 public:
  /// `file` is for messages.
  explicit PickleDocument(const std::filesystem::path& file) : file_(file) {}
  PickleDocument(PickleDocument&&) = default;
  PickleDocument& operator=(PickleDocument&&) = default;

  [[nodiscard]] const PickleValue& root() const { return *root_; }
  void set_root(const PickleValue* root) { root_ = root; }

  /// Adds an object, which stays where it is. Throws CheckpointError where there are too many.
  PickleValue* add(PickleValue::Variant value);

  /// Throws CheckpointError: this file's pickle, and what is wrong with it.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::filesystem::path file_;
  std::deque<PickleValue> values_;
  const PickleValue* root_ = nullptr;
};

}  // namespace translate
