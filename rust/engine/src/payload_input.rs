//! Reads the payload from standard input (SPEC 14.1).

use cuecard_core::text::json_reader::read_json;
use memchr::memchr2;
use std::io::{self, ErrorKind, Read};
use std::time::{Duration, Instant};

const MAX_PAYLOAD_BYTES: usize = 8 << 20;
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
    let (mut payload, mut nesting) = (Vec::new(), Nesting::default());
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
        let new = chunk.get(..count).unwrap_or_default();
        nesting.follow(new);
        payload.extend_from_slice(new);
        if payload.len() > MAX_PAYLOAD_BYTES {
            return Err("the payload is over 8 MiB".into());
        }
        // Without the look at the nesting, a large payload would be parsed again and again.
        if nesting.is_closed() && payload.trim_ascii_end().ends_with(b"}") && read_json(&payload).is_ok() {
            return Ok(payload);
        }
    }
}

/// How deep a JSON text is nested at the end of what was read of it.
#[derive(Default)]
struct Nesting {
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
}

impl Nesting {
    fn is_closed(&self) -> bool {
        self.depth == 0 && !self.is_in_text
    }

    fn follow(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let [byte, behind @ ..] = rest {
            rest = behind;
            if self.is_escaped {
                self.is_escaped = false;
            } else if self.is_in_text {
                match byte {
                    b'"' => self.is_in_text = false,
                    b'\\' => self.is_escaped = true,
                    _ => rest = behind.get(memchr2(b'"', b'\\', behind).unwrap_or(behind.len())..).unwrap_or_default(),
                }
            } else {
                match byte {
                    b'"' => self.is_in_text = true,
                    b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
            }
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

#[cfg(test)]
mod tests {
    use super::Nesting;

    #[test]
    fn the_nesting_is_that_of_the_text_whatever_pieces_it_comes_in() {
        let text = br#" {"a\"}": [{"b": "}]\\"}, "{"], "c": 1} "#;
        for size in 1..=text.len() {
            let mut nesting = Nesting::default();
            let mut closed = Vec::new();
            for piece in text.chunks(size) {
                nesting.follow(piece);
                closed.push(nesting.is_closed());
            }
            assert_eq!(closed.pop(), Some(true));
            assert!(size > 1 || closed.iter().filter(|is_closed| **is_closed).count() == 2, "{closed:?}");
        }
    }
}
