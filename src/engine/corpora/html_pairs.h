#pragma once

#include <string>

namespace translate {

/// Converts both sides of a pair (lines of HTML, such as paragraphs of help pages) to what a model learns from. Tags
/// that both sides have, equally often by their names, become symbols for tags (tag_symbols), numbered by their places
/// in the source, as far as can_have_symbols allows; of equal names the first belongs to the first. If the sides have
/// different tags, all of them are left out. So are comments, empty elements (such as `<br>`) and the tags, but not the
/// text, of elements that are not translated (such as `<code>`). Character references become characters: numbers, and
/// of the names `amp`, `lt`, `gt`, `quot`, `apos` and `nbsp`; others stay.
void read_html(std::string& source, std::string& target);

}  // namespace translate
