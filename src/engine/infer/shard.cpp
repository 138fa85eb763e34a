#include "infer/shard.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/unpacked_file.h"
#include "core/utf8.h"

namespace translate {

namespace {

constexpr std::int64_t kMostShards = 1'000'000;
constexpr const char* kAuto = "auto";
constexpr const char* kPlaceholder = "{shard}";
constexpr const char* kAdvice = "start the program with torchrun or srun, or give --shard K/N";

/// Returns the number that the text is, or -1 if it is none that is small enough.
std::int64_t number_from(std::string_view text) {
  std::int64_t number = -1;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? number : -1;
}

Shard read_numbers(const std::string& text) {
  const auto slash = text.find('/');
  const auto number = number_from(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos ? -1 : number_from(std::string_view(text).substr(slash + 1));
  if (number < 1 || number > count || count > kMostShards) {
    throw ConfigError(
        fmt::format("--shard: expected K/N, such as 2/8 for the second of eight shards (1 <= K <= N <= {}), or auto; "
                    "got \"{}\"",
                    kMostShards, text));
  }
  return {.number = number, .count = count};
}

/// Returns the shard of a process whose launcher tells its number, from 0, and the number of processes; nothing if it
/// sets neither.
std::optional<Shard> launched_shard(const char* number_name, const char* count_name,
                                    const EnvironmentReader& variable) {
  const auto number_text = variable(number_name);
  const auto count_text = variable(count_name);
  if (!number_text && !count_text) {
    return std::nullopt;
  }
  if (!number_text || !count_text) {
    throw ConfigError(fmt::format("--shard auto: {} is set, but {} is not; {}", number_text ? number_name : count_name,
                                  number_text ? count_name : number_name, kAdvice));
  }
  const auto number = number_from(*number_text);
  const auto count = number_from(*count_text);
  if (number < 0 || number >= count || count > kMostShards) {
    throw ConfigError(
        fmt::format("--shard auto: expected {0} from 0 to {1} - 1 and {1} from 1 to {2}, got {0}={3} and {1}={4}; {5}",
                    number_name, count_name, kMostShards, *number_text, *count_text, kAdvice));
  }
  return Shard{.number = number + 1, .count = count};
}

Shard launched_shard(const EnvironmentReader& variable) {
  const auto torchrun = launched_shard("RANK", "WORLD_SIZE", variable);
  const bool in_step = variable("SLURM_STEP_ID").has_value();
  const auto slurm = in_step ? launched_shard("SLURM_PROCID", "SLURM_NTASKS", variable) : std::nullopt;
  if (torchrun && slurm && torchrun->count < slurm->count) {
    throw ConfigError(
        fmt::format("--shard auto: WORLD_SIZE={} says that torchrun has started fewer processes than srun, whose step "
                    "has SLURM_NTASKS={}; unset RANK and WORLD_SIZE, or give --shard K/N",
                    torchrun->count, slurm->count));
  }
  if (!torchrun && !slurm) {
    throw ConfigError(fmt::format(
        "--shard auto: expected RANK and WORLD_SIZE, as torchrun sets them, or SLURM_STEP_ID, "
        "SLURM_PROCID and SLURM_NTASKS of a step of srun; RANK, WORLD_SIZE and {} are not "
        "set{}; {}",
        in_step ? "SLURM_PROCID" : "SLURM_STEP_ID",
        !in_step && variable("SLURM_PROCID") ? " (Slurm runs a batch script once; srun in it starts a step)" : "",
        kAdvice));
  }
  return torchrun ? *torchrun : *slurm;
}

}  // namespace

void add_shard_option(CLI::App& app, std::string& value) {
  app.add_option(
         "--shard", value,
         "With --input: translate only the K-th of N shards of the file (K from 1 to N), which have about equally "
         "many bytes; the outputs of all, one after the other, are the output for the whole file. auto takes K "
         "and N from torchrun or from a step of srun (RANK, WORLD_SIZE; SLURM_PROCID, SLURM_NTASKS). {shard} in "
         "the name of --output stands for K, padded with zeroes")
      ->needs("--input")
      ->type_name("K/N");
}

Shard read_shard(const std::string& text, const EnvironmentReader& variable) {
  return text == kAuto ? launched_shard(variable) : read_numbers(text);
}

std::string shard_output(const std::string& path, const Shard& shard, const std::string& text) {
  if (text == kAuto && path.find(kPlaceholder) == std::string::npos) {
    throw ConfigError(fmt::format("--shard auto: expected --output with {} in its name, such as part-{}.txt, {}",
                                  kPlaceholder, kPlaceholder,
                                  path.empty() ? "because all shards would write to the same stdout"
                                               : fmt::format("because all shards would write to {}", path)));
  }
  const auto width = std::to_string(shard.count).size();
  return replace_all(path, kPlaceholder, fmt::format("{:0{}}", shard.number, width));
}

namespace {

/// A text file in which cuts are looked for.
struct ShardedFile {
  const std::string& path;
  std::uint64_t size;
};

/// Returns the first beginning of a line at or after `offset`, or the end of the file.
std::uint64_t next_line(const ShardedFile& file, std::uint64_t offset) {
  if (offset == 0) {
    return 0;
  }
  LineStream line(file.path, ByteRange{.begin = offset - 1, .end = file.size});
  (void)line.read(1);
  return offset - 1 + line.progress()->done;
}

/// Returns the end of the first blank line that begins at or after `offset`, or the end of the file.
std::uint64_t next_paragraph(const ShardedFile& file, std::uint64_t offset) {
  const auto begin = next_line(file, offset);
  LineStream lines(file.path, ByteRange{.begin = begin, .end = file.size});
  for (auto line = lines.read(1); !line.empty() && !is_blank(line.front());) {
    line = lines.read(1);
  }
  return begin + lines.progress()->done;
}

/// Returns the end of a shard, or the beginning of the first one for shard 0.
std::uint64_t cut_after(const ShardedFile& file, std::int64_t shard, std::int64_t count, ShardUnit unit) {
  if (shard == 0 || shard == count) {
    return shard == 0 ? 0 : file.size;
  }
  const auto number = static_cast<std::uint64_t>(shard);
  const auto shards = static_cast<std::uint64_t>(count);
  const auto offset = file.size / shards * number + file.size % shards * number / shards;
  return unit == ShardUnit::kLine ? next_line(file, offset) : next_paragraph(file, offset);
}

/// Returns the number of lines in the first `end` bytes, which are whole lines.
std::int64_t lines_before(const std::string& path, std::uint64_t end) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) {
    throw std::system_error(errno, std::generic_category());
  }
  UnpackedFile text(file.number());
  std::vector<char> bytes(std::size_t{1} << 20U);
  std::int64_t lines = 0;
  char last = '\n';
  for (std::uint64_t left = end; left > 0;) {
    const auto room = std::span(bytes).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left)));
    const auto read = room.first(text.read(room));
    if (read.empty()) {
      throw DataError(fmt::format("{}: became shorter while it was read", path));
    }
    lines += std::ranges::count(read, '\n');
    last = read.back();
    left -= read.size();
  }
  return lines + (last != '\n' ? 1 : 0);
}

/// Returns the number of paragraphs in the first `end` bytes, which are whole paragraphs.
std::int64_t paragraphs_before(const std::string& path, std::uint64_t end) {
  constexpr std::size_t kLinesAtOnce = 4096;
  LineStream stream(path, ByteRange{.begin = 0, .end = end});
  std::int64_t paragraphs = 0;
  bool inside = false;
  for (auto lines = stream.read(kLinesAtOnce); !lines.empty(); lines = stream.read(kLinesAtOnce)) {
    for (const auto& line : lines) {
      const bool was_inside = std::exchange(inside, !is_blank(line));
      paragraphs += inside && !was_inside ? 1 : 0;
    }
  }
  return paragraphs;
}

}  // namespace

ShardText find_shard(const std::string& path, const Shard& shard, ShardUnit unit) try {
  if (!LineStream(path).progress()) {
    throw ConfigError(fmt::format("{}: --shard needs a regular file, which can be read several times", path));
  }
  const ShardedFile file{.path = path, .size = unpacked_size(path)};
  const ByteRange bytes{.begin = cut_after(file, shard.number - 1, shard.count, unit),
                        .end = cut_after(file, shard.number, shard.count, unit)};
  return {.bytes = bytes,
          .before = unit == ShardUnit::kLine ? lines_before(path, bytes.begin) : paragraphs_before(path, bytes.begin)};
} catch (const std::system_error& error) {
  throw DataError(fmt::format("{}: cannot be read: {}", path, error.code().message()));
} catch (const GzipFault& fault) {
  throw DataError(fmt::format("{}: {}; check it with gzip -t", path, fault.what()));
}

}  // namespace translate
