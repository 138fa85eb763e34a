#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "translate/checkpoint/pickle_value.h"

namespace translate {

/// What a pickle's opcodes work on: the bytes still to read, a stack with marks, a memo, and the objects made so far.
/// Every method throws CheckpointError where the pickle is cut or where operands are missing or of the wrong kind.
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
  /// The text up to the next newline, which is passed over.
  std::string_view line();
  /// What is still to read.
  [[nodiscard]] std::string_view rest() const { return bytes_.substr(place_); }

  /// Makes an object and puts it on the stack.
  void push(PickleValue::Variant value) { stack_.push_back(document_.add(std::move(value))); }
  void push(PickleValue* value) { stack_.push_back(value); }
  PickleValue* pop() { return pop_many(1).front(); }
  /// The uppermost objects, the topmost last; none from below the newest mark.
  std::vector<PickleValue*> pop_many(std::size_t count);
  void mark() { marks_.push_back(stack_.size()); }
  /// All objects above the newest mark, which goes too.
  std::vector<PickleValue*> pop_to_mark();
  /// The object on top, which must be of one kind.
  template <typename T>
  T& top() {
    push(pop());
    T* const wanted = std::get_if<T>(&stack_.back()->value);
    if (wanted == nullptr) fail("damaged: an opcode does not fit its object");
    return *wanted;
  }
  [[nodiscard]] bool stack_is_empty() const { return stack_.empty(); }

  /// The memo: the object on top under a number; an object of it onto the stack.
  void remember(std::uint32_t index);
  void recall(std::uint32_t index);
  [[nodiscard]] std::uint32_t memo_size() const { return static_cast<std::uint32_t>(memo_.size()); }

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] PickleDocument& document() { return document_; }
  /// The objects, of which the only one on the stack is the root; all bytes must be read.
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

}  // namespace translate
