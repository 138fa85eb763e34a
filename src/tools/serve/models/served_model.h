#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "languages/directions.h"
#include "serve/http/http_messages.h"
#include "serve/request_queue.h"

namespace translate::tools {

/// What is known of a loaded model.
struct ModelFacts {
  std::string name;                   ///< for clients, without folders of this machine: "en-fr/step-00001200"
  std::vector<Direction> directions;  ///< at least one
  std::int64_t bytes = 0;             ///< of its weights in memory
  int max_alternatives = 0;           ///< further translations of a line that a request may get
  std::shared_ptr<const SharedBody> learn_page = nullptr;  ///< HTML that holds the model, if it is offered
};

/// The functions that translate with one model: a search for the best translation, and a longer one that finds
/// alternatives.
struct ModelTranslators {
  TranslateLines plain;
  TranslateLines several = nullptr;  ///< empty if there are no alternatives
};

/// What a request wants of a translation besides its text.
struct WantedDetails {
  bool alternatives = false;
  std::shared_ptr<const KeptTerms> keep = nullptr;     ///< terms to keep; null: none
  std::shared_ptr<const Glossary> glossary = nullptr;  ///< terms that translations must have; null: none
  WhenFull when_full = WhenFull::kRefuse;              ///< for lines after the first ones of a request
};

/// A loaded model with its queues, which translate on threads of their own. Requests with alternatives have a
/// queue of their own, so that they do not slow down the others. All functions are thread-safe.
class ServedModel {
 public:
  ServedModel(ModelFacts facts, ModelTranslators translators, const QueueOptions& options);

  [[nodiscard]] const ModelFacts& facts() const { return facts_; }

  /// The queue for requests with alternatives, or for those without.
  [[nodiscard]] RequestQueue& queue(bool alternatives) { return alternatives && several_ ? *several_ : plain_; }

  /// Stops both queues (see RequestQueue::stop).
  void stop();
  /// Waits until no line is under way or waiting; returns false if `deadline` passes first.
  [[nodiscard]] bool wait_until_idle(RequestQueue::Clock::time_point deadline);

  /// The statistics of both queues together.
  [[nodiscard]] QueueCounts counts() const;

 private:
  ModelFacts facts_;
  RequestQueue plain_;
  std::optional<RequestQueue> several_;
};

/// The directions for people: "from en to fr, de; from fr to en". Of many only the first are named.
[[nodiscard]] std::string directions_text(const std::vector<Direction>& directions);

}  // namespace translate::tools
