// The functions and types that a pickle may name.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interop/pytorch/pickle_reader.h"

namespace translate::tools {

namespace {

constexpr std::size_t kMaxDimensions = 8;
constexpr std::size_t kMaxKey = 20;  // keys are numbers; a long one that is repeated often would fill the memory

struct StorageType {
  std::string_view name;
  NumberType dtype;
};

constexpr std::array<StorageType, 10> kStorageTypes = {{
    {"FloatStorage", NumberType::kFloat32},
    {"DoubleStorage", NumberType::kFloat64},
    {"HalfStorage", NumberType::kFloat16},
    {"BFloat16Storage", NumberType::kBfloat16},
    {"LongStorage", NumberType::kInt64},
    {"IntStorage", NumberType::kInt32},
    {"ShortStorage", NumberType::kInt16},
    {"CharStorage", NumberType::kInt8},
    {"ByteStorage", NumberType::kUint8},
    {"BoolStorage", NumberType::kBool},
}};

/// Returns the numbers of a size or a stride, a tuple of ints. Throws CheckpointError.
std::vector<std::int64_t> read_numbers(const PickleDocument& document, const PickleValue& value) {
  const auto* const tuple = value.as<PickleTuple>();
  if (tuple == nullptr || tuple->items.size() > kMaxDimensions) {
    document.fail(fmt::format("damaged: a tensor's size or stride is not a tuple of at most {} ints", kMaxDimensions));
  }
  std::vector<std::int64_t> numbers;
  for (const PickleValue* const item : tuple->items) {
    const auto* const number = item->as<std::int64_t>();
    if (number == nullptr) {
      document.fail("damaged: a tensor's size or stride does not consist of ints");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

/// Arguments: storage, offset, size, stride (_rebuild_tensor), requires_grad, hooks (_v2), and perhaps metadata.
PickleValue* rebuild_tensor(PickleDocument& document, const std::vector<PickleValue*>& arguments) {
  if (arguments.size() != 4 && arguments.size() != 6 && arguments.size() != 7) {
    document.fail(fmt::format("damaged: a tensor is made of {} values", arguments.size()));
  }
  const auto* const storage = arguments[0]->as<std::unique_ptr<PickledStorage>>();
  const auto* const offset = arguments[1]->as<std::int64_t>();
  if (storage == nullptr || offset == nullptr) {
    document.fail("damaged: a tensor lacks its storage or its offset");
  }
  if (arguments.size() == 7) {  // tells whether a view is negated or conjugated
    const auto* const metadata = arguments[6]->as<PickleDict>();
    const bool empty = metadata != nullptr ? metadata->items.empty() : arguments[6]->as<std::monostate>() != nullptr;
    if (!empty) {
      document.fail("a tensor is a negated or conjugated view: save clones instead");
    }
  }
  auto tensor = std::make_unique<PickledTensor>(PickledTensor{.storage = **storage,
                                                              .offset = *offset,
                                                              .sizes = read_numbers(document, *arguments[2]),
                                                              .strides = read_numbers(document, *arguments[3])});
  return document.add(std::move(tensor));
}

}  // namespace

std::optional<PickleGlobal> find_pickle_global(std::string_view module, std::string_view name) {
  const auto is = [&](std::string_view wanted_module, std::string_view wanted) {
    return module == wanted_module && name == wanted;
  };
  if (is("collections", "OrderedDict")) {
    return PickleGlobal{.callable = PickleCallable::kOrderedDict};
  }
  if (is("torch", "Size")) {
    return PickleGlobal{.callable = PickleCallable::kSize};
  }
  if (is("torch._utils", "_rebuild_tensor_v2") || is("torch._utils", "_rebuild_tensor")) {
    return PickleGlobal{.callable = PickleCallable::kRebuildTensor};
  }
  if (is("torch._utils", "_rebuild_parameter")) {
    return PickleGlobal{.callable = PickleCallable::kRebuildParameter};
  }
  const auto* const storage = std::ranges::find(kStorageTypes, name, &StorageType::name);
  if (storage != kStorageTypes.end() && (module == "torch" || module == "torch.cuda" || module == "torch.storage")) {
    return PickleGlobal{.callable = PickleCallable::kStorageType, .dtype = storage->dtype};
  }
  return std::nullopt;
}

PickleValue* call_pickle_global(PickleDocument& document, const PickleGlobal& global,
                                const std::vector<PickleValue*>& arguments) {
  switch (global.callable) {
    case PickleCallable::kOrderedDict:
      if (!arguments.empty()) {
        document.fail("damaged: an OrderedDict is made with arguments");
      }
      return document.add(PickleDict{});
    case PickleCallable::kRebuildTensor:
      return rebuild_tensor(document, arguments);
    case PickleCallable::kRebuildParameter:  // data, requires_grad, hooks
      if (arguments.size() != 3 || arguments[0]->tensor() == nullptr) {
        document.fail("damaged: a parameter is not made of a tensor");
      }
      return arguments[0];
    case PickleCallable::kSize:
      if (arguments.size() != 1 || arguments[0]->as<PickleTuple>() == nullptr) {
        document.fail("damaged: a torch.Size is not made of a tuple");
      }
      return arguments[0];
    case PickleCallable::kStorageType:
      break;
  }
  document.fail("damaged: a storage type is called as a function");
}

PickleValue* find_pickled_storage(PickleDocument& document, const PickleValue& persistent_id) {
  const auto* const tuple = persistent_id.as<PickleTuple>();
  const auto size = tuple == nullptr ? 0 : tuple->items.size();
  if (size != 5 && size != 6) {
    document.fail("damaged: a persistent id is not a tuple of five");
  }
  const auto& items = tuple->items;
  if (size == 6 && items[5]->as<std::monostate>() == nullptr) {
    document.fail("a storage is a part of another one, which is not supported: save clones instead");
  }
  const auto* const word = items[0]->as<std::string>();
  const auto* const type = items[1]->as<PickleGlobal>();
  const auto* const key = items[2]->as<std::string>();
  const auto* const elements = items[4]->as<std::int64_t>();
  if (word == nullptr || *word != "storage" || type == nullptr || type->callable != PickleCallable::kStorageType ||
      key == nullptr || key->size() > kMaxKey || elements == nullptr) {
    document.fail("damaged: a persistent id is not ('storage', type, key, location, elements)");
  }
  return document.add(
      std::make_unique<PickledStorage>(PickledStorage{.dtype = type->dtype, .key = *key, .elements = *elements}));
}

}  // namespace translate::tools
