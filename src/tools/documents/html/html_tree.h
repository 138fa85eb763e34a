#pragma once

#include <gumbo.h>

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "segments/document_formats.h"

namespace translate::tools {

/// What the tree of an HTML text may take.
struct HtmlLimits {
  std::size_t memory;         ///< bytes
  std::int64_t milliseconds;  ///< of the processor
};

/// The parser's allocations, freed at once: Gumbo's own function recurses for each level of the tree. Gumbo also
/// continues if an allocation fails, so that the parse has to be left by a jump. The same jump ends a parse that takes
/// too long: its time grows with the square of the depth of the tree and of the attributes of a tag, and there is an
/// allocation for each element and each attribute.
class HtmlMemory {
 public:
  explicit HtmlMemory(const HtmlLimits& limits) : left_(limits.memory), end_(thread_time() + limits.milliseconds) {}
  HtmlMemory(const HtmlMemory&) = delete;
  HtmlMemory& operator=(const HtmlMemory&) = delete;
  ~HtmlMemory() {
    while (newest_ != nullptr) {
      auto* const block = newest_;
      newest_ = block->before;
      std::free(block);  // NOLINT(cppcoreguidelines-no-malloc): no exception may pass through the parser
    }
  }

  /// Allocates memory for the parser. Jumps to `exhausted` if there is none.
  static void* allocate(void* memory, std::size_t size) { return static_cast<HtmlMemory*>(memory)->take(size); }
  static void keep(void* /*memory*/, void* /*allocated*/) {}

  std::jmp_buf exhausted = {};

 private:
  struct alignas(std::max_align_t) Block {
    Block* before;
  };

  void* take(std::size_t size) {
    constexpr std::size_t kBlock = 64UL * 1024;
    size = (size + sizeof(Block) - 1) / sizeof(Block) * sizeof(Block);
    constexpr std::size_t kBetweenClocks = 256;
    if (size > left_ || (++taken_ % kBetweenClocks == 0 && thread_time() > end_)) {
      std::longjmp(exhausted, 1);  // NOLINT(cert-err52-cpp): over functions in C
    }
    left_ -= size;
    if (size > room_) {
      room_ = std::max(size, kBlock);
      auto* const block =
          static_cast<Block*>(std::malloc(sizeof(Block) + room_));  // NOLINT(cppcoreguidelines-no-malloc)
      if (block == nullptr) {
        std::longjmp(exhausted, 1);  // NOLINT(cert-err52-cpp)
      }
      block->before = newest_;
      newest_ = block;
      next_ = reinterpret_cast<std::byte*>(block + 1);
    }
    auto* const taken = next_;
    next_ += size;
    room_ -= size;
    return taken;
  }

  /// The time of the processor that this thread has taken, in milliseconds.
  static std::int64_t thread_time() {
    timespec time = {};
    (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
  }

  std::size_t left_;
  std::int64_t end_;
  std::size_t taken_ = 0;
  Block* newest_ = nullptr;
  std::byte* next_ = nullptr;
  std::size_t room_ = 0;
};

/// What the tree of a text may take: memory of kHtmlMemory and a hundred times its length, as far as that is less than
/// kMostHtmlMemory, or of sixteen times its length if that is more; many times the time that any page needs.
[[nodiscard]] HtmlLimits html_limits(std::string_view html);

/// Returns the tree, in `memory`. Throws HtmlTooDeep if that does not suffice. `context`: the element that contains the
/// text.
[[nodiscard]] const GumboNode* parse_html(std::string_view html, GumboTag context, HtmlMemory& memory);

/// Whether a node is an element, which has attributes and children.
[[nodiscard]] bool is_element(const GumboNode& node);

/// The children of an element or of a document.
[[nodiscard]] const GumboVector& children(const GumboNode& node);

/// Whether people read the content of an element, unlike scripts and style sheets.
[[nodiscard]] bool is_read(const GumboElement& element);

/// What elements say about the translation of their content.
struct HtmlScope {
  bool translated = true;  ///< by translate="...", class="notranslate" and the names of elements
  bool editable = false;   ///< readers of the page edit it (contenteditable)

  [[nodiscard]] bool has_texts(EditableRegions regions) const {
    return translated && (!editable || regions == EditableRegions::kTranslated);
  }
};

/// Returns the scope of the content of an element; `outer`: that of the element itself. translate="yes" on an element
/// holds although it is editable.
[[nodiscard]] HtmlScope scope_in(const GumboElement& element, const HtmlScope& outer);

}  // namespace translate::tools
