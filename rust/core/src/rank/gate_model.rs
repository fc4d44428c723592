//! Reads the gate's coefficients and tables from the file that `tools/gate/train.py` writes (SPEC 28.2); defines the
//! gate's thresholds and the probability for a logit.

use crate::settings::choices::GateSetting;
use crate::text::tables::{GATE, find_table, numbers, read_numbers, read_rows};

/// The number that represents 1, because features, logits and probabilities are in 1/1024.
pub(crate) const UNIT: i64 = 1024;

/// The names of the features, in the order of the model: first features of memory and prompt, then features of only the
/// prompt.
pub(crate) const FEATURES: [&str; 25] = [
    "lexical_margin",
    "lexical_points",
    "lexical_share",
    "score",
    "score_share",
    "prompt_share",
    "information",
    "window_lead",
    "title_words",
    "prompt_share_of_title",
    "title_information",
    "prompt_share_of_question",
    "question",
    "has_questions",
    "tech_debt",
    "close_scores",
    "unknown_words",
    "prompt_words",
    "general_words",
    "history",
    "question_mark",
    "asks_why",
    "asks_yes_no",
    "edit",
    "tool_prefix",
];

/// If the best memory of a prompt is shown, other memories are shown with a logit that is lower by up to this much than
/// the setting asks for, in 1/1024.
const BESIDE: i64 = 256;

/// Memories whose logit is lower than that of the best memory by more than this, in 1/1024, are not shown beside it.
/// They seldom help.
const FAR_BEHIND: i64 = 2560;

/// A memory with this logit or more, in 1/1024, is shown beside any other: it helps in three of four cases.
const NEVER_HIDDEN: i64 = 1024;

/// The logit of a memory whose features are all 0, in 1/1024.
pub(crate) const BIAS: i64 = number("bias");

/// The two knots of each feature. A knot is the value, in 1/1024, at which the slope of the feature's contribution
/// changes.
pub(crate) static KNOTS: [[i32; 2]; FEATURES.len()] = read_rows(find_table(GATE, "knots"));

/// For each feature, the slope of its contribution, and what each of the two knots adds to the slope, in 1/1024.
pub(crate) static SLOPES: [[i32; 3]; FEATURES.len()] = read_rows(find_table(GATE, "slopes"));

/// The lowest logit of a memory that the setting `precise` shows, in 1/1024.
pub(crate) const PRECISE: i64 = number("precise");

/// The lowest logit of a memory that the setting `balanced` shows, in 1/1024.
pub(crate) const BALANCED: i64 = number("balanced");

/// The lowest logit of a memory that the setting `eager` shows, in 1/1024.
pub(crate) const EAGER: i64 = number("eager");

/// The difference in x between two neighbouring entries of [`SIGMOID`], in 1/1024.
pub(crate) const SIGMOID_STEP: i64 = number("sigmoid_step");

/// The values of 1 / (1 + e^-x), in 1/1024, from x = 0 on.
pub(crate) static SIGMOID: &[i32] = numbers!(GATE, "sigmoid");

/// The values of ln(1 + n), in 1/1024, from n = 0 on.
pub(crate) static LOGARITHMS: &[i32] = numbers!(GATE, "logarithms");

/// The lowest logit of a memory that a setting shows, in 1/1024; `None` if the gate is off.
#[must_use]
pub fn gate_threshold(setting: GateSetting) -> Option<i64> {
    match setting {
        GateSetting::Precise => Some(PRECISE),
        GateSetting::Balanced => Some(BALANCED),
        GateSetting::Eager => Some(EAGER),
        GateSetting::Off => None,
    }
}

/// The lowest logit of a memory that is shown for a prompt. `least` is the lowest logit of the setting, and `best` the
/// highest logit of a memory for this prompt. All are in 1/1024.
#[must_use]
pub fn lowest_shown(least: i64, best: Option<i64>) -> i64 {
    best.filter(|best| *best >= least).map_or(least, |best| (least - BESIDE).max(NEVER_HIDDEN.min(best - FAR_BEHIND)))
}

/// The gate's result for a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judgment {
    /// The values of the features, in 1/1024.
    pub(crate) features: Vec<i64>,
    /// What each feature contributes to the logit, in 1/1024.
    pub(crate) shares: Vec<i64>,
    /// The sum of the bias, the shares and the additions that are not features, in 1/1024.
    pub(crate) logit: i64,
}

impl Judgment {
    /// Computes the shares and the logit. `more` is added to the logit: what a model vector and a path in the prompt
    /// add.
    pub(crate) fn new(features: Vec<i64>, more: i64) -> Self {
        let share = |((value, knots), slopes): ((&i64, &[i32; 2]), &[i32; 3])| {
            let ([first, second], [slope, from_first, from_second]) = (knots.map(i64::from), slopes.map(i64::from));
            let bent = from_first * (value - first).max(0) + from_second * (value - second).max(0);
            (slope * value + bent).div_euclid(UNIT)
        };
        let shares: Vec<i64> = features.iter().zip(&KNOTS).zip(&SLOPES).map(share).collect();
        let logit = BIAS + shares.iter().sum::<i64>() + more;
        Self { features, shares, logit }
    }
}

/// The probability for a logit, 1 / (1 + e^-x), both in 1/1024. Values between two entries of [`SIGMOID`] are
/// interpolated linearly.
pub(crate) fn probability(logit: i64) -> i64 {
    let last = i64::try_from(SIGMOID.len()).unwrap_or_default() - 1;
    let place = logit.saturating_abs().min(SIGMOID_STEP * last - 1);
    let entry = |number: i64| {
        usize::try_from(number).ok().and_then(|number| SIGMOID.get(number)).map_or(0, |value| i64::from(*value))
    };
    let (number, rest) = (place / SIGMOID_STEP, place % SIGMOID_STEP);
    let (below, above) = (entry(number), entry(number + 1));
    let value = below + (above - below) * rest / SIGMOID_STEP;
    if logit >= 0 { value } else { UNIT - value }
}

/// The value of ln(1 + count), in 1/1024. Counts beyond the end of the table give its last entry.
pub(crate) fn logarithm(count: usize) -> i64 {
    LOGARITHMS.get(count).or(LOGARITHMS.last()).map_or(0, |value| i64::from(*value))
}

const fn number(name: &str) -> i64 {
    let [value] = read_numbers::<1>(find_table(GATE, name));
    value as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_rise_with_the_logit() {
        assert_eq!((probability(0), probability(i64::MIN), probability(i64::MAX)), (512, 0, 1024));
        assert!((-9000..9000).all(|logit| probability(logit) <= probability(logit + 1)));
        assert!((-9000..9000).all(|logit| probability(logit) + probability(-logit) == 1024));
    }

    #[test]
    fn counts_have_logarithms_up_to_255() {
        assert_eq!(
            (logarithm(0), logarithm(1), logarithm(50), logarithm(255), logarithm(256)),
            (0, 710, 4026, 5678, 5678)
        );
    }
}
