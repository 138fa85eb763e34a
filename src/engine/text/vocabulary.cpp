#include "text/vocabulary.h"

#include <fmt/format.h>

#include <utility>

#include "config/json.h"
#include "core/error.h"
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

std::vector<std::string> subwords_by_id(const JsonValue& ids) {
  if (!ids.json().is_object()) {
    ids.fail_expected("an object {\"subword\": id, ...}");
  }
  const auto& entries = ids.json().get_ref<const Json::object_t&>();
  std::vector<const std::string*> by_id(entries.size());
  for (const auto& [subword, id] : entries) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= by_id.size()) {
      ids.member(subword).fail_expected(fmt::format("an id from 0 to {}, a number for each subword", by_id.size() - 1));
    }
    const std::string*& place = by_id[id.get<std::size_t>()];
    if (place != nullptr) {
      ids.member(subword).fail(fmt::format("has the id {} of {}", describe_value(id), describe_value(*place)));
    }
    place = &subword;
  }
  std::vector<std::string> subwords;
  subwords.reserve(by_id.size());
  for (const auto* subword : by_id) {
    subwords.push_back(*subword);
  }
  return subwords;
}

std::vector<std::string> parse_vocabulary_file(std::string_view json, const std::string& origin) {
  try {
    return subwords_by_id(JsonValue(parse_json(json), {.name = origin}));
  } catch (const JsonError& error) {
    throw DataError(fmt::format("{}: {}", origin, error.what()));
  }
}

std::string attach_vocabulary(std::string_view serialized_model, const std::vector<std::string>& subwords) {
  std::string vocabulary;
  for (const auto& subword : subwords) {
    append_field(vocabulary, kSubwordField, subword);
  }
  std::string result(serialized_model);
  append_field(result, kVocabularyField, vocabulary);
  return result;
}

std::string without_vocabulary(std::string_view serialized_model) {
  std::string result;
  ProtocolFields fields(serialized_model);
  while (const auto field = fields.next()) {
    if (field->key != kVocabularyField) {
      result += field->encoded;
    }
  }
  return result;
}

std::vector<std::string> read_attached_vocabulary(std::string_view field) {
  std::vector<std::string> subwords;
  ProtocolFields entries(field);
  while (const auto entry = entries.next()) {
    subwords.emplace_back(entry->bytes);
  }
  return subwords;
}

}  // namespace translate
