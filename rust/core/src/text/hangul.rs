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

/// Words that are seldom what a prompt is about, sorted.
#[rustfmt::skip]
static WEAK_WORDS: [&str; 92] = [
    "가끔", "가장", "각각", "갑자기", "거야", "거의", "거죠", "거지", "건", "걸", "것도", "것들", "것은", "것을", "것이", "게", "계속",
    "그걸", "그게", "그냥", "근데", "까닭", "꼭", "나중", "내일", "너무", "다들", "다음", "두", "따로", "때마다", "때문", "떠요", "뜨는데",
    "마지막", "매우", "먼저", "모두", "모든", "바로", "방금", "방법", "번", "벌써", "보통", "부분", "부탁", "빨리", "사용한", "새로", "새로운",
    "서로", "아까", "아마", "아주", "아직", "약간", "여러", "오늘", "와서", "왜요", "왜죠", "왜지", "원래", "이걸", "이게", "이미", "이번",
    "이유", "이제", "일단", "자주", "저번", "전부", "점", "정도", "정말", "제대로", "제일", "조금", "줄", "지난", "지난번", "진짜", "처음",
    "최근", "하나", "하자", "함께", "항상", "해", "혹시",
];

/// What the forms of such words begin with, sorted.
#[rustfmt::skip]
static WEAK_BEGINNINGS: [&str; 162] = [
    "가능", "가져", "갔", "같", "괜찮", "궁금", "그거", "그것", "그랬", "그러", "그런", "그렇", "나오", "나온", "나와", "나왔", "넣", "누가",
    "누구", "다르", "다른", "돌려", "돌리", "돌아", "돼", "됐", "되게", "되고", "되나", "되냐", "되는", "되니", "되도록", "되려", "되면",
    "되어", "되었", "되지", "될", "됩", "만드", "만든", "만들", "많", "말하", "말해", "맞나", "맞는", "맞아", "맞죠", "맞지", "몇", "모르",
    "몰라", "무슨", "무엇", "뭐", "뭔", "뭘", "뭣", "보여", "보이게", "보이는", "봐", "봤", "사용하", "사용할", "사용해", "사용했", "생각",
    "생겨", "생겼", "생긴", "설명하", "설명해", "쉬운", "쉽", "시작", "싶", "써도", "써서", "써야", "썼", "쓰나", "쓰는", "쓰면", "쓰지",
    "쓸지", "않", "알겠", "알려", "알아", "알았", "알지", "어느", "어디", "어떡", "어떤", "어떻", "어렵", "어째", "어찌", "언제", "얼마",
    "없고", "없나", "없는", "없다", "없어", "없었", "없으", "없을", "없이", "없지", "왔", "이거", "이것", "이랬", "이런", "이렇", "이상하",
    "이상한", "이상해", "있", "저거", "저것", "저런", "저렇", "좋", "주세요", "줘", "줬", "찾", "필요", "하게", "하고", "하기", "하냐",
    "하는", "하니", "하던", "하도록", "하려", "하며", "하면", "하세", "한다", "한번", "할게", "할까", "할지", "합니", "합시", "해도", "해보",
    "해봐", "해서", "해야", "해요", "해주", "해줘", "했",
];

/// Syllables of the longest ending.
const LONGEST: usize = 5;

/// Bytes of a syllable.
const SYLLABLE: usize = 3;

/// Whether a word says nothing about a subject.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Whether a run of syllables, perhaps with an ending, counts for less in a prompt.
pub(crate) fn is_weak_word(run: &str) -> bool {
    let is_listed = |word: &str| WEAK_WORDS.binary_search(&word).is_ok();
    WEAK_BEGINNINGS.iter().any(|beginning| run.starts_with(beginning)) || is_listed(run) || is_listed(strip_ending(run))
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
    fn a_weak_word_counts_with_its_endings_and_forms() {
        assert!(["방법", "방법을", "뭐였더라", "있었는데", "하나"].into_iter().all(is_weak_word));
        assert!(!["이미지", "하나은행", "되돌리기", "사용자", "알고리즘"].into_iter().any(is_weak_word));
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(ENDINGS.is_sorted() && STOP_WORDS.is_sorted());
        assert!(WEAK_WORDS.is_sorted() && WEAK_BEGINNINGS.is_sorted());
        assert_eq!(ENDINGS.iter().map(|ending| ending.chars().count()).max(), Some(LONGEST));
    }
}
