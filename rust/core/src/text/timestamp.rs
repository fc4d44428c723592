//! Parses ISO 8601 timestamps (SPEC 8.2).

pub(crate) const MICROSECONDS_A_DAY: i64 = 86_400_000_000;

const DAYS_BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// Parses a timestamp into microseconds since 1970-01-01T00:00Z; `None` if the text is not a timestamp.
///
/// A timestamp is `YYYY-MM-DD` or `YYYYMMDD`, optionally followed by any one character, a time and an offset. A time is
/// `HH`, `HH:MM` or `HH:MM:SS`, also without colons, and may have a fraction after the seconds. An offset has the form
/// of a time, with a sign, or is `Z`; without an offset the time is UTC. Only ASCII digits are accepted.
#[must_use]
pub fn parse_timestamp(text: &str) -> Option<i64> {
    let text = text.replace('Z', "+00:00");
    let (days, rest) = parse_date(&text)?;
    let mut rest = rest.chars();
    let clock = if rest.next().is_some() { rest.as_str() } else { return Some(days * MICROSECONDS_A_DAY) };
    let (clock, offset) = match clock.find(['+', '-']) {
        Some(sign) => {
            let offset = parse_clock(clock.get(sign + 1..)?)?;
            (clock.get(..sign)?, if clock.get(sign..)?.starts_with('-') { -offset } else { offset })
        }
        None => (clock, 0),
    };
    Some(days * MICROSECONDS_A_DAY + parse_clock(clock)? - offset)
}

/// Parses the date at the beginning of a text into days since 1970-01-01; also returns the text after the date.
fn parse_date(text: &str) -> Option<(i64, &str)> {
    let (year, rest) = (number(text.get(..4)?)?, text.get(4..)?);
    let (month, day, rest) = match rest.strip_prefix('-') {
        Some(rest) => (rest.get(..2)?, rest.get(2..)?.strip_prefix('-')?.get(..2)?, rest.get(5..)?),
        None => (rest.get(..2)?, rest.get(2..4)?, rest.get(4..)?),
    };
    let (month, day) = (number(month)?, number(day)?);
    let leap = i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    let place = usize::try_from(month - 1).ok()?;
    let days_in_month = DAYS_IN.get(place)? + if month == 2 { leap } else { 0 };
    if year < 1 || day < 1 || day > days_in_month {
        return None;
    }
    let past = year - 1;
    let days = past * 365 + past / 4 - past / 100 + past / 400 - 719_162;
    Some((days + DAYS_BEFORE.get(place)? + if month > 2 { leap } else { 0 } + day - 1, rest))
}

/// Parses `HH[:MM[:SS[.fraction]]]`, with all colons or without any, into microseconds.
fn parse_clock(text: &str) -> Option<i64> {
    let mark = if text.contains('.') { '.' } else { ',' };
    let (text, fraction) = match text.split_once(mark) {
        Some((_, "")) => return None,
        Some((text, fraction)) => (text, fraction),
        None => (text, ""),
    };
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fields: Vec<&str> = if text.contains(':') {
        text.split(':').collect()
    } else {
        (0..text.len()).step_by(2).map(|at| text.get(at..text.len().min(at + 2))).collect::<Option<_>>()?
    };
    let (hour, minute, second) = match *fields.as_slice() {
        [hour] if fraction.is_empty() => (hour, "00", "00"),
        [hour, minute] if fraction.is_empty() => (hour, minute, "00"),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    if [hour, minute, second].iter().any(|field| field.len() != 2) {
        return None;
    }
    let (hour, minute, second) = (number(hour)?, number(minute)?, number(second)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let micros = number(&format!("{fraction:0<6}").chars().take(6).collect::<String>())?;
    Some(((hour * 60 + minute) * 60 + second) * 1_000_000 + micros)
}

/// The value of a text of ASCII digits; `None` for other texts.
fn number(text: &str) -> Option<i64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shapes_name_the_same_moment() {
        for text in [
            "2026-02-01T03:04:05Z",
            "2026-02-01 03:04:05",
            "20260201T030405.000000",
            "2026-02-01T12:04:05+09:00",
            "2026-01-31T22:04:05-0500",
        ] {
            assert_eq!(parse_timestamp(text), Some(1_769_915_045_000_000), "{text}");
        }
    }

    #[test]
    fn what_is_no_timestamp_has_no_value() {
        for text in ["", "yesterday", "2026-13-45T00:00:00Z", "2026-02-29", "2026-01-01T", "2026-01-01T24:00"] {
            assert_eq!(parse_timestamp(text), None, "{text}");
        }
    }
}
