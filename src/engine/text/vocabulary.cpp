#include "text/vocabulary.h"

#include <fmt/format.h>

#include <utility>

#include "config/json.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "text/protocol_buffer.h"

namespace translate {

namespace {

constexpr std::uint64_t kSubwordField = 1;  ///< of the vocabulary's field, repeated: a subword, by id

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> subwords, const std::string& origin) : subwords_(std::move(subwords)) {
  ids_.reserve(subwords_.size());
  for (std::size_t id = 0; id < subwords_.size(); ++id) {
    if (!ids_.emplace(subwords_[id], static_cast<std::int64_t>(id)).second) {
      throw DataError(fmt::format("{}: the subword \"{}\" occurs twice", origin, subwords_[id]));
    }
  }
  const auto special = [&](const char* name) {
    const auto id = find(name);
    if (!id) {
      throw DataError(
          fmt::format("{}: there is no \"{}\" in the vocabulary of {} subwords", origin, name, subwords_.size()));
    }
    return *id;
  };
  special_ = {.unk = special("<unk>"), .eos = special("</s>"), .pad = special("<pad>")};
  special_.sos = find("<s>").value_or(special_.pad);
}

std::optional<std::int64_t> Vocabulary::find(std::string_view subword) const {
  const auto found = ids_.find(subword);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::int64_t Vocabulary::id_of_text(std::string_view subword) const {
  const auto id = find(subword).value_or(special_.unk);
  return id == special_.sos || id == special_.eos || id == special_.pad ? special_.unk : id;
}

std::vector<std::string> parse_vocabulary_file(std::string_view json, const std::string& origin) {
  Json root;
  try {
    root = parse_json(json);
  } catch (const JsonError& error) {
    throw DataError(fmt::format("{}: {}", origin, error.what()));
  }
  if (!root.is_object() || root.empty()) {
    throw DataError(fmt::format("{}: expected a JSON object {{\"subword\": id, ...}}", origin));
  }
  std::vector<std::string> subwords(root.size());
  std::vector<bool> is_given(root.size());
  for (const auto& [subword, value] : root.items()) {
    const bool is_id = value.is_number_unsigned() && value.get<std::uint64_t>() < root.size();
    if (!is_id) {
      throw DataError(fmt::format("{}: the id of \"{}\" is {}: expected 0 to {}, as there are {} subwords", origin,
                                  shown(subword), describe_value(value), root.size() - 1, root.size()));
    }
    const auto id = value.get<std::size_t>();
    if (is_given[id]) {
      throw DataError(
          fmt::format("{}: \"{}\" and \"{}\" have the same id, {}", origin, shown(subwords[id]), shown(subword), id));
    }
    is_given[id] = true;
    subwords[id] = subword;
  }
  return subwords;
}

std::string attach_vocabulary(std::string_view serialized_model, const std::vector<std::string>& subwords) {
  std::string vocabulary;
  for (const auto& subword : subwords) append_field(vocabulary, kSubwordField, subword);
  std::string result(serialized_model);
  append_field(result, kVocabularyField, vocabulary);
  return result;
}

std::vector<std::string> read_attached_vocabulary(std::string_view field) {
  std::vector<std::string> subwords;
  ProtocolFields entries(field);
  while (const auto entry = entries.next()) subwords.emplace_back(entry->bytes);
  return subwords;
}

}  // namespace translate
