#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "command_line/line_stream.h"
#include "core/environment.h"

namespace translate {

/// Adds --shard to a program that has --input; `value` gets its text.
void add_shard_option(CLI::App& app, std::string& value);

/// One of several programs that translate a file together, each its shard of the lines: number 1 to `count`. The
/// outputs of all of them, one after the other, are the output of a single program.
struct Shard {
  std::int64_t number = 1;
  std::int64_t count = 1;

  bool operator==(const Shard&) const = default;
};

/// Reads the value of --shard: "2/8", or "auto" for the place of this process among those that torchrun (RANK,
/// WORLD_SIZE) or, in a step of srun (SLURM_STEP_ID), Slurm has started (SLURM_PROCID, SLURM_NTASKS). Both count from
/// 0; an empty variable counts as not set. Under torchrun in a step of srun, torchrun's count, because each task then
/// runs several processes. Throws ConfigError if the text is something else, or the variables are missing or contradict
/// each other.
[[nodiscard]] Shard read_shard(const std::string& text, const EnvironmentReader& variable = environment_variable);

/// Returns the file that a shard writes: `path` with the shard's number, padded with zeroes, in the place of each
/// "{shard}". `text` is the value of --shard. Throws ConfigError if all of the programs would write into the same file:
/// with "auto", there must be a path with "{shard}".
[[nodiscard]] std::string shard_output(const std::string& path, const Shard& shard, const std::string& text);

/// The units between which a file is cut into shards.
enum class ShardUnit {
  kLine,
  kParagraph  ///< lines up to a blank one
};

/// The part of a file that belongs to a shard.
struct ShardText {
  ByteRange bytes;          ///< whole units, of the unpacked text
  std::int64_t before = 0;  ///< units of the file in front of it
};

/// Finds the part of a shard. The shards of a file have about equally many bytes: they are cut at the first beginning
/// of a unit at or after each multiple of (size of the text) / (number of shards). To find a cut, only the unit around
/// it is read; then the bytes in front of the shard are read once, to count. A gzip file is unpacked for each of these
/// steps, from its beginning. The file must be the same for all shards.
/// Throws ConfigError if it is not a regular file, DataError if it cannot be read.
[[nodiscard]] ShardText find_shard(const std::string& path, const Shard& shard, ShardUnit unit);

}  // namespace translate
