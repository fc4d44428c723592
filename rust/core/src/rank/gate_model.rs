//! Reads the gate's features and numbers from its table (SPEC 28.2); defines the gate's thresholds and the probability
//! for a logit. All is read when the code is compiled.

use crate::settings::choices::GateSetting;
use crate::tables::{Entries, as_text, find_number, find_row, find_word, numbers, rows, table};

/// The number that represents 1, because features, logits and probabilities are in 1/1024.
pub(crate) const UNIT: i64 = 1024;

/// A feature of the model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Feature {
    /// The name, by which the code that computes the value is found.
    pub(crate) name: &'static str,
    /// The values, in 1/1024, at which the slope of the feature's contribution changes.
    knots: [i32; 2],
    /// The slope of the contribution, and what each of the two knots adds to the slope, in 1/1024.
    slopes: [i32; 3],
}

/// The number of features.
pub(crate) const FEATURE_COUNT: usize = rows!("gate", "features").len();

/// The features, in the order of the table.
pub(crate) const FEATURES: [Feature; FEATURE_COUNT] = read_features();

/// If the best memory of a prompt is shown, other memories are shown with a logit that is lower by up to this much than
/// the setting asks for, in 1/1024. The second number is for a best memory with questions.
const BESIDE: [i64; 2] = [constant("beside"), constant("beside_questions")];

/// Memories whose logit is lower than that of the best memory by more than this, in 1/1024, are not shown beside it. The
/// second number is for a best memory with questions.
const FAR_BEHIND: [i64; 2] = [constant("far_behind"), constant("far_behind_questions")];

/// A memory with this logit or more, in 1/1024, is shown beside any other.
const NEVER_HIDDEN: i64 = constant("never_hidden");

/// Where no memory passes, the title of a memory may be named whose logit is lower by up to this much than the setting
/// asks for, in 1/1024.
pub const NAMED_BELOW: i64 = constant("named_below");

/// What the gate adds to the logit of a memory, in 1/1024, if the memory is anchored to a path in the prompt to which
/// only few memories are anchored (SPEC 34.4).
pub(crate) const PATH_SHARE: i64 = constant("path_share");

/// The logit of a memory whose features are all 0, in 1/1024.
pub(crate) const BIAS: i64 = logit("bias");

/// The lowest logit of a memory that the setting `precise` shows, in 1/1024.
pub(crate) const PRECISE: i64 = logit("precise");

/// The lowest logit of a memory that the setting `balanced` shows, in 1/1024.
pub(crate) const BALANCED: i64 = logit("balanced");

/// The lowest logit of a memory that the setting `eager` shows, in 1/1024.
pub(crate) const EAGER: i64 = logit("eager");

/// The difference in x between two neighbouring entries of [`SIGMOID`], in 1/1024.
pub(crate) const SIGMOID_STEP: i64 = find_number(table!("gate", "sigmoid_step"), 0) as i64;

/// The values of 1 / (1 + e^-x), in 1/1024, from x = 0 on.
pub(crate) static SIGMOID: &[i32] = numbers!("gate", "sigmoid");

/// The values of ln(1 + n), in 1/1024, from n = 0 on.
pub(crate) static LOGARITHMS: &[i32] = numbers!("gate", "logarithms");

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

/// The highest logit of a memory for a prompt, in 1/1024, and whether this memory has questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Best {
    /// The logit of the memory.
    pub logit: i64,
    /// Whether the memory has questions.
    pub has_questions: bool,
}

/// The lowest logit of a memory that is shown for a prompt. `least` is the lowest logit of the setting. Both are in
/// 1/1024.
#[must_use]
pub fn lowest_shown(least: i64, best: Option<Best>) -> i64 {
    let Some(Best { logit, has_questions }) = best.filter(|best| best.logit >= least) else { return least };
    let of = |[without, with]: [i64; 2]| if has_questions { with } else { without };
    (least - of(BESIDE)).max(NEVER_HIDDEN.min(logit - of(FAR_BEHIND)))
}

impl Feature {
    /// What the feature contributes to the logit if it has this value, both in 1/1024.
    #[inline]
    pub(crate) fn share(&self, value: i64) -> i64 {
        let ([first, second], [slope, from_first, from_second]) =
            (self.knots.map(i64::from), self.slopes.map(i64::from));
        let bent = from_first * (value - first).max(0) + from_second * (value - second).max(0);
        (slope * value + bent).div_euclid(UNIT)
    }
}

/// The probability for a logit, 1 / (1 + e^-x), both in 1/1024. Values between two entries of its table are interpolated
/// linearly.
#[must_use]
pub fn probability(logit: i64) -> i64 {
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

/// One of the numbers that are set by hand; a compile error if the table does not have it.
pub(crate) const fn constant(name: &str) -> i64 {
    find_number(find_row(table!("gate", "constants"), name), 1) as i64
}

/// A number of [`constant`] that counts something.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a negative count does not compile")]
pub(crate) const fn count_of(name: &str) -> usize {
    let value = constant(name);
    assert!(value >= 0, "a count of the table is negative");
    value as usize
}

const fn logit(name: &str) -> i64 {
    find_number(find_row(table!("gate", "logits"), name), 1) as i64
}

#[expect(clippy::indexing_slicing, reason = "the compiler works here, and reports an index out of bounds")]
const fn read_features() -> [Feature; FEATURE_COUNT] {
    const ROWS: Entries = rows!("gate", "features");
    let mut features = [Feature { name: "", knots: [0; 2], slopes: [0; 3] }; FEATURE_COUNT];
    let mut number = 0;
    while number < FEATURE_COUNT {
        let row = as_text(ROWS.bytes(number));
        let knots = [find_number(row, 1), find_number(row, 2)];
        let slopes = [find_number(row, 3), find_number(row, 4), find_number(row, 5)];
        features[number] = Feature { name: find_word(row, 0), knots, slopes };
        number += 1;
    }
    features
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
