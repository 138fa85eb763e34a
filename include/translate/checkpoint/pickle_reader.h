#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "translate/checkpoint/pickle_value.h"

namespace translate {

/// Longest pickle that is read, in bytes: the tensors' numbers are not in it, some 300 bytes a tensor are.
inline constexpr std::uint64_t kMaxPickle = std::uint64_t{16} << 20;

/// Reads data.pkl of a `torch.save` file: a pickle of protocol 2 to 5 (Python's pickletools.py describes the opcodes).
/// A pickle is a program for a small machine that may call any Python function; this machine knows the opcodes that
/// data needs, executes nothing, and understands no functions but those of find_pickle_global. The state given to an
/// object (BUILD: the `_metadata` of a state_dict) is read and dropped.
/// `file` is for messages and for the conversion they advise. Throws CheckpointError: another function or type, which
/// it names; a pickled whole module; a damaged, unknown or oversized pickle.
[[nodiscard]] PickleDocument read_pickle(std::string_view bytes, const std::filesystem::path& file);

}  // namespace translate
