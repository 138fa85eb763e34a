#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "serve/request_queue.h"

namespace translate::tools {

/// Waits until `condition` holds; false where it does not for a very long time.
inline bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Stands for a model: "x" becomes "<x>", with the alternatives "<x>2" and "<x>3", of the log-probabilities -1, -2, -3;
/// "boom" is an error. It writes no terms of glossaries: those whose source is in the line are missing. It waits while
/// its gate is closed, and notes every batch of lines: what waits when it is done with the last.
class GatedTranslator {
 public:
  using Lines = std::vector<std::string>;

  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  /// The lines of each batch so far, the one under way included.
  [[nodiscard]] std::vector<Lines> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  [[nodiscard]] TranslateLines function() {
    return [this](LineSource& source) {
      for (auto batch = take(source); !batch.empty(); batch = take(source)) {
        translate(batch, source);
      }
    };
  }

  [[nodiscard]] static Translation translation(const SourceLine& line) {
    Translation result;
    if (line.text.find('x') != std::string::npos) {
      result.unknown_words = {line.text};
      result.unseen_words = {line.text, "x"};
    }
    for (const auto* end : {"", "2", "3"}) {
      result.nbest.emplace_back();
      result.nbest.back().text = "<" + line.text + ">" + end;
      result.nbest.back().score = -static_cast<double>(result.nbest.size());
      result.nbest.back().confidence = line.text == "b" ? 0.25 : 0.75;
      for (const auto& term : line.glossary ? line.glossary->terms() : std::vector<GlossaryTerm>()) {
        if (line.text.find(term.source) != std::string::npos) {
          result.nbest.back().missing_terms.push_back(term.target);
        }
      }
    }
    return result;
  }

 private:
  [[nodiscard]] static std::vector<NumberedLine> take(LineSource& source) {
    std::vector<NumberedLine> batch;
    while (auto line = source.take({.waits = batch.empty(), .in_batches = true, .under_way = batch.size()})) {
      batch.push_back(std::move(*line));
    }
    return batch;
  }

  void translate(const std::vector<NumberedLine>& batch, LineSource& source) {
    std::unique_lock lock(mutex_);
    calls_.emplace_back();
    for (const auto& line : batch) {
      calls_.back().push_back(line.line.text);
    }
    opened_.wait(lock, [this] { return open_; });
    for (const auto& [number, line] : batch) {
      if (line.text == "boom") {
        source.fail(number, std::make_exception_ptr(std::runtime_error("boom")));
      } else {
        source.give(number, translation(line));
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = true;
  std::vector<Lines> calls_;
};

}  // namespace translate::tools
