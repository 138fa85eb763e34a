#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "segments/kept_spans.h"
#include "segments/mark_projection.h"
#include "segments/stand_ins.h"
#include "segments/text_edits.h"

namespace translate {

/// A name that a stand-in (see StandIns) stands for in what the model reads, or that is left out.
struct KeptName {
  TextMark range;        ///< of the stand-in in the text that is read; empty if the name is left out
  std::string stand_in;  ///< stands there once; empty if the name is left out
  std::string name;      ///< what the translation keeps, or has in its place
};

/// What a model reads in place of a segment with text to keep, and what it needs to get that text back.
struct TextToRead {
  std::string text;
  std::vector<TextEdit> edits;       ///< what makes it of the segment
  std::vector<KeptName> names;       ///< rising
  MarkTree marks;                    ///< tags and symbols, which are left out, by their places in the text
  std::vector<MarkText> mark_texts;  ///< those tags and symbols
};

/// Replaces the names of a segment by stand-ins, or leaves them out if there are no more of these; leaves out tags and
/// symbols. `annotations`: further edits of the segment, apart from what is kept.
[[nodiscard]] TextToRead text_to_read(std::string_view segment, const KeptText& kept, const StandIns& stand_ins,
                                      std::span<const TextEdit> annotations = {});

/// Returns the edits that put all that was kept into a translation of the text that was read, each once: a name in the
/// place of its stand-in; where the model has not copied that, in the place of a word that is aligned to it alone;
/// else, and if it was left out, behind the word that is aligned to the one in front of it. Tags and symbols follow the
/// alignment (project_marks). All texts are valid UTF-8.
[[nodiscard]] std::vector<TextEdit> restoring_edits(const TextToRead& read, std::string_view translation,
                                                    std::span<const AlignmentPoint> alignment);

}  // namespace translate
