//! The gate's coefficients and tables, from the file that `tools/gate/train.py` writes (SPEC 28.2).

use crate::rank::gate::FEATURES;
use crate::text::tables::{GATE, find_table, numbers, read_numbers, read_rows};

/// The logit of a memory whose features are all 0, in 1/1024.
pub(crate) const BIAS: i64 = number("bias");

/// Where what each of the features adds bends, in 1/1024.
pub(crate) static KNOTS: [[i32; 2]; FEATURES.len()] = read_rows(find_table(GATE, "knots"));

/// How steep that is, everywhere and more from each knot on, in 1/1024.
pub(crate) static SLOPES: [[i32; 3]; FEATURES.len()] = read_rows(find_table(GATE, "slopes"));

/// The logit from which `precise` shows a memory, in 1/1024.
pub(crate) const PRECISE: i64 = number("precise");

/// The logit from which `balanced` shows a memory, in 1/1024.
pub(crate) const BALANCED: i64 = number("balanced");

/// The logit from which `eager` shows a memory, in 1/1024.
pub(crate) const EAGER: i64 = number("eager");

/// How far apart the entries of the next table are, in 1/1024.
pub(crate) const SIGMOID_STEP: i64 = number("sigmoid_step");

/// 1 / (1 + e^-x) in 1/1024, from x = 0 on.
pub(crate) static SIGMOID: &[i32] = numbers!(GATE, "sigmoid");

/// ln(1 + n) in 1/1024, from n = 0 on.
pub(crate) static LOGARITHMS: &[i32] = numbers!(GATE, "logarithms");

const fn number(name: &str) -> i64 {
    let [value] = read_numbers::<1>(find_table(GATE, name));
    value as i64
}
