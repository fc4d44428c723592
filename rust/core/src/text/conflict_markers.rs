//! Recognises a file that a merge of git has left in conflict (SPEC 13.4).

/// Whether a file has the conflict markers of a merge: lines that begin with `<<<<<<<` and with `>>>>>>>`, each followed
/// by a blank, a carriage return or the line's end.
#[must_use]
pub fn has_conflict_markers(data: &[u8]) -> bool {
    let is_marked = |mark: &[u8]| {
        data.split(|byte| *byte == b'\n')
            .filter_map(|line| line.strip_prefix(mark))
            .any(|rest| matches!(rest.first(), None | Some(b' ' | b'\r')))
    };
    is_marked(b"<<<<<<<") && is_marked(b">>>>>>>")
}

#[cfg(test)]
mod tests {
    use super::has_conflict_markers;

    #[test]
    fn both_sides_must_be_marked_at_the_beginning_of_a_line() {
        assert!(has_conflict_markers(b"{\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> topic\n}\n"));
        assert!(has_conflict_markers(b"<<<<<<<\r\n=======\r\n>>>>>>>"));
        assert!(!has_conflict_markers(b"<<<<<<< HEAD\n1\n=======\n2\n"));
        assert!(!has_conflict_markers(b"\"<<<<<<< HEAD\n >>>>>>> topic\n"));
        assert!(!has_conflict_markers(b"<<<<<<<<<<\n>>>>>>>>>>\n"));
        assert!(!has_conflict_markers(b""));
    }
}
