//! The options and operands of a command (SPEC 16.3).

/// Which of a program's options take a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Syntax {
    /// Letters whose value is the rest of their word, or else the next word.
    pub(crate) valued: &'static str,
    /// Letters whose value can only be the rest of their word.
    pub(crate) attached: &'static str,
    /// Long names whose value is the next word where no `=` brings it.
    pub(crate) long: &'static [&'static str],
}

/// Options with their values, and the other words.
#[derive(Debug, Default)]
pub(crate) struct Arguments<'a> {
    pub(crate) options: Vec<(String, &'a str)>,
    pub(crate) operands: Vec<&'a str>,
    /// How many words stand before the first operand.
    pub(crate) leading: usize,
}

impl Syntax {
    /// The arguments of a program; `--` ends its options.
    pub(crate) fn read<'a>(&self, words: &'a [String], is_wrapper: bool) -> Arguments<'a> {
        let mut arguments = Arguments::default();
        let mut rest = words.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            if word == "--" {
                arguments.operands.extend(rest.by_ref());
            } else if let Some(long) = word.strip_prefix("--") {
                let (name, value) = match long.split_once('=') {
                    Some((name, value)) => (name, value),
                    None if self.long.contains(&long) => (long, rest.next().unwrap_or_default()),
                    None => (long, ""),
                };
                arguments.options.push((name.to_owned(), value));
            } else if let Some(cluster) = word.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
                for (place, letter) in cluster.char_indices() {
                    let behind = cluster.get(place + letter.len_utf8()..).unwrap_or_default();
                    let is_valued = self.valued.contains(letter);
                    let value = if is_valued && behind.is_empty() { rest.next().unwrap_or_default() } else { behind };
                    let ends = is_valued || self.attached.contains(letter);
                    arguments.options.push((letter.to_string(), if ends { value } else { "" }));
                    if ends {
                        break;
                    }
                }
            } else {
                arguments.operands.push(word);
                if is_wrapper {
                    arguments.operands.extend(rest.by_ref());
                }
            }
        }
        arguments.leading = words.len() - arguments.operands.len();
        arguments
    }
}

impl<'a> Arguments<'a> {
    /// Whether one of the options stands there.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    /// The value of the first of the options that stands there.
    pub(crate) fn value(&self, names: &[&str]) -> Option<&'a str> {
        self.options.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| *value)
    }
}
