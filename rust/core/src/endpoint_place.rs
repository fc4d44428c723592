//! Whether an endpoint of the settings lies on this machine, as far as its URL says so by itself (SPEC 14.5).

/// The names and addresses of this machine itself that people write into settings.
pub(crate) fn is_on_this_machine(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if !["http", "https"].contains(&scheme) || authority.contains('@') {
        return false;
    }
    if authority == "[::1]" || authority.starts_with("[::1]:") {
        return true;
    }
    let host = authority.split(':').next().unwrap_or_default();
    let is_address = host.chars().all(|char| char.is_ascii_digit() || char == '.');
    host == "localhost" || host.ends_with(".localhost") || (is_address && host.starts_with("127."))
}
