// The readers of documents and of term bases that the engine has with this layer linked beside it.

#include <span>
#include <vector>

#include "documents/html/html_document.h"
#include "documents/office/office_document.h"
#include "documents/prose/markdown.h"
#include "documents/prose/subtitles.h"
#include "documents/strings/json_strings.h"
#include "documents/strings/po_catalog.h"
#include "documents/strings/table.h"
#include "documents/strings/yaml_strings.h"
#include "documents/xml/android_strings.h"
#include "documents/xml/tbx.h"
#include "documents/xml/tmx.h"
#include "documents/xml/xliff.h"
#include "segments/document_formats.h"
#include "segments/term_base.h"

// The engine's function (segments/document_formats.h), which has no readers where this file is not linked.
std::span<const translate::DocumentReader> translate::linked_documents() {
  static const std::vector<DocumentReader> readers = {{.format = "html", .read = tools::read_html_document},
                                                      {.format = "android", .read = tools::read_android_strings},
                                                      {.format = "xliff", .read = tools::read_xliff},
                                                      {.format = "tmx", .read = tools::read_tmx},
                                                      {.format = "json", .read = tools::read_json_strings},
                                                      {.format = "yaml", .read = tools::read_yaml_strings},
                                                      {.format = "po", .read = tools::read_po_catalog},
                                                      {.format = "csv", .read = tools::read_csv_table},
                                                      {.format = "tsv", .read = tools::read_tsv_table},
                                                      {.format = "srt", .read = tools::read_srt},
                                                      {.format = "vtt", .read = tools::read_webvtt},
                                                      {.format = "markdown", .read = tools::read_markdown},
                                                      {.format = "odt", .read = tools::read_odt},
                                                      {.format = "docx", .read = tools::read_docx}};
  return readers;
}

// The engine's function (segments/term_base.h), which returns null where this file is not linked.
translate::TermBaseReader translate::linked_term_base_reader() { return tools::read_tbx; }
