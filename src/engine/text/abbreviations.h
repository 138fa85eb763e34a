#pragma once

#include <string>
#include <string_view>

namespace translate {

/// A word before a full stop that may end a sentence.
struct StoppedWord {
  std::string text;              ///< in lower case, without the last full stop and the marks around it
  bool is_initial = false;       ///< one capital letter, or letters separated by full stops: "J", "U.S", "z.B", "J.-P"
  bool is_short_number = false;  ///< at most three digits, or a Roman numeral in capital letters
};

/// The words of a language that are written with a full stop.
class Abbreviations {
 public:
  /// Words separated by single spaces, in lower case, without their last full stop.
  struct Lists {
    std::string_view never_end;             ///< a sentence continues after these: "dr"
    std::string_view sometimes_end;         ///< it continues unless the next word often begins sentences: "etc"
    std::string_view before_number;         ///< it continues if a number follows: "no" of "No. 5"
    std::string_view beginnings;            ///< words that often begin sentences and rarely follow abbreviations
    std::string_view before_number_ending;  ///< the same for compounds: "str" of "Hauptstr. 5"
    bool ordinals = false;                  ///< short numbers with a full stop are ordinals: "am 3. Mai"
  };

  constexpr explicit Abbreviations(const Lists& lists) : lists_(lists) {}

  /// True if the sentence continues after `word` and its full stop; `next` is the following word, in lower case, cut
  /// after an apostrophe: "l'", "it'".
  [[nodiscard]] bool joins(const StoppedWord& word, std::string_view next) const;

  /// True if there are no abbreviations.
  [[nodiscard]] bool empty() const { return lists_.beginnings.empty(); }

 private:
  [[nodiscard]] bool is_beginning(std::string_view word) const;

  Lists lists_;
};

/// The abbreviations of a language by its ISO 639 code ("en", "de-AT"): English, French and German. Empty for other
/// languages.
[[nodiscard]] const Abbreviations& abbreviations_of(std::string_view language);

}  // namespace translate
