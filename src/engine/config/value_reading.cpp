#include "config/value_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "config/bleu_tokenizations.h"
#include "config/key_table.h"
#include "core/error.h"
#include "core/foreign_text.h"

namespace translate {

void ConfigFaults::gather(const std::string& path, const std::function<void()>& read) {
  try {
    read();
  } catch (const ConfigError& error) {
    add(error.what());
    add_unknown(path);
  }
}

void ConfigFaults::add(const std::string& message) {
  if (!lines_.empty()) {
    lines_ += "\n";
  }
  lines_ += message;
  count_ += 1 + static_cast<std::size_t>(std::ranges::count(message, '\n'));
}

void ConfigFaults::add_unknown(const std::string& path) { unknown_.push_back(path); }

bool ConfigFaults::is_unknown(const std::string& path) const {
  return std::ranges::any_of(unknown_, [&](const std::string& other) {
    return path == other || path.starts_with(other + ".") || other.starts_with(path + ".");
  });
}

bool ConfigFaults::hide(const KeyFault& fault) const {
  const bool is_key = find_key(fault.key) != nullptr;  // not an object, in which other keys may be wrong
  return (is_key && is_unknown(fault.key)) ||
         std::ranges::any_of(fault.others, [this](const std::string& key) { return is_unknown(key); });
}

void ConfigFaults::throw_all() const {
  if (count_ > 1) {
    throw ConfigError(fmt::format("{} errors in the configuration:\n{}", count_, lines_));
  }
  throw_lines();
}

void ConfigFaults::throw_lines() const {
  if (count_ > 0) {
    throw ConfigError(lines_);
  }
}

namespace {

/// Far above any sensible count or size, and far below the point at which sums overflow.
constexpr std::int64_t kLargestInteger = 1'000'000'000'000'000;

/// Reads a text; on the command line a number, true, false or null counts as text, too, if a text is expected.
std::string read_text(const OptionValue& value, std::string_view expected) {
  if (value.json().is_string()) {
    return value.json().get<std::string>();
  }
  const bool typed = !value.source.override_path.empty() && value.source.override_path == value.path();
  if (!typed || value.json().is_structured()) {
    value.fail_expected(expected);
  }
  return value.source.override_text;
}

}  // namespace

bool ValueSource::gives_part_of(const std::string& path) const { return override_path.starts_with(path + "."); }

JsonValue ValueSource::read(Json json) const {
  return JsonValue(std::move(json),
                   {.name = override_origin, .document = document, .raise = &throw_error<ConfigError>});
}

void read_value(const OptionValue& value, const NumberRange& range, std::int64_t& option) {
  const Json& json = value.json();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > kLargestInteger) {
    value.fail_expected(fmt::format("{} and at most {}", describe_type(option, range), kLargestInteger));
  }
  option = value.integer(range);
}

void read_value(const OptionValue& value, const NumberRange& /*range*/, std::uint64_t& option) {
  option = value.integer<std::uint64_t>();
}

void read_value(const OptionValue& value, const NumberRange& range, double& option) { option = value.number(range); }

void read_value(const OptionValue& value, const NumberRange& range, std::optional<double>& option) {
  const Json& json = value.json();
  if (!json.is_null() && !json.is_number()) {
    value.fail_expected(describe_type(option, range));
  }
  option = json.is_null() ? std::nullopt : std::optional(value.number(range));
}

void read_value(const OptionValue& value, const NumberRange& range, std::optional<std::int64_t>& option) {
  const Json& json = value.json();
  if (json.is_null()) {
    option.reset();
  } else if (!json.is_number()) {
    value.fail_expected(describe_type(option, range));
  } else {
    read_value(value, range, option.emplace());
  }
}

void read_value(const OptionValue& value, const NumberRange& /*range*/, bool& option) { option = value.boolean(); }

void read_value(const OptionValue& value, const NumberRange& range, std::string& option) {
  option = read_text(value, describe_type(option, range));
  if (printable(option) != option) {
    value.fail_expected("text without control characters");
  }
}

void read_value(const OptionValue& value, const NumberRange& range, std::filesystem::path& option) {
  const std::string text = read_text(value, describe_type(option, range));
  option = text.empty() ? std::filesystem::path() : (value.source.base_dir / text).lexically_normal();
}

namespace {

/// Reads an integer of at least 1, or the word that stands for 0.
template <class Option>
void read_count_or_word(const OptionValue& value, const NumberRange& range, const char* word, Option& option,
                        std::int64_t& count) {
  if (value.json() == word) {
    count = 0;
    return;
  }
  if (!value.json().is_number_integer() || value.json() < 1) {
    value.fail_expected(describe_type(option, range));
  }
  read_value(value, at_least(1), count);
}

}  // namespace

void read_value(const OptionValue& value, const NumberRange& range, Interval& option) {
  read_count_or_word(value, range, "epoch", option, option.steps);
}

void read_value(const OptionValue& value, const NumberRange& range, TokenBudget& option) {
  read_count_or_word(value, range, "auto", option, option.tokens);
}

void read_value(const OptionValue& value, const NumberRange& range, KeptCheckpoints& option) {
  read_count_or_word(value, range, "all", option, option.count);
}

void read_value(const OptionValue& value, const NumberRange& range, SentenceSplitting& option) {
  if (value.json() == "auto") {
    option = SentenceSplitting::kAuto;
  } else if (value.json().is_boolean()) {
    option = value.json().get<bool>() ? SentenceSplitting::kOn : SentenceSplitting::kOff;
  } else {
    value.fail_expected(describe_type(option, range));
  }
}

void read_value(const OptionValue& value, const NumberRange& /*range*/, BleuTokenization& option) {
  const auto reason = value.json().is_string() ? absent_tokenization(value.json().get<std::string>()) : std::string();
  if (!reason.empty()) {
    value.fail(reason);
  }
  option = value.choice<BleuTokenization>();
}

Json write_value(const Interval& option) { return option.every_epoch() ? Json("epoch") : Json(option.steps); }

Json write_value(const TokenBudget& option) { return option.is_auto() ? Json("auto") : Json(option.tokens); }

Json write_value(const KeptCheckpoints& option) { return option.are_all() ? Json("all") : Json(option.count); }

Json write_value(SentenceSplitting option) {
  return option == SentenceSplitting::kAuto ? Json("auto") : Json(option == SentenceSplitting::kOn);
}

std::string describe_type(const std::int64_t& /*option*/, const NumberRange& range) {
  return "an integer" + range.describe();
}
std::string describe_type(const std::uint64_t& /*option*/, const NumberRange& /*range*/) {
  return "an integer from 0 to 18446744073709551615";
}
std::string describe_type(const double& /*option*/, const NumberRange& range) { return "a number" + range.describe(); }
std::string describe_type(const std::optional<double>& /*option*/, const NumberRange& range) {
  return "a number" + range.describe() + ", or null";
}
std::string describe_type(const std::optional<std::int64_t>& /*option*/, const NumberRange& range) {
  return "an integer" + range.describe() + ", or null";
}
std::string describe_type(const bool& /*option*/, const NumberRange& /*range*/) { return "true or false"; }
std::string describe_type(const std::string& /*option*/, const NumberRange& /*range*/) { return "a string"; }
std::string describe_type(const std::filesystem::path& /*option*/, const NumberRange& /*range*/) { return "a path"; }
std::string describe_type(const Interval& /*option*/, const NumberRange& /*range*/) {
  return "a number of steps of at least 1, or \"epoch\"";
}
std::string describe_type(const TokenBudget& /*option*/, const NumberRange& /*range*/) {
  return "an integer of at least 1, or \"auto\"";
}
std::string describe_type(const KeptCheckpoints& /*option*/, const NumberRange& /*range*/) {
  return "an integer of at least 1, or \"all\"";
}
std::string describe_type(const SentenceSplitting& /*option*/, const NumberRange& /*range*/) {
  return "true, false or \"auto\"";
}
}  // namespace translate
