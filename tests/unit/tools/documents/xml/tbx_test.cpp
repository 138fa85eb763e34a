#include "documents/xml/tbx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "support/error_of.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using translate::testing::error_of;

/// A file of TBX 2, whose body begins in line 2.
std::string martif(const std::string& body) {
  return "<?xml version=\"1.0\"?><martif type=\"TBX\" xml:lang=\"en\"><martifHeader/><text><body>\n" + body +
         "</body></text></martif>";
}

/// A term in the simplest of the forms that TBX 2 has.
std::string tig(const std::string& term, const std::string& notes = "") {
  return "<tig><term>" + term + "</term>" + notes + "</tig>";
}

std::string note(const std::string& type, const std::string& value) {
  return "<termNote type=\"" + type + "\">" + value + "</termNote>";
}

std::string set_of(const std::string& language, const std::string& terms) {
  return "<langSet xml:lang=\"" + language + "\">" + terms + "</langSet>";
}

std::string entry(const std::string& content) { return "<termEntry>" + content + "</termEntry>\n"; }

std::vector<PlacedTerm> read(const std::string& bytes, const std::string& source = "en",
                             const std::string& target = "fr") {
  return read_term_base({.bytes = bytes, .name = "file", .source_language = source, .target_language = target});
}

/// The terms of a file of TBX 2, without their lines.
std::vector<GlossaryTerm> terms(const std::string& body, const std::string& source = "en",
                                const std::string& target = "fr") {
  std::vector<GlossaryTerm> found;
  for (const auto& [term, line] : read(martif(body), source, target)) {
    found.push_back(term);
  }
  return found;
}

std::string error(const std::string& bytes) {
  return error_of<DataError>([&] { (void)read(bytes); });
}

TEST(Tbx, Version2HasItsTermsInTigOrNtig) {
  const auto found = read("\xEF\xBB\xBF" +
                          martif("<termEntry id=\"c1\"><descrip type=\"subjectField\">animals</descrip>\n"
                                 "<langSet xml:lang=\"en\"><tig><term>dog</term></tig></langSet>\n"
                                 "<langSet xml:lang=\"fr\"><ntig><termGrp><term id=\"t\">chien</term></termGrp></ntig>"
                                 "</langSet></termEntry>\n") +
                          "\n");
  EXPECT_THAT(found, ElementsAre(PlacedTerm{.term = {"dog", "chien"}, .line = 3}));
}

TEST(Tbx, Version3HasItsTermsInTermSec) {
  const std::string file =
      "<?xml version='1.0' encoding='UTF-8'?>\n"
      "<!DOCTYPE tbx SYSTEM \"TBXcoreStructV03.dtd\">\n"
      "<tbx type=\"TBX-Basic\" style=\"dct\" xml:lang=\"en\" xmlns=\"urn:iso:std:iso:30042:ed-2\" xmlns:min=\"m\">\n"
      "<tbxHeader><fileDesc/></tbxHeader><text><body><conceptEntry id=\"1\">\n"
      "<langSec xml:lang=\"en\"><termSec><term>dog</term></termSec></langSec>\n"
      "<langSec xml:lang=\"fr\"><termSec><term>clebs</term>"
      "<min:administrativeStatus>deprecatedTerm-admn-sts</min:administrativeStatus></termSec>\n"
      "<termSec><term>chien</term></termSec></langSec></conceptEntry></body></text></tbx>";
  EXPECT_THAT(read(file), ElementsAre(PlacedTerm{.term = {"dog", "chien"}, .line = 5}));
}

TEST(Tbx, AllSourceTermsOfAConceptHaveTheFirstTarget) {
  EXPECT_THAT(terms(entry(set_of("fr", tig("voiture") + tig("auto")) + set_of("en", tig("car") + tig("motor car")) +
                          set_of("de", tig("Auto"))) +
                    entry(set_of("en", tig("tree")) + set_of("de", tig("Baum"))) +
                    entry(set_of("en", tig("house")) + set_of("fr", tig("maison")))),
              ElementsAre(GlossaryTerm{"car", "voiture"}, GlossaryTerm{"motor car", "voiture"},
                          GlossaryTerm{"house", "maison"}));
}

TEST(Tbx, APreferredTargetComesFirst) {
  for (const auto& [type, value] : {std::pair("administrativeStatus", "preferredTerm-admn-sts"),
                                    std::pair("normativeAuthorization", "preferredTerm")}) {
    EXPECT_THAT(terms(entry(set_of("en", tig("car")) + set_of("fr", tig("auto") + tig("voiture", note(type, value))))),
                ElementsAre(GlossaryTerm{"car", "voiture"}));
  }
  EXPECT_THAT(terms(entry(set_of("en", tig("car")) +
                          set_of("fr", tig("auto") + tig("voiture", note("partOfSpeech", "preferredTerm"))))),
              ElementsAre(GlossaryTerm{"car", "auto"}));
}

TEST(Tbx, ForbiddenTermsAreNoTargets) {
  for (const auto* status : {"deprecatedTerm-admn-sts", "deprecatedTerm", "supersededTerm-admn-sts", "forbidden"}) {
    const auto bad = tig("bagnole", "<termNoteGrp>" + note("administrativeStatus", status) + "</termNoteGrp>");
    EXPECT_THAT(terms(entry(set_of("en", tig("car")) + set_of("fr", bad + tig("auto")))),
                ElementsAre(GlossaryTerm{"car", "auto"}))
        << status;
    EXPECT_THAT(terms(entry(set_of("en", tig("car")) + set_of("fr", bad)) +
                      entry(set_of("en", tig("a")) + set_of("fr", tig("b")))),
                ElementsAre(GlossaryTerm{"a", "b"}))
        << status;
  }
  // Texts may have them all the same.
  EXPECT_THAT(terms(entry(set_of("en", tig("automobile", note("administrativeStatus", "deprecatedTerm-admn-sts"))) +
                          set_of("fr", tig("auto")))),
              ElementsAre(GlossaryTerm{"automobile", "auto"}));
}

TEST(Tbx, LanguagesMatchByTheirPrimarySubtag) {
  const auto colours = entry(set_of("en-US", tig("color")) + set_of("EN_gb", tig("colour")) +
                             set_of("pt-PT", tig("de Portugal")) + set_of("pt-BR", tig("do Brasil")));
  EXPECT_THAT(terms(colours, "en", "pt"),
              ElementsAre(GlossaryTerm{"color", "de Portugal"}, GlossaryTerm{"colour", "de Portugal"}));
  EXPECT_THAT(terms(colours, "en-AU", "pt_BR"),
              ElementsAre(GlossaryTerm{"color", "do Brasil"}, GlossaryTerm{"colour", "do Brasil"}));
  EXPECT_THAT(
      terms("<termEntry><langSet lang=\"en\">" + tig("a") + "</langSet>" + set_of("fr", tig("b")) + "</termEntry>"),
      ElementsAre(GlossaryTerm{"a", "b"}));
}

TEST(Tbx, MarkupAndLineEndsInATermDoNotCount) {
  EXPECT_THAT(terms(entry(set_of("en", tig("\n   AT&amp;T <hi type=\"x\">dog</hi>\r\n\thouse <!-- c --> ")) +
                          set_of("fr", tig("<![CDATA[niche <1>]]>")))),
              ElementsAre(GlossaryTerm{"AT&T dog house", "niche <1>"}));
}

TEST(Tbx, AFileWithoutConceptsHasNoTerms) { EXPECT_THAT(terms(""), IsEmpty()); }

TEST(Tbx, ErrorsNameTheLine) {
  EXPECT_EQ(error("dog\tchien\n"), "file: line 1: not well-formed XML: syntax error");
  EXPECT_EQ(error(martif("<termEntry>\n<langSet></termEntry>")), "file: line 3: not well-formed XML: mismatched tag");
  for (const auto* file : {"<tmx><body/></tmx>", "<martif/>", "<martif><text/></martif>", "<TBX><body/></TBX>",
                           "<x><text><body/></text></x>"}) {
    EXPECT_EQ(error(file), "file: line 1: expected TBX: <martif> or <tbx>, with a <text> that has a <body>");
  }
  EXPECT_EQ(error(martif(entry("\n<langSet>" + tig("a") + "</langSet>"))),
            "file: line 3: <langSet> has no xml:lang; expected the language of its terms, such as \"en\"");
  EXPECT_EQ(error(martif(entry(set_of("en", "\n\n<tig></tig>")))),
            "file: line 4: <tig> has no <term>; expected one with the text of a term");
  EXPECT_EQ(error(martif(entry(set_of("en", tig("a")) + "\n" + set_of("fr", tig(" "))))),
            "file: line 3: the target term is empty; correct or remove this <term>");
  EXPECT_EQ(error(martif(entry(set_of("en", tig(std::string(1001, 'a'))) + "\n" + set_of("fr", tig("b"))))),
            "file: line 2: the source term has 1001 bytes; expected at most 1000; correct or remove this <term>");
  EXPECT_EQ(error(martif(entry(set_of("en", tig("a")) + set_of("de", tig("b"))) +
                         entry(set_of("it", tig("a")) + set_of("fr", tig("b"))))),
            "file: no concept has a term in en and one in fr that may be used; the file has terms in de, en, fr, it; "
            "expected both languages of the model");
  EXPECT_EQ(error("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><martif/>"),
            "file: line 1: declares the encoding ISO-8859-1; convert the file to UTF-8, and say so there");
  EXPECT_EQ(error(martif("\xE9")), "file: line 2: not UTF-8; convert the file, for instance with iconv -t UTF-8");
}

TEST(Tbx, EntitiesAreNeitherDefinedNorFetched) {
  EXPECT_EQ(error("<!DOCTYPE martif [\n<!ENTITY a \"b\">]>" + martif("").substr(21)),
            "file: line 2: defines the entity a; files that define entities are not read");
  EXPECT_EQ(
      error("<!DOCTYPE martif SYSTEM \"http://127.0.0.1/x.dtd\">" + martif(entry(set_of("en", tig("&x;")))).substr(21)),
      "file: line 2: the entity &x; is not one of XML's own; expected the character itself");
}

TEST(Tbx, BothLanguagesMustBeKnown) {
  const auto refusal = [](const std::string& source, const std::string& target) {
    return error_of<ConfigError>([&] { (void)read(martif(""), source, target); });
  };
  EXPECT_THAT(refusal("", "fr"), ::testing::StartsWith("file: TBX needs to know both languages, and the model names no "
                                                       "source language; expected a model that names them"));
  EXPECT_THAT(refusal("en", ""), ::testing::HasSubstr("no target language"));
}

}  // namespace
}  // namespace translate::tools
