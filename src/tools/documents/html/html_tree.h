#pragma once

#include <gumbo.h>

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace translate::tools {

/// The parser's allocations, freed at once: Gumbo's own function recurses for each level of the tree. Gumbo also
/// continues if an allocation fails, so that the parse has to be left by a jump.
class HtmlMemory {
 public:
  explicit HtmlMemory(std::size_t limit) : left_(limit) {}
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
    if (size > left_) {
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

  std::size_t left_;
  Block* newest_ = nullptr;
  std::byte* next_ = nullptr;
  std::size_t room_ = 0;
};

/// The memory that a tree may take.
[[nodiscard]] std::size_t html_memory_limit(std::string_view html);

/// Returns the tree, in `memory`. Throws HtmlTooDeep if that does not suffice. `context`: the element that contains the
/// text.
[[nodiscard]] const GumboNode* parse_html(std::string_view html, GumboTag context, HtmlMemory& memory);

/// Whether a node is an element, which has attributes and children.
[[nodiscard]] bool is_element(const GumboNode& node);

/// The children of an element or of a document.
[[nodiscard]] const GumboVector& children(const GumboNode& node);

/// Whether people read the content of an element, unlike scripts and style sheets.
[[nodiscard]] bool is_read(const GumboElement& element);

/// Whether the content of an element is translated, as translate="...", class="notranslate" and its name say.
/// `inherited`: whether what contains it is.
[[nodiscard]] bool is_translated(const GumboElement& element, bool inherited);

}  // namespace translate::tools
