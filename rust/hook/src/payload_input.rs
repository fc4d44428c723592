//! The payload from standard input (SPEC 14.1).

use cuecard_core::json_reader::read_json;
use std::io::{ErrorKind, Read};

const MAX_PAYLOAD_BYTES: usize = 1 << 20;

/// What the host sends, up to its end; also to the end of a whole JSON object, because some hosts keep the pipe
/// open. An error says why there is no payload.
pub(crate) fn read(mut input: impl Read) -> Result<Vec<u8>, String> {
    let mut payload = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = match input.read(&mut chunk) {
            Ok(0) => return Ok(payload),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
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
