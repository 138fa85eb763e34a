#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "checkpoint/pytorch/pickle_reader.h"

namespace translate {

/// Returns one of the functions and types of a state_dict: collections.OrderedDict, torch.Size,
/// torch._utils._rebuild_tensor, _rebuild_tensor_v2 and _rebuild_parameter, and the storage types (torch.FloatStorage,
/// ...). Returns nothing for any other.
[[nodiscard]] std::optional<PickleGlobal> find_pickle_global(std::string_view module, std::string_view name);

/// Describes the result that Python would get by calling `global` with `arguments`; nothing is executed. Throws
/// CheckpointError if the arguments do not fit the function.
[[nodiscard]] PickleValue* call_pickle_global(PickleDocument& document, const PickleGlobal& global,
                                              const std::vector<PickleValue*>& arguments);

/// Returns the storage of a persistent id of torch.save, ('storage', type, key, location, elements). Throws
/// CheckpointError if the id has another form.
[[nodiscard]] PickleValue* find_pickled_storage(PickleDocument& document, const PickleValue& persistent_id);

}  // namespace translate
