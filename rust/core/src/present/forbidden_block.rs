//! Packs the memories that forbid an act of the agent: each is led in by a sentence that names the act (SPEC 40.4).

use crate::memory::forbids::{ForbidKind, split_forbid};
use crate::present::packing::{FOOTER, HEADER, PackItem, Packed, pack, shown};
use crate::text::token_estimate::estimate_tokens;

/// The maximal number of characters of the forbidden text in the sentence.
const MAX_NAMED_CHARS: usize = 80;

/// Packs memories that forbid an act, each behind its sentence, and then others, into a block within both budgets. The
/// outcomes are those of `forbidding` and then those of `others`.
///
/// `entries` has for each memory of `forbidding` the entry that the act breaks. `is_over` says whether the tool has run.
#[must_use]
pub fn pack_forbidden(
    (forbidding, entries): (&[PackItem], &[String]),
    others: &[PackItem],
    is_over: bool,
    (max_tokens, budget_chars): (usize, usize),
) -> Packed {
    let frame = estimate_tokens(HEADER) + estimate_tokens(FOOTER);
    let (mut tokens, mut chars) = (max_tokens, budget_chars);
    let (mut body, mut outcomes, mut used) = (String::new(), Vec::new(), frame);
    let groups = forbidding.iter().zip(entries).map(|(item, entry)| (std::slice::from_ref(item), lead(entry, is_over)));
    for (items, lead) in groups.chain(std::iter::once((others, String::new()))) {
        let of_lead = estimate_tokens(&lead);
        let room = (tokens.saturating_sub(of_lead), chars.saturating_sub(lead.chars().count()));
        let packed = pack(items, room.0, room.1);
        outcomes.extend(packed.outcomes);
        let lines = packed.block.strip_prefix(HEADER).and_then(|block| block.strip_suffix(FOOTER));
        if let Some(lines) = lines {
            let spent = packed.tokens - frame + of_lead;
            (tokens, used) = (tokens.saturating_sub(spent), used + spent);
            chars = chars.saturating_sub(lead.chars().count() + lines.chars().count());
            body.push_str(&lead);
            body.push_str(lines);
        }
    }
    if body.is_empty() {
        return Packed { block: String::new(), outcomes, tokens: 0 };
    }
    Packed { block: format!("{HEADER}{body}{FOOTER}"), outcomes, tokens: used }
}

/// The sentence that names an act, with its line feed.
fn lead(entry: &str, is_over: bool) -> String {
    let (kind, text) = split_forbid(entry).unwrap_or((ForbidKind::Code, entry));
    let text = shown(&text.replace('`', ""), MAX_NAMED_CHARS);
    let act = match (kind, is_over) {
        (ForbidKind::Code, false) => format!("you are adding `{text}`"),
        (ForbidKind::Code, true) => format!("you added `{text}`"),
        (ForbidKind::Import, false) => format!("you are adding an import of `{text}`"),
        (ForbidKind::Import, true) => format!("you added an import of `{text}`"),
        (ForbidKind::Command, false) => format!("you are using the command `{text}`"),
        (ForbidKind::Command, true) => format!("you used the command `{text}`"),
        (ForbidKind::Path, false) => format!("you are changing a file of `{text}`"),
        (ForbidKind::Path, true) => format!("you changed a file of `{text}`"),
    };
    format!("{act}; this project forbids it:\n")
}
