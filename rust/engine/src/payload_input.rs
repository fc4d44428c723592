//! The payload from standard input (SPEC 14.1).

use cuecard_core::text::json_reader::read_json;
use std::io::{self, ErrorKind, Read};
use std::time::{Duration, Instant};

const MAX_PAYLOAD_BYTES: usize = 1 << 20;
/// Hosts write the payload at once; one that is not whole after this time never will be.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// What the host sends, up to its end; also to the end of a whole JSON object, because some hosts keep the pipe
/// open. An error says why there is no payload.
pub(crate) fn read() -> Result<Vec<u8>, String> {
    let end = Instant::now() + LONGEST_WAIT;
    let mut input = StandardInput::open();
    let mut payload = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = match input.read(&mut chunk, end) {
            Ok(0) => return Ok(payload),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == ErrorKind::TimedOut => {
                return Err("the payload is not whole after two seconds".into());
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

/// Standard input, waited for with `poll`.
#[cfg(unix)]
struct StandardInput(io::StdinLock<'static>);

#[cfg(unix)]
impl StandardInput {
    fn open() -> Self {
        Self(io::stdin().lock())
    }

    /// What is there, at most as much as fits; an error of the kind `TimedOut` where nothing comes until `end`.
    fn read(&mut self, chunk: &mut [u8], end: Instant) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let left = end.saturating_duration_since(Instant::now());
        let timeout =
            Timespec { tv_sec: i64::try_from(left.as_secs()).unwrap_or_default(), tv_nsec: left.subsec_nanos().into() };
        // `chunk` is larger than the buffer of standard input, which therefore stays empty.
        let mut waiting = [PollFd::new(&self.0, PollFlags::IN)];
        if poll(&mut waiting, Some(&timeout))? == 0 {
            return Err(ErrorKind::TimedOut.into());
        }
        self.0.read(chunk)
    }
}

/// Standard input, read by another thread where a pipe cannot be waited for.
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

    /// What is there, at most as much as fits; an error of the kind `TimedOut` where nothing comes until `end`.
    fn read(&mut self, chunk: &mut [u8], end: Instant) -> io::Result<usize> {
        let left = end.saturating_duration_since(Instant::now());
        let data = self.0.recv_timeout(left).map_err(|_| ErrorKind::TimedOut)??;
        for (place, byte) in chunk.iter_mut().zip(&data) {
            *place = *byte;
        }
        Ok(data.len().min(chunk.len()))
    }
}
