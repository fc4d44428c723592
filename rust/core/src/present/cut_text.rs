//! Cuts a text that does not fit into a block (SPEC 39.3).

use crate::memory::gist::{WIDE_CLOSERS, WIDE_ENDS, ends_sentence};

/// The whole sentences, and the whole items of a list, within the first `limit` characters of a line. If there are none,
/// the whole words, with an ellipsis; empty if not even one word fits.
pub(crate) fn cut_sentences(line: &str, limit: usize) -> String {
    let fitting = line.char_indices().nth(limit).map_or(line.len(), |(end, _)| end);
    let (mut sentences, mut words, mut place) = (0, 0, 0);
    for word in line.split(' ') {
        let end = place + word.len();
        for (at, wide) in word.char_indices().filter(|(_, char)| WIDE_ENDS.contains(char)) {
            let after = word.get(at + wide.len_utf8()..).unwrap_or_default();
            let closer = after.chars().next().filter(|char| WIDE_CLOSERS.contains(char)).map_or(0, char::len_utf8);
            let end = place + at + wide.len_utf8() + closer;
            sentences = if end <= fitting { end } else { sentences };
        }
        if end > fitting {
            break;
        }
        words = end;
        if ends_sentence(word) || word.ends_with(';') {
            sentences = end;
        }
        place = end + 1;
    }
    let begin = |end: usize| line.get(..end).unwrap_or_default();
    match (begin(sentences), begin(words).trim_end_matches(' ')) {
        ("", "") => String::new(),
        ("", words) => format!("{words} …"),
        (sentences, _) => sentences.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::cut_sentences;

    #[test]
    fn a_text_is_cut_behind_a_sentence_or_an_item() {
        let line = "  steps: Stop it, e.g. now. Wait; then purge";
        let cuts = [
            (100, "  steps: Stop it, e.g. now. Wait;"),
            (32, "  steps: Stop it, e.g. now."),
            (20, "  steps: Stop it, …"),
        ];
        for (limit, wanted) in cuts {
            assert_eq!(cut_sentences(line, limit), wanted);
        }
        assert_eq!(cut_sentences("규칙: 하나。둘셋", 7), "규칙: 하나。");
        assert_eq!(cut_sentences("  abcdefgh", 5), "");
    }
}
