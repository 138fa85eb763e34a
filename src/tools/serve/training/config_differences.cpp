#include "serve/training/config_differences.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace translate::tools {

namespace {

/// The values of all configurations by their paths, in the order in which these are found.
class Table {
 public:
  explicit Table(std::size_t columns) : columns_(columns) {}

  /// Adds the values of an object, and those of the objects in it.
  void add(const Json& object, const std::string& path, std::size_t column) {
    for (const auto& [key, value] : object.items()) {
      const auto inner = join_path(path, key);
      if (value.is_object()) {
        add(value, inner, column);
      } else {
        row(inner).values[column] = value;
      }
    }
  }

  [[nodiscard]] std::vector<ConfigDifference> rows() && { return std::move(rows_); }

 private:
  ConfigDifference& row(const std::string& path) {
    const auto [found, is_new] = places_.emplace(path, rows_.size());
    if (is_new) {
      rows_.push_back({.key = path, .values = std::vector<Json>(columns_)});
    }
    return rows_[found->second];
  }

  std::size_t columns_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<ConfigDifference> rows_;
};

}  // namespace

std::vector<ConfigDifference> config_differences(std::span<const Json> configurations) {
  Table table(configurations.size());
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (configurations[i].is_object()) {
      table.add(configurations[i], "", i);
    }
  }
  auto rows = std::move(table).rows();
  std::erase_if(rows, [&](const ConfigDifference& row) {
    const Json* first = nullptr;
    bool differs = false;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      if (configurations[i].is_object()) {
        first = first == nullptr ? &row.values[i] : first;
        differs = differs || row.values[i] != *first;
      }
    }
    return !differs || row.key == "run_dir";
  });
  return rows;
}

}  // namespace translate::tools
