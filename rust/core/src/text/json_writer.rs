//! Values to JSON text that [`read_json`](crate::text::json_reader::read_json) reads back unchanged (SPEC 54.4).

use crate::text::json_reader::Json;
use std::fmt::Write as _;

/// The exponents between which a number is written without one, as Python's `repr` does.
const PLAIN_EXPONENTS: std::ops::Range<i32> = -4..16;

/// The JSON text of a value, without white space; a float as the shortest text of its value.
#[must_use]
pub fn write_json(value: &Json) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Json, text: &mut String) {
    match value {
        Json::Null => text.push_str("null"),
        Json::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Json::Integer(number) => {
            let _ = write!(text, "{number}");
        }
        Json::Float(number) => text.push_str(&float_text(*number)),
        Json::Text(value) => text.push_str(&quote(value)),
        Json::List(items) => {
            text.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Json::Object(members) => {
            text.push('{');
            for (place, (key, value)) in members.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                text.push_str(&quote(key));
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
    }
}

/// A float as Python's `repr` writes it, with the names that JSON readers know for what is not finite.
fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if PLAIN_EXPONENTS.contains(&exponent) {
        let plain = format!("{number}");
        return if plain.contains('.') { plain } else { format!("{plain}.0") };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// A text as a JSON string.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + text.len() / 8);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\0'..='\u{1f}' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(char));
            }
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::float_text;

    #[test]
    fn a_float_is_written_as_python_writes_it() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.75, "1.75"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (0.000_01, "1e-05"),
            (f64::NEG_INFINITY, "-Infinity"),
            (f64::NAN, "NaN"),
        ];
        for (number, text) in cases {
            assert_eq!(float_text(number), text);
        }
    }
}
