//! The host and port that the URL of an endpoint leads to, by which the user consents to it (SPEC 48.1).

/// The port that a place does not name.
const COMMON_PORT: u16 = 443;
const HTTP_PORT: u16 = 80;

/// Host and port of a URL of `http` or `https`, in lower case, without the port where it is 443; `None` for whatever is
/// no such URL, has a name or a password in it, or could be read in two ways.
#[must_use]
pub fn endpoint_place(url: &str) -> Option<String> {
    if !url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    let default = match scheme.to_ascii_lowercase().as_str() {
        "http" => HTTP_PORT,
        "https" => COMMON_PORT,
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let (address, after) = rest.split_once(']')?;
        let is_address =
            !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'));
        let port = if after.is_empty() { None } else { Some(after.strip_prefix(':')?) };
        (is_address.then(|| format!("[{address}]"))?, port)
    } else {
        let (host, port) = authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
        let is_name = !host.is_empty()
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'));
        (is_name.then(|| host.to_owned())?, port)
    };
    let port = port.map_or(Some(default), read_port)?;
    let host = host.to_ascii_lowercase();
    Some(if port == COMMON_PORT { host } else { format!("{host}:{port}") })
}

/// A port of one to five digits, not 0.
fn read_port(text: &str) -> Option<u16> {
    let is_number = (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| is_number && *port > 0)
}
