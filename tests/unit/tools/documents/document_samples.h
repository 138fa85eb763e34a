#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/zip_of.h"

namespace translate::tools {

/// A text of OpenDocument with this body.
inline std::string odt_of(const std::string& body) {
  return zip_of({{"mimetype", "application/vnd.oasis.opendocument.text"},
                 {"content.xml", "<office:document-content xmlns:office=\"o\" xmlns:text=\"t\">" + body +
                                     "</office:document-content>"},
                 {"meta.xml", "<x/>"}});
}

/// A document of Word with this body.
inline std::string docx_of(const std::string& body) {
  return zip_of({{"[Content_Types].xml", "<Types/>"},
                 {"word/document.xml", "<w:document xmlns:w=\"w\"><w:body>" + body + "</w:body></w:document>"},
                 {"word/media/image1.png", std::string("\x89PNG\0", 5)}});
}

/// Files of each format, for tests of what all formats have in common.
inline const std::map<std::string, std::vector<std::string>>& document_samples() {
  static const std::map<std::string, std::vector<std::string>> samples = {
      {"html",
       {"<!DOCTYPE html>\n<html>\n<head><meta name=description content='A &amp; b'><title>The page</title></head>\n"
        "<body><h1 title=\"A &quot;b&quot;\">Head &eacute;</h1>\r\n<p>The <b>cat</b>\n sat on <a href='x?a=1&b=2' "
        "title=Cats>the  mat</a>.<br>\n<img alt=\"An image\" src=x> <code>x = 1</code></p><!-- no -->\n"
        "<input placeholder='It&#39;s'><p translate=no title='no'>no</p></body></html>\n",
        "Just &lt;text&gt;", ""}},
      {"markdown",
       {"---\ntitle: x\n---\n# A *big* title #\n\nSome text with `code`, **bold and _both_** and a [link](http://x.y "
        "\"t\")\nover two lines.  \nAfter a break\\\nand another.\n\n> A quotation that\n> goes on\n\n- one\n- two\n  "
        "lines\n    1. three\n\n```c\nint x;\n```\n\n    indented code\n\n| A | B |\n|---|:-:|\n| c | `d|e` |\n| f \\| "
        "g "
        "| |\n\nSetext title\n---\n\n![An image](x.png) text <b>tag</b> &copy; 2 * 3 snake_case [label] [^1]\n\n"
        "[label]: http://z\n[^1]: A note\n\n<div>\nhtml\n</div>\n\n***\n- [ ] a task\r\n",
        "a **b *c* d** e*f*g _h_ i_j_k ~~l~~ \\*m\\* <http://x.y> n\n", "1. one\n\n   more\n2. two\n\t- three\n", ""}},
      {"srt",
       {"1\n00:00:01,000 --> 00:00:02,000\nHello, this is\n\n2\n00:00:02,100 --> 00:00:03,000\n<i>one sentence</i>.\n\n"
        "3\n00:00:09,000 --> 00:00:10,000\n- You?\n- Me.\n\n4\n00:00:11,000 --> 00:00:12,000\n{\\an8}The end\n",
        "1\r\n00:00:01,000 --> 00:00:02,000 X1:1\r\nA long line of text that is longer than it may be\r\nand "
        "more\r\n\r\n",
        ""}},
      {"vtt",
       {"WEBVTT - title\n\nSTYLE\n::cue { color: red }\n\nNOTE a note\n\nid\n00:01.000 --> 00:02.000 align:start\n<v "
        "Bob>Tom &amp; Bob <c.x>are</c> here\n\n00:02.000 --> 00:03.000\nand <00:02.500>there.\n"}},
      {"json",
       {"{\n  \"a\": \"The cat\",\n  \"b\": [\"one\\ntwo\", {\"c\": \"caf\\u00e9 \\ud83d\\ude00 \\\"q\\\" \\/\"}, 1, "
        "null],\n  \"@a\": {\"description\": \"no\"}, \"d\": \"a <b>tag</b> here\", \"e\": \"\"\n}\n",
        "{\"x\": {\"message\": \"Hello\", \"description\": \"no\"}}", "\"text\"", "[]"}},
      {"yaml",
       {"en:\n  title: The cat\n  \"quoted key\": \"A \\\"b\\\" caf\\u00e9\"\n  single: 'It''s here' # comment\n  "
        "list: [a "
        "cat, 'b', 3, true]\n  literal: |\n    Line one\n    line two\n\n    line three\n  folded: >-\n    Folded "
        "text\n   "
        " goes on\n\n    again\n  plain: goes on\n    and on\n  n: 12\n  x: &id Anchor text\n  y: *id\n  é: accent "
        "ünder\n",
        "--- one\n--- two\n...\n", "# only a comment\n"}},
      {"po",
       {"# Title\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n#: a.c:1\n#, "
        "c-format\nmsgid "
        "\"The cat\"\nmsgstr \"\"\n\nmsgctxt \"menu\"\nmsgid \"\"\n\"Two \\\"lines\\\"\\n\"\n\"of text\"\nmsgstr "
        "\"\"\n\n"
        "msgid \"one file\"\nmsgid_plural \"many files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\nmsgid \"done\"\nmsgstr "
        "\"fait\"\n\n#~ msgid \"old\"\n#~ msgstr \"\"\n"}},
      {"android",
       {"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<resources xmlns:xliff=\"urn:x\">\n  <!-- a -->\n  <string "
        "name=\"a\">The <b>cat</b> didn\\'t &amp; won\\'t</string>\n  <string name=\"b\" "
        "translatable=\"false\">no</string>\n  <string name=\"c\">@string/a</string>\n  <string-array name=\"d\">\n    "
        "<item>one</item>\n    <item>\"two  \"</item>\n  </string-array>\n  <plurals name=\"e\"><item "
        "quantity=\"one\">a file</item><item quantity=\"other\">files of <xliff:g "
        "id=\"n\">%d</xliff:g></item></plurals>\n "
        " <string name=\"f\">First\\nSecond \\u00e9 \\@</string>\n</resources>\n"}},
      {"xliff",
       {"<?xml version=\"1.0\"?>\n<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\">\n<file "
        "original=\"a\" source-language=\"en\" datatype=\"plaintext\"><body>\n  <trans-unit id=\"1\">\n    <source>The "
        "<g "
        "id=\"1\">cat</g> sat<x id=\"2\"/> &amp; slept.</source>\n  </trans-unit>\n  <trans-unit id=\"2\">\n    "
        "<source>A <bpt id=\"1\">&lt;b></bpt>dog<ept id=\"1\">&lt;/b></ept></source>\n    <target "
        "state=\"new\"/>\n    <note>n</note>\n  </trans-unit>\n  <trans-unit id=\"3\" "
        "translate=\"no\"><source>no</source></trans-unit>\n</body></file></xliff>\n",
        "<xliff version=\"2.0\" srcLang=\"en\"><file id=\"a\"><unit id=\"1\">\n<segment "
        "id=\"s\">\n<source>The <pc id=\"1\">cat</pc> <ph id=\"2\"/>sat</source>\n</segment>\n</unit></file></xliff>"}},
      {"tmx",
       {"<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\"><header "
        "srclang=\"en\"/><body>\n<tu>\n  <tuv xml:lang=\"EN-us\"><seg>The <hi>cat</hi><ph>&lt;br></ph> "
        "sat</seg></tuv>\n</tu>\n<tu><tuv xml:lang=\"en\"><seg>A dog</seg></tuv><tuv "
        "xml:lang=\"fr\"><seg/></tuv></tu>\n</body></tmx>\n"}},
      {"csv", {"a;b\r\n\"The \"\"cat\"\"\";x\r\nplain, text;y\r\n\"two\nlines\";z", "x,\ny,1\n\n"}},
      {"tsv", {"The cat\tx\n\"quoted\ttab\"\ty\n", ""}},
      {"odt",
       {odt_of("<text:h>A heading</text:h><text:p>The <text:span text:style-name=\"T1\">red</text:span> "
               "cat<text:line-break/>sat<text:note><text:p>no</text:p></text:note>.</text:p><text:p/>"),
        odt_of("")}},
      {"docx",
       {docx_of("<w:p><w:pPr><w:b/></w:pPr><w:r w:rsidR=\"1\"><w:t>The </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t "
                "xml:space=\"preserve\">red cat</w:t></w:r><w:r><w:t xml:space=\"preserve\"> "
                "sat</w:t><w:br/><w:t>there.</w:t></w:r></w:p><w:p/><w:tbl><w:p><w:r><w:t>A &amp; "
                "B</w:t></w:r></w:p></w:tbl>")}}};
  return samples;
}

}  // namespace translate::tools
