#include "interop/export/ctranslate2_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/output_file.h"

namespace translate::tools {

static_assert(std::endian::native == std::endian::little, "model.bin is little-endian");

namespace {

constexpr std::uint32_t kVersion = 6;

/// Appends a number as it is in memory.
template <class Number>
void put(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/// Appends a string: its length with the zero byte at its end, and its bytes.
void put_string(std::string& bytes, std::string_view text) {
  put(bytes, static_cast<std::uint16_t>(text.size() + 1));
  bytes.append(text);
  bytes.push_back('\0');
}

std::uint8_t type_number(const std::string& name, NumberType type) {
  switch (type) {
    case NumberType::kFloat32:
      return 0;
    case NumberType::kInt8:
      return 1;
    case NumberType::kInt16:
      return 2;
    case NumberType::kInt32:
      return 3;
    default:
      throw CheckpointError(fmt::format("{}: model.bin cannot hold numbers of type {}", name, name_of(type)));
  }
}

/// What stands before a variable's numbers.
std::string variable_header(const std::string& name, const StoredArray& array) {
  if (array.bytes() > std::numeric_limits<std::uint32_t>::max()) {
    throw ConfigError(
        fmt::format("{} has {} bytes: CTranslate2's format holds at most 4 GiB in one matrix; export with "
                    "--precision int8, or train a model with fewer subwords",
                    name, array.bytes()));
  }
  std::string header;
  put_string(header, name);
  put(header, static_cast<std::uint8_t>(array.shape.size()));
  for (const auto size : array.shape) {
    put(header, static_cast<std::uint32_t>(size));
  }
  put(header, type_number(name, array.dtype));
  put(header, static_cast<std::uint32_t>(array.bytes()));
  return header;
}

std::string file_header(const CTranslate2Model& model) {
  std::string header;
  put(header, kVersion);
  put_string(header, model.spec);
  put(header, static_cast<std::uint32_t>(model.revision));
  put(header, static_cast<std::uint32_t>(model.variables.size()));
  return header;
}

std::string alias_table(const CTranslate2Model& model) {
  std::string table;
  put(table, static_cast<std::uint32_t>(model.aliases.size()));
  for (const auto& [alias, name] : model.aliases) {
    put_string(table, alias);
    put_string(table, name);
  }
  return table;
}

/// Throws CheckpointError if two variables or aliases have the same name: a reader would take either.
void check_names(const CTranslate2Model& model, const std::filesystem::path& path) {
  std::set<std::string_view> names;
  const auto check = [&](std::string_view name) {
    if (!names.insert(name).second) {
      throw CheckpointError(fmt::format("{}: variable \"{}\": this name is given twice", path.string(), name));
    }
  };
  for (const auto& [name, array] : model.variables) {
    check(name);
  }
  for (const auto& [alias, name] : model.aliases) {
    check(alias);
  }
}

}  // namespace

void write_ctranslate2_file(const std::filesystem::path& path, CTranslate2Model model) {
  check_names(model, path);
  std::ranges::sort(model.variables, {}, [](const auto& variable) { return variable.first; });
  std::ranges::sort(model.aliases);
  OutputFile file(path);
  file.write(file_header(model));
  for (const auto& [name, array] : model.variables) {
    file.write(variable_header(name, array));
    const auto numbers = array.numbers();
    file.write({static_cast<const char*>(numbers.get()), array.bytes()});
  }
  file.write(alias_table(model));
  (void)file.finish();
}

}  // namespace translate::tools
