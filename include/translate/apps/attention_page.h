#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "translate/decoding/observed_pass.h"
#include "translate/decoding/translation.h"

namespace translate {

/// A page that shows, for some sentences, what each head of each layer looked at, and the positional encoding: one HTML
/// file without anything from outside (src/apps/attention_page.html), its numbers inside as JSON.
class AttentionPage {
 public:
  static constexpr std::int64_t kMostSentences = 50;  ///< a page is read by a person, and by a browser

  /// `title`: what the page says it is of (a checkpoint). The model must outlive the page.
  AttentionPage(const ObservedModel& model, std::string title);

  /// Adds a translation, a part of a split line as a sentence of its own; a blank line adds nothing, nor does one that
  /// comes when the page is full.
  void add(const Translation& translation);

  /// True where a sentence was left out because the page was full.
  [[nodiscard]] bool is_overfull() const { return overfull_; }

  /// The whole page.
  [[nodiscard]] std::string html() const;

 private:
  const ObservedModel& model_;
  nlohmann::ordered_json data_;
  bool overfull_ = false;
};

}  // namespace translate
