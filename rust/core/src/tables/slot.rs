//! Where the search for a key begins in a hash table, and how it goes on.

/// The slot at which the search for a key begins (FNV-1a, whose high bits are the better ones).
pub(crate) fn first_slot(key: &[u8], slots: usize) -> usize {
    let hash = key.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    (hash ^ (hash >> 15)) as usize & (slots - 1)
}

/// The slot behind a slot.
pub(crate) fn next_slot(slot: usize, slots: usize) -> usize {
    (slot + 1) & (slots - 1)
}
