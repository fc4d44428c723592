//! Splits work on many items among several threads.

use std::panic::resume_unwind;
use std::thread::{self, Builder};

/// Splits the items into at most `threads` shares, calls `work` with each share in its own thread, and returns the
/// results in order.
///
/// If a thread cannot be started, the calling thread works on its share.
pub fn map_shares<'a, T: Sync, R: Send>(items: &'a [T], threads: usize, work: impl Fn(&'a [T]) -> R + Sync) -> Vec<R> {
    let share = items.len().div_ceil(threads.max(1)).max(1);
    if share >= items.len() {
        return items.chunks(share).map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let start = |share: &'a [T]| Builder::new().spawn_scoped(scope, move || work(share)).map_err(|_| share);
        let started: Vec<_> = items.chunks(share).map(start).collect();
        let finish = |started: Result<thread::ScopedJoinHandle<'_, R>, &'a [T]>| match started {
            Ok(handle) => handle.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(share) => work(share),
        };
        started.into_iter().map(finish).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::map_shares;

    #[test]
    fn shares_come_back_in_their_order() {
        let items: Vec<u32> = (0..10).collect();
        for threads in [0, 1, 3, 10, 99] {
            assert_eq!(map_shares(&items, threads, <[u32]>::to_vec).concat(), items);
        }
        assert!(map_shares(&[0_u32; 0], 2, <[u32]>::to_vec).is_empty());
    }
}
