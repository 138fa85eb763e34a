#include "languages/language_codes.h"

#include <unicode/uloc.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "core/utf8.h"

namespace translate {

namespace {

using Names = std::pair<std::string_view, std::string_view>;

/// Names of languages that are no longer in use, and LibreTranslate's own.
constexpr Names kOtherNames[] = {{"iw", "he"}, {"in", "id"},    {"ji", "yi"},     {"jw", "jv"},
                                 {"mo", "ro"}, {"pb", "pt-BR"}, {"zt", "zh-Hant"}};

/// The members of macrolanguages that are usually meant by these.
constexpr Names kMainMembers[] = {{"als", "sq"}, {"arb", "ar"}, {"ayr", "ay"}, {"azj", "az"}, {"cmn", "zh"},
                                  {"ekk", "et"}, {"fil", "tl"}, {"gaz", "om"}, {"gug", "gn"}, {"khk", "mn"},
                                  {"kmr", "ku"}, {"knc", "kr"}, {"lvs", "lv"}, {"nb", "no"},  {"nob", "no"},
                                  {"npi", "ne"}, {"ory", "or"}, {"pbt", "ps"}, {"pes", "fa"}, {"plt", "mg"},
                                  {"quy", "qu"}, {"swh", "sw"}, {"uzn", "uz"}, {"ydd", "yi"}, {"zsm", "ms"}};

/// The codes of several languages: those of ISO 639-5, and "mul".
constexpr std::string_view kGroups =
    "aav afa alg alv apa aqa aql art ath auf aus awd azc bad bai bat ber bih bnt btk cai cau cba ccn ccs cdc cdd cel "
    "cmc cpe cpf cpp crp csu cus day dmn dra egx esx euq fiu fox gem gme gmq gmw grk hmx hok hyx iir ijo inc ine ira "
    "iro itc jpx kar kdo khi kro map mkh mno mul mun myn nah nai ngf nic nub omq omv oto paa phi plf poz pqe pqw pra "
    "qwe roa sai sal sdv sem sgn sio sit sla smi son sqj ssa syd tai tbq trk tup tut tuw urj wak wen xgn xnd ypk zhx "
    "zle zls zlw znd";

/// Returns the second name of the first one, or `name` itself.
template <std::size_t kCount>
std::string_view renamed(const Names (&names)[kCount], std::string_view name) {
  const auto* const found = std::ranges::find(names, name, &Names::first);
  return found == std::end(names) ? name : found->second;
}

/// Returns the code in lower case, with "-", and without other names.
std::string spelled(std::string_view code) {
  auto text = ascii_lower(usual_code(code));
  std::ranges::replace(text, '_', '-');
  return text;
}

/// Whether ICU may be asked about it: two or three letters, in lower case.
bool is_language(std::string_view text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return (text.size() == 2 || text.size() == 3) && std::ranges::all_of(text, is_letter);
}

/// The code of ISO 639-3 for a language, from ICU; the code itself if there is none.
std::string three_letter_code(const std::string& language) {
  const std::string known = uloc_getISO3Language(language.c_str());
  return known.empty() ? language : known;
}

/// Whether two languages without script and region are the same. Those of one length are compared without ICU, which
/// takes a moment to load.
bool is_same_name(std::string_view a, std::string_view b) {
  return a == b || (a.size() != b.size() && is_language(a) && is_language(b) &&
                    three_letter_code(std::string(a)) == three_letter_code(std::string(b)));
}

/// A code of which the subtags are told apart. All is in lower case.
struct Subtags {
  std::string language;  ///< as of main_language
  std::string script;    ///< "hant"; empty: not named
  std::string region;    ///< "br" or "419"; empty: not named
  std::string others;    ///< "valencia"
  bool is_bare = false;  ///< the language alone

  explicit Subtags(std::string_view code) : language(main_language(code)) {
    constexpr std::size_t kScript = 4;
    constexpr std::size_t kNumber = 3;
    const auto text = spelled(code);
    std::size_t begin = without_subtags(text).size();
    is_bare = begin == text.size();
    while (begin < text.size()) {
      const auto end = std::min(text.find('-', begin + 1), text.size());
      const auto subtag = text.substr(begin + 1, end - begin - 1);
      const bool is_number = subtag.find_first_not_of("0123456789") == std::string::npos;
      if (subtag.size() == kScript && script.empty() && region.empty()) {
        script = subtag;
      } else if (region.empty() && (subtag.size() == 2 || (subtag.size() == kNumber && is_number))) {
        region = subtag;
      } else {
        others += "-" + subtag;
      }
      begin = end;
    }
  }
};

/// The script of a code in lower case: by ICU the usual one of the language in the region, if the code names none.
std::string script_of(const Subtags& code) {
  constexpr std::int32_t kSpace = 64;
  if (!code.script.empty() || !is_language(code.language)) {
    return code.script;
  }
  const auto locale = code.language + (code.region.empty() ? "" : "_" + code.region);
  char full[kSpace] = {};
  char script[kSpace] = {};
  UErrorCode status = U_ZERO_ERROR;
  uloc_addLikelySubtags(locale.c_str(), full, kSpace, &status);
  uloc_getScript(full, script, kSpace, &status);
  return U_FAILURE(status) ? "" : ascii_lower(script);
}

/// Level 4 of find_language_code for one code.
bool is_in_same_script(const Subtags& code, const Subtags& wanted) {
  return is_same_name(code.language, wanted.language) && code.others == wanted.others &&
         (code.region.empty() || wanted.region.empty() || code.region == wanted.region) &&
         script_of(code) == script_of(wanted);
}

std::optional<std::size_t> find_in_same_script(std::span<const Subtags> codes, const Subtags& wanted) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (!is_in_same_script(codes[i], wanted)) {
      continue;
    }
    if (codes[i].region.empty()) {
      return i;
    }
    if (found && codes[*found].region != codes[i].region) {
      return std::nullopt;
    }
    if (!found) {
      found = i;
    }
  }
  return found;
}

/// Levels 3 to 6 of find_language_code.
std::optional<std::size_t> find_nearest(std::span<const Subtags> codes, const Subtags& wanted) {
  const auto first = [&](auto&& is_wanted) -> std::optional<std::size_t> {
    const auto found = std::ranges::find_if(
        codes, [&](const Subtags& code) { return is_same_name(code.language, wanted.language) && is_wanted(code); });
    return found == codes.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - codes.begin()));
  };
  const auto has_subtags_of = [](const Subtags& code) {
    return [&code](const Subtags& other) {
      return other.script == code.script && other.region == code.region && other.others == code.others;
    };
  };
  if (const auto found = first(has_subtags_of(wanted))) {
    return found;
  }
  if (const auto found = find_in_same_script(codes, wanted)) {
    return found;
  }
  if (const auto found = first([](const Subtags& code) { return code.is_bare; })) {
    return found;
  }
  const auto only = first([](const Subtags&) { return true; });
  if (!wanted.is_bare || !only) {
    return std::nullopt;
  }
  const auto other = first([&](const Subtags& code) { return !has_subtags_of(codes[*only])(code); });
  return other ? std::nullopt : only;
}

}  // namespace

std::string usual_code(std::string_view code) {
  const auto language = without_subtags(code);
  const auto lower = ascii_lower(language);
  const auto usual = renamed(kOtherNames, lower);
  return usual == lower ? std::string(code) : std::string(usual).append(code.substr(language.size()));
}

std::string_view without_subtags(std::string_view code) { return code.substr(0, code.find_first_of("-_")); }

LanguageMatch compare_languages(std::string_view code, std::string_view other) {
  const auto a = spelled(code);
  const auto b = spelled(other);
  const auto language_a = without_subtags(a);
  const auto language_b = without_subtags(b);
  if (a.substr(language_a.size()) == b.substr(language_b.size()) && is_same_name(language_a, language_b)) {
    return LanguageMatch::kCode;
  }
  const auto of_norwegian = [](const std::string& name) { return name == "nn" || name == "nno" ? "no" : name; };
  return is_same_name(of_norwegian(main_language(code)), of_norwegian(main_language(other))) ? LanguageMatch::kLanguage
                                                                                             : LanguageMatch::kNone;
}

bool is_one_language(std::string_view code) {
  const auto language = ascii_lower(without_subtags(code));
  return is_language(language) && (language.size() == 2 || kGroups.find(language) == std::string_view::npos);
}

std::string main_language(std::string_view code) {
  const auto text = spelled(code);
  return std::string(renamed(kMainMembers, without_subtags(text)));
}

std::optional<std::size_t> find_language_code(std::span<const std::string> codes, std::string_view wanted) {
  const auto index_of = [&](auto found) { return static_cast<std::size_t>(found - codes.begin()); };
  const auto very = std::ranges::find(codes, wanted);
  if (very != codes.end()) {
    return index_of(very);
  }
  const auto same = std::ranges::find_if(
      codes, [&](const std::string& code) { return compare_languages(code, wanted) == LanguageMatch::kCode; });
  if (same != codes.end()) {
    return index_of(same);
  }
  const std::vector<Subtags> all(codes.begin(), codes.end());
  return find_nearest(all, Subtags(wanted));
}

}  // namespace translate
