//! The place of an endpoint: the scheme, host and port of its URL, which the user's consent names (SPEC 41.1).

const HTTPS: (&str, u16) = ("https", 443);
const HTTP: (&str, u16) = ("http", 80);

/// The scheme, host and port of an `http` or `https` URL, in lower case, such as `http://localhost:11434`; the scheme's
/// own port is left out. `None` if the text is not such a URL, contains a user name or password, or is ambiguous.
#[must_use]
pub fn endpoint_place(url: &str) -> Option<String> {
    if !url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    let (scheme, default) = [HTTPS, HTTP].into_iter().find(|(name, _)| name.eq_ignore_ascii_case(scheme))?;
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
    Some(if port == default { format!("{scheme}://{host}") } else { format!("{scheme}://{host}:{port}") })
}

/// Reads a port of one to five digits; `None` for 0 and for anything else.
fn read_port(text: &str) -> Option<u16> {
    let is_number = (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| is_number && *port > 0)
}
