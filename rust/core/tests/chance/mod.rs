//! Pseudo-random numbers that are the same in every run, and the number of iterations of fuzz tests.

/// A pseudo-random generator (xorshift64*), which gives the same numbers on every machine.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    /// A random number below `limit`, which must not be 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let value = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(value).unwrap_or(0) % limit
    }

    /// A random byte.
    pub(crate) fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap_or(0)
    }
}

/// The number of iterations in `CUECARD_FUZZ_ITERATIONS`, or `usual` if it is not set.
pub(crate) fn iterations(usual: u64) -> u64 {
    std::env::var("CUECARD_FUZZ_ITERATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
