#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "checkpoint/number_type.h"

namespace translate::tools {

struct PickleValue;

/// A sequence of elements of one type in an archive entry of its own; tensors are views of it.
struct PickledStorage {
  NumberType dtype = NumberType::kFloat32;
  std::string key;  ///< the entry is `data/<key>`
  std::int64_t elements = 0;
};

/// A tensor as `torch._utils._rebuild_tensor_v2` receives it; offset and strides in elements. Nothing in it is checked
/// yet.
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

/// A dict or an OrderedDict, in the order of the pickle; a key given twice appears twice.
struct PickleDict {
  std::vector<std::pair<PickleValue*, PickleValue*>> items;
};

/// The supported Python functions and classes, by the result of a call.
enum class PickleCallable { kOrderedDict, kRebuildTensor, kRebuildParameter, kSize, kStorageType };

struct PickleGlobal {
  PickleCallable callable = PickleCallable::kOrderedDict;
  NumberType dtype = NumberType::kFloat32;  ///< of a storage type
};

/// One Python object: None, bool, int, float (an int of more than 64 bits too), str or bytes, and the types above.
/// Objects refer to one another, even in cycles.
struct PickleValue {
  using Variant =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, PickleList, PickleTuple, PickleDict,
                   PickleGlobal, std::unique_ptr<PickledStorage>, std::unique_ptr<PickledTensor>>;
  Variant value;

  /// Null if the object is of another kind.
  template <typename T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&value);
  }
  [[nodiscard]] const PickledTensor* tensor() const;
  /// "a dict", "a tensor", ... for messages.
  [[nodiscard]] std::string_view kind() const;
};

/// All objects of a pickle and its root object. It owns them in one place, so that neither cycles nor depth matter.
class PickleDocument {
 public:
  /// `file` is for messages.
  explicit PickleDocument(const std::filesystem::path& file) : file_(file) {}
  PickleDocument(PickleDocument&&) = default;
  PickleDocument& operator=(PickleDocument&&) = default;

  [[nodiscard]] const PickleValue& root() const { return *root_; }
  void set_root(const PickleValue* root) { root_ = root; }

  /// The storages that its tensors name.
  [[nodiscard]] std::vector<const PickledStorage*> storages() const;

  /// Adds an object, which does not move afterwards. Throws CheckpointError if there are too many.
  PickleValue* add(PickleValue::Variant value);

  /// Throws CheckpointError with this file's name and `what`, the defect of its pickle.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::filesystem::path file_;
  std::deque<PickleValue> values_;
  const PickleValue* root_ = nullptr;
};

/// Returns one of the functions and types of a state_dict: collections.OrderedDict, torch.Size,
/// torch._utils._rebuild_tensor, _rebuild_tensor_v2 and _rebuild_parameter, and the storage types (torch.FloatStorage,
/// ...). Returns nothing for any other.
[[nodiscard]] std::optional<PickleGlobal> find_pickle_global(std::string_view module, std::string_view name);

/// Describes the result that Python would get by calling `global` with `arguments`; nothing is executed. Throws
/// CheckpointError if the arguments do not fit the function.
[[nodiscard]] PickleValue* call_pickle_global(PickleDocument& document, const PickleGlobal& global,
                                              const std::vector<PickleValue*>& arguments);

/// Returns the storage of a persistent id of torch.save, ('storage', type, key, location, elements), before PyTorch 1.6
/// followed by None. Throws CheckpointError if the id has another form.
[[nodiscard]] PickleValue* find_pickled_storage(PickleDocument& document, const PickleValue& persistent_id);

/// The state of a pickle's opcodes: the unread bytes, a stack with marks, a memo, and the objects made so far. Every
/// method throws CheckpointError if the pickle is truncated or if operands are missing or of the wrong kind.
class PickleMachine {
 public:
  /// `bytes` must outlive the machine; `file` is for messages.
  PickleMachine(std::string_view bytes, const std::filesystem::path& file)
      : bytes_(bytes), file_(file), document_(file) {}

  /// The next `count` bytes.
  std::string_view take(std::uint64_t count);
  /// The next bytes as a little-endian number.
  template <typename T>
  T number() {
    T value = 0;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  /// The text up to the next newline, which is skipped.
  std::string_view line();
  /// The unread bytes.
  [[nodiscard]] std::string_view rest() const { return bytes_.substr(place_); }

  /// Makes an object and puts it on the stack.
  void push(PickleValue::Variant value) { stack_.push_back(document_.add(std::move(value))); }
  void push(PickleValue* value) { stack_.push_back(value); }
  PickleValue* pop() { return pop_many(1).front(); }
  /// Pops the uppermost objects, the topmost last; none from below the newest mark.
  std::vector<PickleValue*> pop_many(std::size_t count);
  void mark() { marks_.push_back(stack_.size()); }
  /// Pops all objects above the newest mark, and the mark.
  std::vector<PickleValue*> pop_to_mark();
  /// The object on top, which must be a T.
  template <typename T>
  T& top() {
    push(pop());
    T* const wanted = std::get_if<T>(&stack_.back()->value);
    if (wanted == nullptr) {
      fail("damaged: an opcode does not fit its object");
    }
    return *wanted;
  }
  [[nodiscard]] bool stack_is_empty() const { return stack_.empty(); }

  /// The memo: remember stores the object on top under a number; recall pushes the object of a number onto the stack.
  void remember(std::uint32_t index);
  void recall(std::uint32_t index);
  [[nodiscard]] std::uint32_t memo_size() const { return static_cast<std::uint32_t>(memo_.size()); }

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] PickleDocument& document() { return document_; }
  /// Returns the objects; the only one on the stack is the root.
  PickleDocument finish();
  /// Throws CheckpointError with `what` and the place.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::string_view bytes_;
  std::filesystem::path file_;
  std::size_t place_ = 0;
  PickleDocument document_;
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;  ///< heights of the stack
  std::unordered_map<std::uint32_t, PickleValue*> memo_;
};

/// Maximum size of a pickle, in bytes: it holds some 300 bytes for each tensor, but not its numbers.
inline constexpr std::uint64_t kMaxPickle = std::uint64_t{16} << 20;

/// Reads the pickle of a `torch.save` file (data.pkl in its archive), of protocol 2 to 5 (Python's pickletools.py
/// describes the opcodes). A pickle is a program for a small machine that may call any Python function; this machine
/// knows the opcodes that data needs, executes nothing, and understands no functions but those of find_pickle_global.
/// The state given to an object (BUILD: the `_metadata` of a state_dict) is read and dropped. `file` is for messages
/// and for the conversion they advise. Throws CheckpointError: another function or type, which it names; a pickled
/// whole module; a damaged, unknown or oversized pickle.
[[nodiscard]] PickleDocument read_pickle(std::string_view bytes, const std::filesystem::path& file);

/// A pickle that other bytes may follow, and its size in bytes.
struct FirstPickle {
  PickleDocument document;
  std::size_t size;
};

/// The same for the pickle at the beginning of `bytes`.
[[nodiscard]] FirstPickle read_first_pickle(std::string_view bytes, const std::filesystem::path& file);

}  // namespace translate::tools
