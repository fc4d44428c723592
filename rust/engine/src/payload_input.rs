//! Reads the payload from standard input (SPEC 14.1).

use cuecard_core::text::json_reader::read_json;
use std::io::{self, ErrorKind, Read};
use std::time::{Duration, Instant};

const MAX_PAYLOAD_BYTES: usize = 1 << 20;
/// How much is read at once: more than the buffer of standard input has, so that this buffer stays empty, but only few
/// pages of memory.
const CHUNK_BYTES: usize = 1 << 14;
/// How long to wait for the payload. Hosts write it at once, so a payload that is incomplete after this time stays
/// incomplete.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Reads the payload up to the end of the input or of the first complete JSON object, because some hosts keep the pipe
/// open. The error says why there is no payload.
pub(crate) fn read() -> Result<Vec<u8>, String> {
    let end = Instant::now() + LONGEST_WAIT;
    let mut input = StandardInput::open();
    let mut payload = Vec::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = match input.read(&mut chunk, end) {
            Ok(0) => return Ok(payload),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == ErrorKind::TimedOut => {
                return Err("the payload is incomplete after two seconds".into());
            }
            Err(_) => return Err("standard input cannot be read".into()),
        };
        payload.extend_from_slice(chunk.get(..count).unwrap_or_default());
        if payload.len() > MAX_PAYLOAD_BYTES {
            return Err("the payload is over 1 MiB".into());
        }
        if payload.trim_ascii_end().ends_with(b"}") && read_json(&payload).is_ok() {
            return Ok(payload);
        }
    }
}

/// Standard input, read after `poll`, which waits only for a limited time.
#[cfg(unix)]
struct StandardInput(io::StdinLock<'static>);

#[cfg(unix)]
impl StandardInput {
    fn open() -> Self {
        Self(io::stdin().lock())
    }

    /// Reads the available bytes, at most as many as fit; an error of the kind `TimedOut` if nothing comes until `end`.
    fn read(&mut self, chunk: &mut [u8], end: Instant) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let left = end.saturating_duration_since(Instant::now());
        let timeout =
            Timespec { tv_sec: i64::try_from(left.as_secs()).unwrap_or_default(), tv_nsec: left.subsec_nanos().into() };
        // `chunk` is larger than the buffer of standard input, so this buffer stays empty and `poll` sees all data.
        let mut waiting = [PollFd::new(&self.0, PollFlags::IN)];
        if poll(&mut waiting, Some(&timeout))? == 0 {
            return Err(ErrorKind::TimedOut.into());
        }
        self.0.read(chunk)
    }
}

/// Standard input, read by another thread on systems where a pipe cannot be polled.
#[cfg(not(unix))]
struct StandardInput(std::sync::mpsc::Receiver<io::Result<Vec<u8>>>);

#[cfg(not(unix))]
impl StandardInput {
    fn open() -> Self {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut input = io::stdin().lock();
            let mut chunk = vec![0; 1 << 16];
            loop {
                let read = input.read(&mut chunk).map(|count| chunk.get(..count).unwrap_or_default().to_vec());
                let is_last = !matches!(&read, Ok(data) if !data.is_empty());
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        });
        Self(receiver)
    }

    /// Reads the available bytes, at most as many as fit; an error of the kind `TimedOut` if nothing comes until `end`.
    fn read(&mut self, chunk: &mut [u8], end: Instant) -> io::Result<usize> {
        let left = end.saturating_duration_since(Instant::now());
        let data = self.0.recv_timeout(left).map_err(|_| ErrorKind::TimedOut)??;
        for (place, byte) in chunk.iter_mut().zip(&data) {
            *place = *byte;
        }
        Ok(data.len().min(chunk.len()))
    }
}
