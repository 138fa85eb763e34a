#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "checkpoint/pytorch/pickle_reader.h"

namespace translate {

/// The functions and types of a state_dict: collections.OrderedDict, torch.Size, torch._utils._rebuild_tensor,
/// _rebuild_tensor_v2 and _rebuild_parameter, and the storage types (torch.FloatStorage, ...). Nothing for any other.
[[nodiscard]] std::optional<PickleGlobal> find_pickle_global(std::string_view module, std::string_view name);

/// What Python would get by calling `global` with `arguments`; nothing is executed, the outcome is described.
/// Throws CheckpointError where the arguments are not what the function takes.
[[nodiscard]] PickleValue* call_pickle_global(PickleDocument& document, const PickleGlobal& global,
                                              const std::vector<PickleValue*>& arguments);

/// What a persistent id of torch.save, ('storage', type, key, location, elements), stands for.
/// Throws CheckpointError where it is another.
[[nodiscard]] PickleValue* find_pickled_storage(PickleDocument& document, const PickleValue& persistent_id);

}  // namespace translate
