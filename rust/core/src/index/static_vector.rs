//! Vectors of texts and their cosines (SPEC 24). A vector is a sum of rows of a table, quantized to bytes.

/// The number of columns of a row.
pub const DIMENSIONS: usize = 128;

/// The number that represents a cosine of 1, because cosines are in 1/4096.
pub const COSINE_ONE: i64 = 4096;

/// A vector with one signed byte per column; files store the same bytes.
pub type Row = [u8; DIMENSIONS];

/// A sum of rows, with one number per column.
pub type Sums = [i32; DIMENSIONS];

/// The bytes of a stored vector's norm, and of the signs of its row.
pub(crate) const NORM_BYTES: usize = 4;
pub(crate) const CODE_BYTES: usize = 16;

/// The signs of a row as a 128-bit number: bit i is set if column i is above 0.
pub(crate) fn sign_code(row: &Row) -> u128 {
    row.iter().rev().fold(0, |code, byte| code << 1 | u128::from((1..128).contains(byte)))
}

/// The sum of rows, each multiplied by its weight. The weights must add up to less than 2**24.
#[must_use]
pub fn sum_rows<'a>(weighted_rows: impl IntoIterator<Item = (&'a Row, u32)>) -> Sums {
    let mut sums = [0; DIMENSIONS];
    for (row, weight) in weighted_rows {
        add_row(&mut sums, row, weight);
    }
    sums
}

/// Adds a row, multiplied by its weight, to `sums`.
pub(crate) fn add_row(sums: &mut Sums, row: &Row, weight: u32) {
    if weight == 1 {
        // Most rows belong to a memory's body and have weight 1, and a multiplication would cost more than everything
        // else here.
        for (sum, byte) in sums.iter_mut().zip(row) {
            *sum = sum.wrapping_add(i32::from(signed(*byte)));
        }
        return;
    }
    let weight = i32::try_from(weight).unwrap_or(i32::MAX);
    for (sum, byte) in sums.iter_mut().zip(row) {
        *sum = i32::wrapping_add(*sum, i32::from(signed(*byte)).wrapping_mul(weight));
    }
}

/// Scales sums so that the largest magnitude is 127, rounding halves up. Returns the resulting row and its norm.
///
/// The norm is 16 times the Euclidean length of the row, rounded down. It is 0 if all sums are 0.
#[must_use]
pub fn quantize(sums: &Sums) -> (Row, u32) {
    let largest = i64::from(sums.iter().map(|sum| sum.unsigned_abs()).max().unwrap_or_default());
    let mut row = [0; DIMENSIONS];
    if largest == 0 {
        return (row, 0);
    }
    for (byte, sum) in row.iter_mut().zip(sums) {
        let scaled = (254 * i64::from(*sum) + largest).div_euclid(2 * largest);
        [*byte, ..] = scaled.to_le_bytes();
    }
    (row, dot(&row, &row).unsigned_abs().saturating_mul(256).isqrt())
}

/// The dot product of two rows.
#[must_use]
pub fn dot(a: &Row, b: &Row) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(signed(*a)) * i32::from(signed(*b))).sum()
}

/// The cosine of two rows with these norms, in 1/4096, rounded down. It is 0 if a norm is 0.
#[must_use]
pub fn cosine(a: &Row, norm_a: u32, b: &Row, norm_b: u32) -> i64 {
    // Norms fit 16 bits, so their product is far below the limit of 64 bits.
    let norms = i64::from(norm_a).saturating_mul(i64::from(norm_b));
    if norms == 0 { 0 } else { (i64::from(dot(a, b)) * 256 * COSINE_ONE).div_euclid(norms) }
}

fn signed(byte: u8) -> i8 {
    i8::from_le_bytes([byte])
}
