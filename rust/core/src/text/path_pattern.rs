//! Matches paths with patterns: `*` and `?` match within a part of the path, `**` matches any number of parts (SPEC
//! 33.2).

/// Whether a pattern matches a path; a pattern that ends with `/` matches every path below a matching folder.
#[must_use]
pub fn matches_path(pattern: &str, path: &str) -> bool {
    let mut of_pattern: Vec<&str> = pattern.split('/').collect();
    if of_pattern.last() == Some(&"") {
        of_pattern.pop();
        of_pattern.extend(["**", "*"]);
    }
    let of_path: Vec<&str> = path.split('/').collect();
    matches(&of_pattern, &of_path, |part| *part == "**", |part, text| matches_part(part, text))
}

fn matches_part(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    matches(&pattern, &text, |char| *char == '*', |wanted, char| *wanted == '?' || wanted == char)
}

/// Whether items match a pattern. A pattern item for which `is_any` is true matches any number of items; any other
/// pattern item matches one item.
///
/// Only the last pattern item for which `is_any` is true is tried again, so the cost is at most the product of both
/// lengths.
fn matches<T>(pattern: &[T], items: &[T], is_any: impl Fn(&T) -> bool, is_one: impl Fn(&T, &T) -> bool) -> bool {
    let (mut place, mut at) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while let Some(item) = items.get(at) {
        match pattern.get(place) {
            Some(wanted) if is_any(wanted) => {
                again = Some((place + 1, at));
                place += 1;
            }
            Some(wanted) if is_one(wanted, item) => {
                place += 1;
                at += 1;
            }
            _ => {
                let Some((behind, begin)) = again else { return false };
                again = Some((behind, begin + 1));
                (place, at) = (behind, begin + 1);
            }
        }
    }
    pattern.get(place..).unwrap_or_default().iter().all(is_any)
}

#[cfg(test)]
mod tests {
    use super::matches_path;

    #[test]
    fn a_star_stays_within_a_part_and_two_go_over_parts() {
        let cases = [
            ("src/*.py", "src/a.py", true),
            ("src/*.py", "src/a/b.py", false),
            ("src/**/b.py", "src/b.py", true),
            ("src/**/b.py", "src/x/y/b.py", true),
            ("**/*_test.?s", "a/b/x_test.ts", true),
            ("**", "a/b", true),
            ("src/*/", "src/a/b/c.py", true),
            ("src/*/", "src/a", false),
            ("a*b*c", "aXbXbc", true),
            ("a*b*c", "aXbXb", false),
            ("é?", "éé", true),
        ];
        for (pattern, path, is_match) in cases {
            assert_eq!(matches_path(pattern, path), is_match, "{pattern} {path}");
        }
    }
}
