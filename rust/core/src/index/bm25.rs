//! Computes the impact of a term in a document, and the idf of a term (SPEC 21.1 to 21.3).
//!
//! BM25F: Robertson, Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3.6. This module computes the
//! logarithm itself, because every machine and both backends must round in the same way.

use crate::settings::{Bm25Settings, FIELDS};

/// The maximal number of terms of a query; further terms are left out.
pub const MAX_QUERY_TERMS: usize = 4_096;
/// The weight of a query term that counts in full; a weak or a related term has a lower weight.
pub const FULL: u32 = 256;

/// The average length of each field, in terms. Every snapshot has the same values, so that a score depends only on the
/// living documents.
///
/// They are round values near the means of the projects that the gate was trained on.
pub const AVERAGE_LENGTHS: [f64; FIELDS] = [5.0, 3.0, 20.0, 120.0];

/// The impact of a term in a document, 1 to 255. `counts` contains the number of occurrences of the term in each field,
/// `lengths` the number of all terms in each field.
#[must_use]
pub fn impact(
    settings: &Bm25Settings,
    averages: &[f64; FIELDS],
    lengths: &[u32; FIELDS],
    counts: &[u32; FIELDS],
) -> u8 {
    impact_over(settings, &denominators(settings, averages, lengths), counts)
}

/// For each field of a document, the number that the term counts are divided by: 1 - b + b * length / average.
#[must_use]
pub fn denominators(settings: &Bm25Settings, averages: &[f64; FIELDS], lengths: &[u32; FIELDS]) -> [f64; FIELDS] {
    let mut denominators = [1.0; FIELDS];
    let fields = settings.bs.iter().zip(averages).zip(lengths);
    for (denominator, ((b, average), length)) in denominators.iter_mut().zip(fields) {
        let average = if *average == 0.0 { 1.0 } else { *average };
        *denominator = (1.0 - b) + (b * f64::from(*length)) / average;
    }
    denominators
}

/// The impact, 1 to 255, of a term with these counts in a document with these denominators (see [`denominators`]).
#[must_use]
pub fn impact_over(settings: &Bm25Settings, denominators: &[f64; FIELDS], counts: &[u32; FIELDS]) -> u8 {
    let mut x = 0.0;
    for ((weight, denominator), count) in settings.weights.iter().zip(denominators).zip(counts) {
        if *count > 0 {
            x += (weight * f64::from(*count)) / denominator;
        }
    }
    if x == 0.0 {
        return 1;
    }
    byte_of(255.0 * (x / (settings.k1 + x)) + 0.5)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before; both floor it")]
fn byte_of(value: f64) -> u8 {
    value.clamp(1.0, 255.0) as u8
}

/// The idf, in 1/256 and at least 1, of a term that occurs in `in_list` of `documents` documents.
#[must_use]
pub fn idf(documents: u32, in_list: u32) -> u32 {
    let in_list = in_list.min(documents);
    let rest = f64::from(documents - in_list);
    let y = 1.0 + (rest + 0.5) / (f64::from(in_list) + 0.5);
    floor_u32(256.0 * natural_log(y) + 0.5).max(1)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 6,000, cut as floor does")]
fn floor_u32(value: f64) -> u32 {
    value as u32
}

/// The natural logarithm of a number that is at least 1.
#[must_use]
pub fn natural_log(y: f64) -> f64 {
    // The exponent of a number that is at least 1 says how often the number can be halved.
    let halvings = u32::try_from(y.to_bits() >> 52).unwrap_or(0).saturating_sub(1023);
    let y = f64::from_bits(y.to_bits() & MANTISSA | 1.0_f64.to_bits());
    let z = (y - 1.0) / (y + 1.0);
    let square = z * z;
    let series = ODD_PARTS.iter().fold(0.0, |sum, part| sum * square + part);
    series * (2.0 * z) + f64::from(halvings) * std::f64::consts::LN_2
}

/// The bits of a float except its sign and exponent.
const MANTISSA: u64 = (1 << 52) - 1;

/// The values of 1 / (2i + 1), for i from 15 down to 0.
#[rustfmt::skip]
const ODD_PARTS: [f64; 16] = [
    1.0 / 31.0, 1.0 / 29.0, 1.0 / 27.0, 1.0 / 25.0, 1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0,
    1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0,
];

/// The average length of a field, in terms, of the documents of a plain index: total / documents; 0 without documents.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "2^53 terms are far beyond any file")]
pub fn plain_average(total: u64, documents: u32) -> f64 {
    if documents == 0 { 0.0 } else { total as f64 / f64::from(documents) }
}

/// What the impacts of a query term are multiplied by in a score; `q` is the weight of the term in the query.
#[must_use]
pub fn weight(idf: u32, q: u32) -> u32 {
    (idf.saturating_mul(q).saturating_add(128) / FULL).clamp(1, MAX_WEIGHT)
}

/// The largest weight: with larger ones, the score of 4,096 terms of impact 255 would not fit 32 bits. An idf reaches
/// this limit only in stores of about 13 million documents.
const MAX_WEIGHT: u32 = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_that_of_mathematics() {
        for number in 1..2000_u32 {
            let y = f64::from(number) * 1.37;
            assert!((natural_log(y) - y.ln()).abs() < 1e-14 * y.ln().max(1.0), "{y}");
        }
        assert!((natural_log(1e9) - 1e9_f64.ln()).abs() < 1e-13);
    }

    #[test]
    fn a_rarer_term_weighs_more() {
        assert_eq!((idf(0, 0), idf(1, 1), idf(100, 100)), (256 * 1099 / 1000 - 104, 74, 1));
        assert!((1..1000).all(|in_list| idf(1000, in_list) >= idf(1000, in_list + 1)));
        assert_eq!((weight(300, 256), weight(1, 1), weight(300, 128), weight(5_800, 256)), (300, 1, 150, 4_096));
    }

    #[test]
    fn longer_documents_and_fewer_occurrences_count_less() {
        let settings = Bm25Settings::plain(1.2, 0.75);
        let of = |length, count| impact(&settings, &[0.0, 0.0, 0.0, 10.0], &[0, 0, 0, length], &[0, 0, 0, count]);
        assert_eq!(of(10, 1), 116);
        assert!(of(10, 2) > of(10, 1) && of(5, 1) > of(10, 1));
        assert_eq!(
            impact(&Bm25Settings { weights: [0.0; FIELDS], ..settings }, &[1.0; FIELDS], &[1; FIELDS], &[1; FIELDS]),
            1
        );
    }
}
