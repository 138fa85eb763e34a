#include "text/character_map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "core/error.h"

namespace translate {

static_assert(std::endian::native == std::endian::little, "compiled rules are little endian");

namespace {

// A unit of the trie. A node's unit has the byte that leads to it and the offset of its children: the child by a byte
// is at the offset XOR that byte. At the offset itself is the value of a sequence that ends at the node.
constexpr std::uint32_t kHasValue = 1U << 8U;
constexpr std::uint32_t kIsValue = 1U << 31U;
constexpr std::size_t kLongestSequence = 256;  // bytes, far more than any rule has
constexpr std::uint32_t kNoByte = 0xFF;        // of a unit without a node: UTF-8 has no such byte

std::uint32_t byte_of(std::uint32_t unit) { return unit & (kIsValue | 0xFFU); }
std::uint32_t offset_of(std::uint32_t unit) { return (unit >> 10U) << ((unit & (1U << 9U)) >> 6U); }

[[noreturn]] void fail() { throw DataError("the rules of the SentencePiece model's normaliser are malformed"); }

}  // namespace

CharacterMap::CharacterMap(std::string_view compiled) {
  if (compiled.empty()) {
    return;
  }
  std::uint32_t size = 0;
  if (compiled.size() < sizeof(size)) {
    fail();
  }
  std::memcpy(&size, compiled.data(), sizeof(size));
  compiled.remove_prefix(sizeof(size));
  if (size == 0 || size > compiled.size() || size % sizeof(std::uint32_t) != 0) {
    fail();
  }
  units_.resize(size / sizeof(std::uint32_t));
  std::memcpy(units_.data(), compiled.data(), size);
  replacements_ = compiled.substr(size);
}

std::string_view CharacterMap::replacement(std::uint32_t place) const {
  const auto end = place < replacements_.size() ? replacements_.find('\0', place) : std::string::npos;
  if (end == std::string::npos) {
    fail();
  }
  return std::string_view(replacements_).substr(place, end - place);
}

std::string CharacterMap::apply(std::string_view text) const {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::size_t longest = 0;
    std::uint32_t value = 0;
    std::size_t place = offset_of(unit(0));
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      const auto node = unit(place ^ byte);
      if (units_.empty() || byte_of(node) != byte) {
        break;
      }
      place = (place ^ byte) ^ offset_of(node);
      if ((node & kHasValue) != 0) {
        longest = i + 1;
        value = unit(place) & ~kIsValue;
      }
    }
    if (longest == 0) {
      result += text.front();
      text.remove_prefix(1);
    } else {
      result += replacement(value);
      text.remove_prefix(longest);
    }
  }
  return result;
}

bool CharacterMap::has_children(std::size_t place) const {
  const auto begin = place & ~std::size_t{0xFF};  // the children are among these 256 units
  if (begin + 256 > units_.size()) {
    return true;
  }
  const auto first = static_cast<std::uint32_t>(place & 0xFF);
  const auto* const units = units_.data() + begin;
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < 256; ++i) {  // without a branch, so that it is vectorised
    const auto byte = i ^ first;
    found |= static_cast<std::uint32_t>(byte_of(units[i]) == byte) & static_cast<std::uint32_t>(byte != 0);
  }
  return found != 0;
}

CharacterRules CharacterMap::rules() const {
  constexpr std::size_t kMostNodes = std::size_t{1} << 22U;  // SentencePiece's own rules have a tenth of that
  CharacterRules rules;
  std::size_t nodes = 0;  // sequences may share units: a malformed trie has endless ones
  std::vector<std::pair<std::size_t, std::string>> waiting;  // places of nodes' children, and the bytes that lead there
  if (!units_.empty()) {
    waiting.emplace_back(offset_of(unit(0)), "");
  }
  while (!waiting.empty()) {
    const auto [place, bytes] = std::move(waiting.back());
    waiting.pop_back();
    if (!has_children(place)) {
      continue;  // most nodes: sequences end there
    }
    for (std::size_t byte = 1; byte < kNoByte; ++byte) {
      const auto child = place ^ byte;
      if (child >= units_.size() || byte_of(units_[child]) != byte) {
        continue;
      }
      if (++nodes > kMostNodes || bytes.size() > kLongestSequence) {
        fail();
      }
      const auto below = child ^ offset_of(units_[child]);
      auto sequence = bytes + static_cast<char>(byte);
      if ((units_[child] & kHasValue) != 0) {
        rules.emplace(sequence, replacement(unit(below) & ~kIsValue));
      }
      waiting.emplace_back(below, std::move(sequence));
    }
  }
  return rules;
}

namespace {

/// Writes the trie of sorted sequences.
class TrieWriter {
 public:
  /// A sequence and its value.
  using Entry = std::pair<std::string_view, std::uint32_t>;

  explicit TrieWriter(std::vector<Entry> entries) : entries_(std::move(entries)) {
    grow();
    take(0);
    units_[0] = 0;
    write_children(/*node=*/0, 0, entries_.size(), /*depth=*/0);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& units() const { return units_; }

 private:
  static constexpr std::size_t kUnitsABlock = 256;

  /// Adds units to the end of the list of free ones, and gives up gaps that are far behind: few of them would be
  /// filled.
  void grow() {
    constexpr std::size_t kKept = 16 * kUnitsABlock;
    const auto before = units_.size();
    units_.resize(before + kUnitsABlock, kNoByte);
    is_taken_.resize(units_.size(), false);
    is_offset_.resize(units_.size(), false);
    for (auto place = before; place < units_.size(); ++place) {
      next_.push_back(place + 1);
      previous_.push_back(last_free_);
      (last_free_ == kNone ? first_free_ : next_[last_free_]) = place;
      last_free_ = place;
    }
    next_[last_free_] = kNone;
    while (first_free_ + kKept < units_.size()) {
      take(first_free_);
    }
  }

  void take(std::size_t place) {
    is_taken_[place] = true;
    (previous_[place] == kNone ? first_free_ : next_[previous_[place]]) = next_[place];
    (next_[place] == kNone ? last_free_ : previous_[next_[place]]) = previous_[place];
  }

  /// Returns a place for children of a node by these bytes. It is not the node's own, because newer versions of
  /// SentencePiece take a node without an offset for one without children.
  std::size_t find_offset(std::size_t node, const std::vector<std::uint32_t>& bytes) {
    for (;;) {
      for (auto place = first_free_; place != kNone; place = next_[place]) {
        const auto offset = place ^ bytes.front();
        const auto is_free = [&](std::uint32_t byte) { return !is_taken_[offset ^ byte]; };
        if (offset != node && !is_offset_[offset] && std::ranges::all_of(bytes, is_free)) {
          return offset;
        }
      }
      grow();
    }
  }

  /// Returns what stands below a node: the rests of its entries, each with its value; nothing for a node of many
  /// entries, of which there is no second one.
  [[nodiscard]] std::string entries_below(std::size_t begin, std::size_t end, std::size_t depth) const {
    constexpr std::size_t kMany = 64;
    std::string below;
    for (auto i = begin; i < end && end - begin <= kMany; ++i) {
      const auto& [sequence, value] = entries_[i];
      ((below += sequence.substr(depth)) += '\0')
          .append(std::bit_cast<std::array<char, sizeof(value)>>(value).data(), sizeof(value));
    }
    return below;
  }

  void set_offset(std::size_t node, std::size_t offset) {
    const auto distance = static_cast<std::uint32_t>(node ^ offset);
    if (distance >= 1U << 21U) {
      fail();  // millions of rules
    }
    units_[node] |= distance << 10U;
  }

  /// Writes the children of a node: of the entries from `begin` to `end`, which have the same first `depth` bytes.
  /// Nodes with the same below them share their children, which makes the trie several times smaller.
  void write_children(std::size_t node, std::size_t begin, std::size_t end, std::size_t depth) {
    const auto below = entries_below(begin, end, depth);
    if (const auto same = offset_of_.find(below); same != offset_of_.end()) {
      set_offset(node, same->second);
      if (entries_[begin].first.size() == depth) {
        units_[node] |= kHasValue;
      }
      return;
    }
    const auto byte_at = [&](std::size_t i) -> std::uint32_t {
      return entries_[i].first.size() == depth ? 0U : static_cast<unsigned char>(entries_[i].first[depth]);
    };
    std::vector<std::uint32_t> bytes;
    for (auto i = begin; i < end; ++i) {
      if (bytes.empty() || bytes.back() != byte_at(i)) {
        bytes.push_back(byte_at(i));
      }
    }
    const auto offset = find_offset(node, bytes);
    is_offset_[offset] = true;
    for (const auto byte : bytes) {
      take(offset ^ byte);
    }
    if (!below.empty()) {
      offset_of_.emplace(below, offset);
    }
    set_offset(node, offset);
    for (auto i = begin; i < end;) {
      const auto byte = byte_at(i);
      const auto child = offset ^ byte;
      if (byte == 0) {
        units_[node] |= kHasValue;
        units_[child] = entries_[i++].second | kIsValue;
        continue;
      }
      auto next = i;
      while (next < end && byte_at(next) == byte) {
        ++next;
      }
      units_[child] = byte;
      write_children(child, i, next, depth + 1);
      i = next;
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> units_;
  std::vector<bool> is_taken_;
  std::vector<bool> is_offset_;  ///< of a node's children: nodes with different ones do not share it
  std::unordered_map<std::string, std::size_t> offset_of_;  ///< by what stands below a node

  // The free places, as a list in their order.
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> next_;
  std::vector<std::size_t> previous_;
  std::size_t first_free_ = kNone;
  std::size_t last_free_ = kNone;
};

}  // namespace

std::string compile_rules(const CharacterRules& rules) {
  if (rules.empty()) {
    return "";
  }
  std::string replacements;
  std::map<std::string_view, std::uint32_t> places;
  std::vector<TrieWriter::Entry> entries;
  for (const auto& [sequence, replacement] : rules) {
    const auto [place, is_new] = places.emplace(replacement, static_cast<std::uint32_t>(replacements.size()));
    if (is_new) {
      (replacements += replacement) += '\0';
    }
    entries.emplace_back(sequence, place->second);
  }
  const TrieWriter trie(std::move(entries));
  const auto size = static_cast<std::uint32_t>(trie.units().size() * sizeof(std::uint32_t));
  std::string compiled(sizeof(size) + size, '\0');
  std::memcpy(compiled.data(), &size, sizeof(size));
  std::memcpy(compiled.data() + sizeof(size), trie.units().data(), size);
  return compiled + replacements;
}

}  // namespace translate
