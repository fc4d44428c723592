//! Parses JSON text, as tolerant as Python's `json` module, and skips a byte order mark before it (SPEC 3).

/// The maximal nesting depth of arrays and objects.
pub const MAX_DEPTH: usize = 128;

/// What some editors and PowerShell write in front of UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A JSON value. Lone surrogates are replaced by U+FFFD, and integers beyond 64 bits by `i64::MAX` or `-i64::MAX`.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// The value `null`.
    Null,
    /// The value `true` or `false`.
    Bool(bool),
    /// A number without fraction and exponent.
    Integer(i64),
    /// Any other number; also `NaN`, `Infinity` and `-Infinity`.
    Float(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object's members in the order of the text; a repeated key keeps its first place and last value.
    Object(Vec<(String, Json)>),
}

/// The error for bytes that are not JSON text in UTF-8, or that nest deeper than [`MAX_DEPTH`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError;

impl Json {
    /// The value of an object's member; `None` if the value is not an object or has no such member.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of a string; `None` for other values.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the value is true in Python: it is not null, false, zero or empty.
    #[must_use]
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Integer(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Object(members) => !members.is_empty(),
        }
    }
}

/// Parses JSON text; returns an error if `data` is not exactly one JSON value. A byte order mark before it is skipped.
pub fn read_json(data: &[u8]) -> Result<Json, JsonError> {
    let text = std::str::from_utf8(data.strip_prefix(BYTE_ORDER_MARK).unwrap_or(data)).map_err(|_| JsonError)?;
    let mut reader = Reader { text, position: 0 };
    reader.skip_blanks();
    let value = reader.value(0)?;
    reader.skip_blanks();
    if reader.position == text.len() { Ok(value) } else { Err(JsonError) }
}

struct Reader<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn take(&mut self, literal: &str) -> bool {
        let found = self.rest().starts_with(literal);
        if found {
            self.position += literal.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        match self.peek().ok_or(JsonError)? {
            b'{' | b'[' if depth == MAX_DEPTH => Err(JsonError),
            b'{' => self.object(depth + 1),
            b'[' => self.list(depth + 1),
            b'"' => self.string().map(Json::Text),
            b'n' if self.take("null") => Ok(Json::Null),
            b't' if self.take("true") => Ok(Json::Bool(true)),
            b'f' if self.take("false") => Ok(Json::Bool(false)),
            b'N' if self.take("NaN") => Ok(Json::Float(f64::NAN)),
            b'I' if self.take("Infinity") => Ok(Json::Float(f64::INFINITY)),
            b'-' if self.take("-Infinity") => Ok(Json::Float(f64::NEG_INFINITY)),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        let mut members: Vec<(String, Json)> = Vec::new();
        self.position += 1;
        self.skip_blanks();
        if self.take("}") {
            return Ok(Json::Object(members));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(JsonError);
            }
            let key = self.string()?;
            self.skip_blanks();
            if !self.take(":") {
                return Err(JsonError);
            }
            self.skip_blanks();
            let value = self.value(depth)?;
            members.push((key, value));
            self.skip_blanks();
            if self.take("}") {
                return Ok(Json::Object(keep_last(members)));
            }
            if !self.take(",") {
                return Err(JsonError);
            }
            self.skip_blanks();
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, JsonError> {
        let mut items = Vec::new();
        self.position += 1;
        self.skip_blanks();
        if self.take("]") {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.skip_blanks();
            if self.take("]") {
                return Ok(Json::List(items));
            }
            if !self.take(",") {
                return Err(JsonError);
            }
            self.skip_blanks();
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.position += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let run = memchr::memchr2(b'"', b'\\', rest.as_bytes()).ok_or(JsonError)?;
            // There is no branch per byte, so that long texts are checked with vector instructions.
            if rest.as_bytes().iter().take(run).fold(0, |controls, byte| controls | u8::from(*byte < 0x20)) != 0 {
                return Err(JsonError);
            }
            text.push_str(rest.get(..run).ok_or(JsonError)?);
            self.position += run + 1;
            match rest.as_bytes().get(run) {
                Some(b'"') => return Ok(text),
                Some(b'\\') => text.push(self.escape()?),
                _ => return Err(JsonError),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let escaped = self.peek().ok_or(JsonError)?;
        self.position += 1;
        Ok(match escaped {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.hex()?;
                if (0xd800..0xdc00).contains(&unit) && self.rest().starts_with("\\u") {
                    let back = self.position;
                    self.position += 2;
                    let low = self.hex()?;
                    if (0xdc00..0xe000).contains(&low) {
                        let point = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                        return char::from_u32(point).ok_or(JsonError);
                    }
                    self.position = back;
                }
                char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(JsonError),
        })
    }

    fn hex(&mut self) -> Result<u32, JsonError> {
        let digits = self.rest().get(..4).ok_or(JsonError)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(JsonError);
        }
        self.position += 4;
        u32::from_str_radix(digits, 16).map_err(|_| JsonError)
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let begin = self.position;
        let is_negative = self.take("-");
        if !self.take("0") && self.skip_digits() == 0 {
            return Err(JsonError);
        }
        let mut is_integer = true;
        let end = self.position;
        if self.take(".") {
            if self.skip_digits() > 0 {
                is_integer = false;
            } else {
                self.position = end;
            }
        }
        let end = self.position;
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.position += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.position += 1;
            }
            if self.skip_digits() > 0 {
                is_integer = false;
            } else {
                self.position = end;
            }
        }
        let number = self.text.get(begin..self.position).ok_or(JsonError)?;
        if is_integer {
            let limit = if is_negative { -i64::MAX } else { i64::MAX };
            return Ok(Json::Integer(number.parse().map_or(limit, |value: i64| value.max(-i64::MAX))));
        }
        number.parse().map(Json::Float).map_err(|_| JsonError)
    }

    fn skip_digits(&mut self) -> usize {
        let begin = self.position;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.position += 1;
        }
        self.position - begin
    }
}

/// Removes repeated keys: each key keeps its first place and its last value.
fn keep_last(members: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let mut keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    if keys.is_sorted_by(|a, b| a < b) {
        return members;
    }
    let mut places = std::collections::HashMap::with_capacity(members.len());
    let mut kept: Vec<(String, Json)> = Vec::with_capacity(members.len());
    for (key, value) in members {
        if let Some(member) = places.get(&key).and_then(|place: &usize| kept.get_mut(*place)) {
            member.1 = value;
        } else {
            places.insert(key.clone(), kept.len());
            kept.push((key, value));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_key_keeps_its_last_value() {
        let value = read_json(br#"{"a": 1, "b": 2, "a": 3}"#).unwrap();
        assert_eq!(value.get("a"), Some(&Json::Integer(3)));
    }

    #[test]
    fn one_byte_order_mark_is_skipped() {
        assert_eq!(read_json("\u{feff}{}".as_bytes()), Ok(Json::Object(Vec::new())));
        assert_eq!(read_json("\u{feff}\u{feff}{}".as_bytes()), Err(JsonError));
        assert_eq!(read_json(b"\xff\xfe{\0}\0"), Err(JsonError));
    }

    #[test]
    fn nesting_ends_at_its_limit() {
        let nested = |depth: usize| [vec![b'['; depth], vec![b']'; depth]].concat();
        assert!(read_json(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(read_json(&nested(MAX_DEPTH + 1)), Err(JsonError));
        assert_eq!(read_json(&vec![b'['; 1 << 20]), Err(JsonError));
    }

    #[test]
    fn surrogates_join_or_are_replaced() {
        assert_eq!(read_json(br#""\ud83d\ude00 \ud83d \udc00""#), Ok(Json::Text("😀 \u{fffd} \u{fffd}".into())));
    }

    #[test]
    fn integers_saturate() {
        assert_eq!(read_json(b"-99999999999999999999"), Ok(Json::Integer(-i64::MAX)));
        assert_eq!(read_json(b"1e999"), Ok(Json::Float(f64::INFINITY)));
    }
}
