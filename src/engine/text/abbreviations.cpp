#include "text/abbreviations.h"

#include <algorithm>
#include <cctype>

namespace translate {

namespace {

constexpr Abbreviations kNone{Abbreviations::Lists{}};

constexpr Abbreviations kEnglish{Abbreviations::Lists{
    .never_end = "mr mrs ms messrs dr prof rev hon mt gen col maj capt cmdr lt sgt cpl adm gov sen rep pres supt "
                 "insp msgr e.g eg i.e ie viz cf vs approx ca",
    .sometimes_end =
        "etc al st ste inc ltd corp co bros jr sr ph.d dept univ assoc ave blvd rd hwy ft a.m p.m est min max jan "
        "feb apr aug sept oct nov dec",
    .before_number =
        "no nos vol vols fig figs eq eqs sec secs ch chap p pp art op v jan feb mar apr jun jul aug sep sept "
        "oct nov dec",
    .beginnings =
        "the a an this that these those there here he she it we they you i his her its our their my your what "
        "when where who why how if in on at as after before while for from with but and or so then now no "
        "not yes don didn doesn isn however although because since unless until every everyone everything each all "
        "some most "
        "many both another nobody nothing please let do does did can could will would should have has is "
        "are was were next later today yesterday tomorrow",
    .before_number_ending = "",
    .ordinals = false}};

constexpr Abbreviations kFrench{Abbreviations::Lists{
    .never_end =
        "m mm mme mmes mlle mlles dr drs pr me mgr st ste sts stes cf vs env approx p.ex ex c.-à-d c-à-d i.e ca "
        "apr bd boul éd éds gén lt cdt réf tél n.b",
    .sometimes_end =
        "etc prof av hab cie inc ltd janv févr avr juil sept oct nov déc min max ch dir adj suppl s.a s.a.r.l",
    .before_number = "p pp vol fig art chap t no nos al v",
    .beginnings =
        "le la les l' un une des du il elle ils elles on nous vous je j' tu ce cet cette ces c' ça cela mais et ou "
        "donc car or pour dans en à au aux sur sous chez avec sans par si s' quand lorsque puis ensuite alors "
        "son sa ses mon ma mes ton ta tes leur leurs notre nos votre vos qui que qu' quoi quel quelle quels "
        "quelles pourquoi comment où combien après avant depuis pendant cependant pourtant ainsi aussi comme "
        "tout tous toute toutes chaque plusieurs certains personne rien ne n' d' y est aujourd' hier demain "
        "maintenant merci oui non",
    .before_number_ending = "",
    .ordinals = false}};

constexpr Abbreviations kGerman{Abbreviations::Lists{
    .never_end =
        "hr hrn fr frl dr prof dipl ing dipl.-ing dr.-ing dr.-med med phil jur rer nat h.c mag st bzw ca vgl evtl "
        "ggf ggfs inkl exkl zzgl abzgl bspw sog nr nrn tel z.b z d.h d u.a u v.a i.d.r i o zw geb gest verh "
        "dt engl frz ital lat griech ev kath allg ehem mind höchst jährl monatl u.u z.t s.o s.u m.e gegr a.d abs "
        "art abb tab bd kap ziff hrsg aufl anm str.-nr vs lt gem v n a b.d v.chr n.chr",
    .sometimes_end =
        "usw etc usf u.ä o.ä ä co jan feb mrz apr jun jul aug sep sept okt nov dez mio mrd tsd std min sek max "
        "str jh jhd jhdt jahrh chr pkt r",
    .before_number = "s",
    .beginnings =
        "der die das den dem des ein eine einen einem einer er sie es wir ihr ich du man in im am an auf aus bei "
        "beim mit nach von vom vor zu zum zur für über unter um durch gegen ohne seit bis aber und oder doch "
        "denn sondern wenn als ob dass weil obwohl da dann danach so also dies diese dieser dieses diesen "
        "jede jeder jedes alle sein seine seinen ihre ihren mein meine meinen dein deine unser unsere euer "
        "was wie wo wer wen wem wann warum wieso welche welcher welches nicht nichts niemand kein keine auch "
        "nun jetzt heute gestern morgen hier dort dabei dafür damit daher deshalb trotzdem leider bitte ist "
        "sind war waren hat haben kann können soll ja nein",
    .before_number_ending = "str",
    .ordinals = true}};

/// True if `word` is one of the words of `list`.
bool holds(std::string_view list, std::string_view word) {
  while (!word.empty() && !list.empty()) {
    const auto end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) {
      return true;
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool begins_with_digit(std::string_view word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
}

}  // namespace

bool Abbreviations::joins(const StoppedWord& word, std::string_view next) const {
  if (empty()) {
    return false;
  }
  if (holds(lists_.never_end, word.text)) {
    return true;
  }
  const auto& ending = lists_.before_number_ending;
  if (begins_with_digit(next) &&
      (holds(lists_.before_number, word.text) || (!ending.empty() && word.text.ends_with(ending)))) {
    return true;
  }
  const bool may_go_on =
      word.is_initial || (word.is_short_number && lists_.ordinals) || holds(lists_.sometimes_end, word.text);
  return may_go_on && !is_beginning(next);
}

bool Abbreviations::is_beginning(std::string_view word) const {
  const auto without_apostrophe = word.substr(0, word.size() - (word.ends_with('\'') ? 1 : 0));
  return holds(lists_.beginnings, word) || holds(lists_.beginnings, without_apostrophe);
}

const Abbreviations& abbreviations_of(std::string_view language) {
  const auto code = language.substr(0, language.find_first_of("-_"));
  const auto is = [code](std::string_view name) {
    return std::ranges::equal(code, name,
                              [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  };
  if (is("en")) {
    return kEnglish;
  }
  if (is("fr")) {
    return kFrench;
  }
  return is("de") ? kGerman : kNone;
}

}  // namespace translate
