#include "interop/pytorch/pickle_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "interop/pytorch/pytorch_file.h"

namespace translate::tools {

namespace {

// Some hundred times what the largest models need; a file of one-byte opcodes must not fill the memory.
constexpr std::size_t kMaxValues = 1'000'000;

}  // namespace

const PickledTensor* PickleValue::tensor() const {
  const auto* const pointer = as<std::unique_ptr<PickledTensor>>();
  return pointer == nullptr ? nullptr : pointer->get();
}

std::string_view PickleValue::kind() const {
  constexpr std::array<std::string_view, std::variant_size_v<Variant>> kKinds = {
      "None",      "a bool",  "an int", "a float", "a string", "a list", "a tuple", "a dict", "a function or a type",
      "a storage", "a tensor"};
  return kKinds.at(value.index());
}

PickleValue* PickleDocument::add(PickleValue::Variant value) {
  if (values_.size() >= kMaxValues) {
    fail(fmt::format("it holds more than {} objects", kMaxValues));
  }
  return &values_.emplace_back(std::move(value));
}

std::vector<const PickledStorage*> PickleDocument::storages() const {
  std::vector<const PickledStorage*> storages;
  for (const auto& each : values_) {
    if (const auto* const storage = each.as<std::unique_ptr<PickledStorage>>()) {
      storages.push_back(storage->get());
    }
  }
  return storages;
}

void PickleDocument::fail(std::string_view what) const {
  throw CheckpointError(fmt::format("{}: pickle: {}", file_.string(), what));
}

static_assert(std::endian::native == std::endian::little, "pickles are little endian");

std::string_view PickleMachine::take(std::uint64_t count) {
  if (count > bytes_.size() - place_) {
    fail("truncated or damaged: it ends too early");
  }
  const std::string_view taken = bytes_.substr(place_, count);
  place_ += count;
  return taken;
}

std::string_view PickleMachine::line() {
  const std::size_t end = bytes_.find('\n', place_);
  if (end == std::string_view::npos) {
    fail("truncated or damaged: a line without an end");
  }
  const std::string_view text = take(end - place_);
  ++place_;
  return text;
}

std::vector<PickleValue*> PickleMachine::pop_many(std::size_t count) {
  const std::size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < bottom + count) {
    fail("damaged: an opcode lacks its operands");
  }
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<PickleValue*> values(first, stack_.end());
  stack_.erase(first, stack_.end());
  return values;
}

std::vector<PickleValue*> PickleMachine::pop_to_mark() {
  if (marks_.empty()) {
    fail("damaged: an opcode lacks its mark");
  }
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
  if (found == memo_.end()) {
    fail("damaged: an object is used before it is made");
  }
  push(found->second);
}

PickleDocument PickleMachine::finish() {
  if (!marks_.empty() || stack_.size() != 1) {
    fail("damaged: it does not end as it should");
  }
  document_.set_root(stack_.front());
  return std::move(document_);
}

void PickleMachine::fail(std::string_view what) const { document_.fail(fmt::format("{} (byte {})", what, place_)); }

namespace {

constexpr unsigned char kProto = 0x80;
constexpr unsigned char kStop = '.';
constexpr unsigned char kBinPut = 'q';
constexpr unsigned char kMemoize = 0x94;
constexpr std::string_view kMakeObject = ")\x81";  // EMPTY_TUPLE NEWOBJ
// The key is the reference's; dict() drops the other contents of an OrderedDict.
constexpr std::string_view kWeightsOfCheckpoint = "dict(state[\"model_state_dict\"])";
constexpr std::size_t kMaxName = 200;  // bytes of a function's name, so that it fits a message

/// Little-endian two's complement of any length.
void push_long(PickleMachine& machine, std::string_view bytes) {
  const bool negative = !bytes.empty() && static_cast<signed char>(bytes.back()) < 0;
  std::int64_t value = negative ? -1 : 0;
  if (bytes.size() > sizeof(value)) {  // such as a seed: no number that is used here has more than 64 bits
    machine.push(negative ? -HUGE_VAL : HUGE_VAL);
    return;
  }
  std::memcpy(&value, bytes.data(), bytes.size());
  machine.push(value);
}

void push_text(PickleMachine& machine, std::string_view text) {
  if (first_invalid_utf8(text)) {
    machine.fail("damaged: a string is not UTF-8");
  }
  machine.push(std::string(text));
}

void append_all(PickleMachine& machine) {
  const auto items = machine.pop_to_mark();
  auto& list = machine.top<PickleList>().items;
  list.insert(list.end(), items.begin(), items.end());
}

/// Keys and values in turn, for the dict on top.
void set_items(PickleMachine& machine, const std::vector<PickleValue*>& items) {
  if (items.size() % 2 != 0) {
    machine.fail("damaged: a key without a value");
  }
  auto& dict = machine.top<PickleDict>().items;
  for (std::size_t i = 0; i < items.size(); i += 2) {
    dict.emplace_back(items[i], items[i + 1]);
  }
}

/// Returns true if the next opcodes make an object of the class just named: a pickle of a whole module begins like
/// this.
bool makes_object(const PickleMachine& machine) {
  std::string_view rest = machine.rest();
  const auto next_is = [&](unsigned char op) { return !rest.empty() && static_cast<unsigned char>(rest[0]) == op; };
  if (next_is(kBinPut)) {
    rest.remove_prefix(std::min<std::size_t>(2, rest.size()));
  }
  if (next_is(kMemoize)) {
    rest.remove_prefix(1);
  }
  return rest.starts_with(kMakeObject);
}

[[noreturn]] void refuse_global(PickleMachine& machine, std::string_view module, std::string_view name) {
  const auto printable = [](char c) { return c > ' ' && c < 0x7F; };
  if (module.size() + name.size() > kMaxName || !std::ranges::all_of(module, printable) ||
      !std::ranges::all_of(name, printable)) {
    machine.fail("damaged: the name of a function is not readable");
  }
  if (machine.stack_is_empty() && makes_object(machine)) {
    machine.document().fail(fmt::format(
        "it is a whole Python object of the class {}.{}, as torch.save(model) writes it; to read it takes "
        "its Python code. Save its state_dict instead:\n{}",
        module, name, pytorch_conversion(machine.file(), {.load = kTorchLoad, .weights = "state.state_dict()"})));
  }
  machine.document().fail(fmt::format(
      "it needs {}.{}, which does not belong in a state_dict; nothing was executed. If "
      "you trust the file, convert it:\n{}",
      module, name, pytorch_conversion(machine.file(), {.load = kTorchLoad, .weights = kWeightsOfCheckpoint})));
}

void push_global(PickleMachine& machine, std::string_view module, std::string_view name) {
  const auto global = find_pickle_global(module, name);
  if (!global) {
    refuse_global(machine, module, name);
  }
  machine.push(*global);
}

void stack_global(PickleMachine& machine) {
  const auto names = machine.pop_many(2);
  const auto* const module = names[0]->as<std::string>();
  const auto* const name = names[1]->as<std::string>();
  if (module == nullptr || name == nullptr) {
    machine.fail("damaged: a function without a name");
  }
  push_global(machine, *module, *name);
}

void reduce(PickleMachine& machine) {
  const auto call = machine.pop_many(2);
  const auto* const global = call[0]->as<PickleGlobal>();
  const auto* const arguments = call[1]->as<PickleTuple>();
  if (global == nullptr || arguments == nullptr) {
    machine.fail("damaged: a call without a function or its arguments");
  }
  machine.push(call_pickle_global(machine.document(), *global, arguments->items));
}

struct Instruction {
  unsigned char opcode;
  void (*run)(PickleMachine&);
};

using M = PickleMachine;

// All supported opcodes, in the order of pickletools.py.
constexpr Instruction kInstructions[] = {
    /* BININT */ {'J', [](M& m) { m.push(std::int64_t{m.number<std::int32_t>()}); }},
    /* BININT1 */ {'K', [](M& m) { m.push(std::int64_t{m.number<std::uint8_t>()}); }},
    /* BININT2 */ {'M', [](M& m) { m.push(std::int64_t{m.number<std::uint16_t>()}); }},
    /* LONG1 */ {0x8A, [](M& m) { push_long(m, m.take(m.number<std::uint8_t>())); }},
    /* LONG4 */ {0x8B, [](M& m) { push_long(m, m.take(m.number<std::uint32_t>())); }},
    /* BINBYTES */ {'B', [](M& m) { m.push(std::string(m.take(m.number<std::uint32_t>()))); }},
    /* SHORT_BINBYTES */ {'C', [](M& m) { m.push(std::string(m.take(m.number<std::uint8_t>()))); }},
    /* BINBYTES8 */ {0x8E, [](M& m) { m.push(std::string(m.take(m.number<std::uint64_t>()))); }},
    /* NONE */ {'N', [](M& m) { m.push(std::monostate()); }},
    /* NEWTRUE */ {0x88, [](M& m) { m.push(true); }},
    /* NEWFALSE */ {0x89, [](M& m) { m.push(false); }},
    /* BINUNICODE */ {'X', [](M& m) { push_text(m, m.take(m.number<std::uint32_t>())); }},
    /* SHORT_BINUNICODE */ {0x8C, [](M& m) { push_text(m, m.take(m.number<std::uint8_t>())); }},
    /* BINUNICODE8 */ {0x8D, [](M& m) { push_text(m, m.take(m.number<std::uint64_t>())); }},
    /* BINFLOAT */ {'G', [](M& m) { m.push(std::bit_cast<double>(__builtin_bswap64(m.number<std::uint64_t>()))); }},
    /* EMPTY_LIST */ {']', [](M& m) { m.push(PickleList{}); }},
    /* APPEND */
    {'a',
     [](M& m) {
       PickleValue* const item = m.pop();
       m.top<PickleList>().items.push_back(item);
     }},
    /* APPENDS */ {'e', append_all},
    /* EMPTY_TUPLE */ {')', [](M& m) { m.push(PickleTuple{}); }},
    /* TUPLE */ {'t', [](M& m) { m.push(PickleTuple{m.pop_to_mark()}); }},
    /* TUPLE1 */ {0x85, [](M& m) { m.push(PickleTuple{m.pop_many(1)}); }},
    /* TUPLE2 */ {0x86, [](M& m) { m.push(PickleTuple{m.pop_many(2)}); }},
    /* TUPLE3 */ {0x87, [](M& m) { m.push(PickleTuple{m.pop_many(3)}); }},
    /* EMPTY_DICT */ {'}', [](M& m) { m.push(PickleDict{}); }},
    /* SETITEM */ {'s', [](M& m) { set_items(m, m.pop_many(2)); }},
    /* SETITEMS */ {'u', [](M& m) { set_items(m, m.pop_to_mark()); }},
    /* POP */ {'0', [](M& m) { m.pop(); }},
    /* MARK */ {'(', [](M& m) { m.mark(); }},
    /* POP_MARK */ {'1', [](M& m) { m.pop_to_mark(); }},
    /* BINGET */ {'h', [](M& m) { m.recall(m.number<std::uint8_t>()); }},
    /* LONG_BINGET */ {'j', [](M& m) { m.recall(m.number<std::uint32_t>()); }},
    /* BINPUT */ {kBinPut, [](M& m) { m.remember(m.number<std::uint8_t>()); }},
    /* LONG_BINPUT */ {'r', [](M& m) { m.remember(m.number<std::uint32_t>()); }},
    /* MEMOIZE */ {kMemoize, [](M& m) { m.remember(m.memo_size()); }},
    /* GLOBAL */
    {'c',
     [](M& m) {
       const std::string_view module = m.line();
       push_global(m, module, m.line());
     }},
    /* STACK_GLOBAL */ {0x93, stack_global},
    /* REDUCE */ {'R', reduce},
    /* BUILD */
    {'b',
     [](M& m) {
       m.pop();
       m.top<PickleDict>();
     }},
    /* FRAME */ {0x95, [](M& m) { m.take(sizeof(std::uint64_t)); }},  // a hint for stream readers
    /* BINPERSID */ {'Q', [](M& m) { m.push(find_pickled_storage(m.document(), *m.pop())); }},
};

}  // namespace

FirstPickle read_first_pickle(std::string_view bytes, const std::filesystem::path& file) {
  PickleMachine machine(bytes, file);
  if (machine.number<unsigned char>() != kProto) {
    machine.fail("damaged: it is not a pickle of protocol 2 to 5");
  }
  const unsigned protocol = machine.number<unsigned char>();
  if (protocol < 2 || protocol > 5) {
    machine.fail(fmt::format("its protocol is {} (2 to 5 are read)", protocol));
  }
  while (true) {
    const unsigned opcode = machine.number<unsigned char>();
    if (opcode == kStop) {
      const auto size = bytes.size() - machine.rest().size();
      return {.document = machine.finish(), .size = size};
    }
    const auto* const known = std::ranges::find(kInstructions, opcode, &Instruction::opcode);
    if (known == std::ranges::end(kInstructions)) {
      machine.fail(fmt::format("damaged, or an opcode that no state_dict needs: 0x{:02x}", opcode));
    }
    known->run(machine);
  }
}

PickleDocument read_pickle(std::string_view bytes, const std::filesystem::path& file) {
  if (bytes.size() > kMaxPickle) {
    PickleMachine(bytes, file).fail(fmt::format("{} bytes are more than can be read ({})", bytes.size(), kMaxPickle));
  }
  auto [document, size] = read_first_pickle(bytes, file);
  if (size != bytes.size()) {
    document.fail(fmt::format("damaged: it does not end as it should (byte {})", size));
  }
  return std::move(document);
}

}  // namespace translate::tools
