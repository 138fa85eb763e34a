#include "translate/checkpoint/pickle_machine.h"

#include <fmt/format.h>

#include <bit>

namespace translate {

static_assert(std::endian::native == std::endian::little, "pickles are little endian");

std::string_view PickleMachine::take(std::uint64_t count) {
  if (count > bytes_.size() - place_) fail("truncated or damaged: it ends too early");
  const std::string_view taken = bytes_.substr(place_, count);
  place_ += count;
  return taken;
}

std::string_view PickleMachine::line() {
  const std::size_t end = bytes_.find('\n', place_);
  if (end == std::string_view::npos) fail("truncated or damaged: a line without an end");
  const std::string_view text = take(end - place_);
  ++place_;
  return text;
}

std::vector<PickleValue*> PickleMachine::pop_many(std::size_t count) {
  const std::size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < bottom + count) fail("damaged: an opcode lacks its operands");
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<PickleValue*> values(first, stack_.end());
  stack_.erase(first, stack_.end());
  return values;
}

std::vector<PickleValue*> PickleMachine::pop_to_mark() {
  if (marks_.empty()) fail("damaged: an opcode lacks its mark");
  std::vector<PickleValue*> values = pop_many(stack_.size() - marks_.back());
  marks_.pop_back();
  return values;
}

void PickleMachine::remember(std::uint32_t index) {
  PickleValue* const value = pop();
  memo_[index] = value;
  push(value);
}

void PickleMachine::recall(std::uint32_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) fail("damaged: an object is used before it is made");
  push(found->second);
}

PickleDocument PickleMachine::finish() {
  if (!marks_.empty() || stack_.size() != 1 || place_ != bytes_.size()) fail("damaged: it does not end as it should");
  document_.set_root(stack_.front());
  return std::move(document_);
}

void PickleMachine::fail(std::string_view what) const { document_.fail(fmt::format("{} (byte {})", what, place_)); }

}  // namespace translate
