//! SHA-256 digests as text, used for the key of a store (SPEC 44.2) and for the trust hash.

use hmac_sha256::Hash;
use std::fmt::Write as _;

/// The SHA-256 of some bytes.
#[must_use]
pub fn sha256(data: &[u8]) -> [u8; 32] {
    Hash::hash(data)
}

/// The SHA-256 of some bytes as 64 lower-case hexadecimal digits.
#[must_use]
pub fn sha256_hex(data: &[u8]) -> String {
    let mut digits = String::with_capacity(64);
    for byte in sha256(data) {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::sha256_hex;

    /// Compares with the examples of FIPS 180-4.
    #[test]
    fn a_digest_is_that_of_the_standard() {
        assert_eq!(sha256_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
