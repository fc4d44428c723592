//! Korean words without their particles and endings (SPEC 19.4).

/// Particles and endings, sorted.
#[rustfmt::skip]
static ENDINGS: [&str; 130] = [
    "가", "과", "과의", "까지", "까지는", "는", "도", "돼서", "돼야", "됐나요", "됐는데", "됐다", "됐습니다",
    "되거나", "되게", "되고", "되나요", "되는", "되다", "되도록", "되려면", "되면", "되어", "되었다",
    "되었습니다", "되지", "되지만", "된", "된다", "될", "됨", "됩니까", "됩니다", "들", "들에", "들은",
    "들을", "들의", "들이", "라고", "라는", "라도", "로", "로는", "로도", "로만", "를", "마다", "만", "보다",
    "부터", "부터는", "에", "에게", "에는", "에도", "에만", "에서", "에서는", "에서도", "에서만", "에서의",
    "에선", "와", "와의", "요", "으로", "으로는", "으로도", "으로만", "은", "을", "의", "이", "이고", "이나",
    "이라고", "이라는", "이라도", "이란", "이며", "이야", "인가요", "인데", "인지", "입니다", "처럼",
    "하거나", "하게", "하겠습니다", "하고", "하기", "하나요", "하는", "하다", "하던", "하도록", "하려고",
    "하려면", "하며", "하면", "하세요", "하여", "하였습니다", "하지", "하지만", "한", "한다", "한테", "할",
    "할까", "할까요", "할때", "할지", "함", "합니까", "합니다", "해서", "해야", "해주세요", "해줘", "했나요",
    "했는데", "했다", "했던", "했습니다", "했어", "했었다", "했을", "했지만",
];

/// Words that say nothing about a subject, sorted.
#[rustfmt::skip]
static STOP_WORDS: [&str; 119] = [
    "가", "같아", "같은", "거", "거기", "것", "경우", "과", "관련", "그", "그거", "그건", "그것", "그래서",
    "그런데", "그럼", "그리고", "까지", "나는", "내가", "누가", "는", "다", "다시", "대한", "대해", "더",
    "도", "되나요", "되는", "되는지", "되면", "된", "될", "들", "등", "때", "또", "또는", "로", "를", "만",
    "못", "무슨", "무엇", "뭐", "뭘", "및", "보다", "부터", "수", "안", "어디", "어디서", "어떤", "어떻게",
    "언제", "얼마나", "없나", "없는", "없다", "없어", "에", "에게", "에서", "여기", "와", "왜", "요", "우리",
    "우리가", "위한", "위해", "으로", "은", "을", "의", "이", "이거", "이건", "이것", "인가요", "입니다",
    "있나", "있나요", "있는", "있다", "있습니다", "있어", "있어요", "있을까", "잘", "저", "저거", "제가",
    "좀", "지금", "처럼", "하고", "하기", "하나요", "하는", "하는지", "하려면", "하면", "하지", "하지만",
    "한", "할", "할까", "할까요", "합니다", "해서", "해야", "해주세요", "해줘", "했나요", "했지", "혹은",
];

/// Syllables of the longest ending.
const LONGEST: usize = 5;

/// Bytes of a syllable.
const SYLLABLE: usize = 3;

/// Whether a word says nothing about a subject.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// The word, of syllables alone, without the longest ending of the table that leaves two of them.
pub(crate) fn strip_ending(word: &str) -> &str {
    let syllables = word.len() / SYLLABLE;
    for length in (1..=LONGEST.min(syllables.saturating_sub(2))).rev() {
        match word.split_at_checked(word.len() - length * SYLLABLE) {
            Some((rest, ending)) if ENDINGS.binary_search(&ending).is_ok() => return rest,
            _ => {}
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_goes_where_two_syllables_stay() {
        assert_eq!(strip_ending("데이터베이스를"), "데이터베이스");
        assert_eq!(strip_ending("배포하려면"), "배포");
        assert_eq!(strip_ending("키를"), "키를");
        assert_eq!(strip_ending("배포"), "배포");
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(ENDINGS.is_sorted() && STOP_WORDS.is_sorted());
        assert_eq!(ENDINGS.iter().map(|ending| ending.chars().count()).max(), Some(LONGEST));
    }
}
