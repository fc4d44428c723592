//! Words that the lexical retriever leaves out, and those that count for less in a prompt (SPEC 19.5).
#![expect(clippy::indexing_slicing, reason = "constant tables, indexed by what was made for their size")]

use crate::text::hangul;
use crate::text::stop_words::pack;

/// The words that say nothing about a subject, sorted; none is longer than eight bytes.
#[rustfmt::skip]
static STOP_WORDS: [&str; 147] = [
    "a", "about", "ain", "also", "am", "an", "and", "are", "aren", "arent", "as", "at", "be", "been", "being",
    "but", "by", "can", "cannot", "cant", "could", "couldn", "couldnt", "d", "did", "didn", "didnt", "do",
    "does", "doesn", "doesnt", "don", "dont", "else", "for", "from", "had", "hadn", "has", "hasn", "hasnt",
    "have", "haven", "havent", "having", "he", "her", "here", "hers", "him", "his", "how", "i", "id", "if",
    "ill", "im", "in", "into", "is", "isn", "isnt", "it", "its", "ive", "just", "lets", "ll", "m", "may",
    "me", "might", "mine", "must", "my", "no", "nor", "not", "of", "on", "or", "our", "ours", "out", "please",
    "pls", "plz", "re", "s", "shall", "she", "should", "shouldn", "shouldnt", "so", "t", "than", "that",
    "thats", "the", "their", "theirs", "them", "then", "there", "theres", "these", "they", "theyre", "this",
    "those", "to", "too", "up", "us", "ve", "very", "vs", "was", "wasn", "wasnt", "we", "were", "weren",
    "werent", "what", "whats", "when", "where", "which", "who", "whom", "whos", "whose", "why", "will",
    "with", "won", "wont", "would", "wouldn", "wouldnt", "yes", "you", "your", "youre", "yours",
];

/// Words that are seldom what a prompt is about, sorted.
#[rustfmt::skip]
static WEAK_WORDS: [&str; 328] = [
    "able", "actually", "after", "again", "against", "ago", "all", "almost", "along", "already", "although",
    "always", "another", "any", "anybody", "anymore", "anyone", "anything", "anyway", "around", "ask",
    "asked", "away", "back", "bad", "because", "before", "best", "better", "between", "big", "bit", "both",
    "bring", "call", "called", "came", "case", "cases", "clear", "clearly", "come", "comes", "coming",
    "complete", "completely", "couple", "current", "currently", "day", "days", "deal", "different", "doing",
    "done", "down", "during", "each", "easily", "easy", "either", "end", "enough", "even", "ever", "every",
    "everybody", "everyone", "everything", "exactly", "explain", "fact", "far", "few", "figure", "find",
    "fine", "first", "folks", "follow", "following", "found", "full", "further", "gave", "general", "get",
    "gets", "getting", "give", "given", "gives", "giving", "go", "goes", "going", "gone", "good", "got",
    "great", "guess", "guys", "half", "happen", "happened", "happening", "happens", "hard", "hello", "help",
    "hey", "hi", "hold", "however", "idea", "important", "instead", "involved", "itself", "keep", "keeps",
    "kept", "kind", "knew", "know", "known", "knows", "large", "last", "later", "least", "left", "less",
    "let", "like", "likely", "little", "long", "look", "looking", "looks", "lot", "lots", "made", "main",
    "mainly", "make", "makes", "making", "many", "matter", "maybe", "mean", "means", "mention", "might",
    "mind", "more", "most", "mostly", "much", "near", "necessary", "need", "needed", "needs", "never", "new",
    "next", "nice", "nobody", "normal", "normally", "note", "nothing", "now", "obvious", "off", "often", "oh",
    "ok", "okay", "old", "once", "one", "ones", "only", "oops", "other", "others", "otherwise", "outside",
    "over", "own", "part", "people", "perhaps", "person", "place", "point", "possible", "pretty", "previous",
    "previously", "probably", "put", "question", "questions", "quickly", "quite", "rather", "really",
    "reason", "recent", "recently", "related", "relevant", "remember", "run", "said", "same", "saw", "say",
    "says", "second", "see", "seem", "seems", "seen", "several", "show", "shows", "side", "similar", "simple",
    "simply", "since", "single", "small", "some", "somebody", "someone", "something", "sometimes", "soon",
    "sorry", "sort", "specific", "start", "started", "still", "stop", "stuff", "such", "suddenly", "supposed",
    "sure", "take", "takes", "taking", "talk", "talked", "tell", "telling", "thank", "thanks", "thing",
    "things", "think", "thought", "through", "time", "times", "today", "together", "told", "took", "toward",
    "towards", "tried", "true", "try", "trying", "turn", "two", "type", "types", "under", "understand",
    "unless", "until", "upon", "use", "used", "useful", "uses", "using", "usual", "usually", "various", "via",
    "wait", "want", "wanted", "wants", "way", "ways", "well", "went", "whatever", "whether", "while", "whole",
    "within", "without", "wonder", "wording", "work", "working", "works", "world", "worse", "worth", "wrong",
    "yeah", "year", "years", "yet",
];

const SLOTS: usize = 512;

/// The stop words as numbers, each in the first free slot from its own on.
static STOP_WORD_SLOTS: [u64; SLOTS] = {
    let mut slots = [0; SLOTS];
    let mut number = 0;
    while number < STOP_WORDS.len() {
        let packed = pack(STOP_WORDS[number].as_bytes());
        let mut slot = slot_of(packed);
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = packed;
        number += 1;
    }
    slots
};

/// Whether a word in lower case is a stop word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    if word.is_empty() || word.len() > 8 {
        return false;
    }
    let packed = pack(word.as_bytes());
    let mut slot = slot_of(packed);
    while STOP_WORD_SLOTS[slot] != 0 {
        if STOP_WORD_SLOTS[slot] == packed {
            return true;
        }
        slot = (slot + 1) % SLOTS;
    }
    false
}

/// Whether a word in lower case, or a run of Hangul, counts for less in a prompt.
pub(crate) fn is_weak_word(word: &str) -> bool {
    match word.chars().next() {
        Some('\u{ac00}'..='\u{d7a3}') => hangul::is_weak_word(word),
        _ => WEAK_WORDS.binary_search(&word).is_ok(),
    }
}

const fn slot_of(packed: u64) -> usize {
    (packed.wrapping_mul(0xc69d_4bd8_b3fa_7aa7) >> 55) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_word_is_found() {
        for word in STOP_WORDS {
            assert!(is_stop_word(word), "{word}");
            assert_eq!(is_stop_word(&format!("{word}x")), STOP_WORDS.contains(&format!("{word}x").as_str()));
        }
        assert!(!is_stop_word(""));
        assert!(!is_stop_word("deploy"));
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(STOP_WORDS.is_sorted() && WEAK_WORDS.is_sorted());
        assert!(is_weak_word("wonder") && !is_weak_word("cache"));
        assert!(is_weak_word("궁금해") && !is_weak_word("캐시") && !is_weak_word(""));
    }
}
