#include "pairs/formats/line_pairs.h"

#include <fmt/format.h>

#include <utility>

namespace translate {

namespace {

class LinePairs final : public PairSource {
 public:
  LinePairs(LineReader source, LineReader target) : source_(std::move(source)), target_(std::move(target)) {}

  bool next(SentencePair& pair) override {
    const bool has_source = source_.next(pair.source);
    if (target_.next(pair.target) != has_source) {
      throw_unequal_lines(source_, target_);
    }
    return has_source;
  }

  [[nodiscard]] std::string place() const override {
    return fmt::format("{}:{}", source_.path().string(), source_.lines());
  }

 private:
  LineReader source_;
  LineReader target_;
};

}  // namespace

std::unique_ptr<PairSource> line_pairs(LineReader source, LineReader target) {
  return std::make_unique<LinePairs>(std::move(source), std::move(target));
}

}  // namespace translate
