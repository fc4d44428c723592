//! The texts of the files in `python/cuecard/assets/tables` (SPEC 2.4).

/// The file of phrases in which users and agents speak about remembering.
pub(crate) const CAPTURE_PHRASES: &str = include_str!("../../../../python/cuecard/assets/tables/capture_phrases.txt");
/// The file of properties of characters.
pub(crate) const CHARACTERS: &str = include_str!("../../../../python/cuecard/assets/tables/characters.txt");
/// The file of the composition of characters.
pub(crate) const COMPOSITION: &str = include_str!("../../../../python/cuecard/assets/tables/composition.txt");
/// The file of cuecard's commands that are for people.
pub(crate) const COMMANDS_FOR_PEOPLE: &str =
    include_str!("../../../../python/cuecard/assets/tables/commands_for_people.txt");
/// The file of cues, which tell the kind of a prompt.
pub(crate) const CUES: &str = include_str!("../../../../python/cuecard/assets/tables/cues.txt");
/// The file of the gate's coefficients.
pub(crate) const GATE: &str = include_str!("../../../../python/cuecard/assets/tables/gate.txt");
/// The file of the protocols of hosts.
pub(crate) const HOSTS: &str = include_str!("../../../../python/cuecard/assets/tables/hosts.txt");
/// The file of function words of languages other than English.
pub(crate) const LANGUAGES: &str = include_str!("../../../../python/cuecard/assets/tables/languages.txt");
/// The file of what tools are told about an edit or a command.
pub(crate) const TOOL_INPUTS: &str = include_str!("../../../../python/cuecard/assets/tables/tool_inputs.txt");
/// The file of words beside which people type secrets.
pub(crate) const SECRET_WORDS: &str = include_str!("../../../../python/cuecard/assets/tables/secret_words.txt");
/// The file of instruction signs.
pub(crate) const SIGNS: &str = include_str!("../../../../python/cuecard/assets/tables/instruction_signs.txt");
/// The file of synonyms of terms.
pub(crate) const SYNONYMS: &str = include_str!("../../../../python/cuecard/assets/tables/synonyms.txt");
/// The file of stop words, weak words and other lists of words.
pub(crate) const WORDS: &str = include_str!("../../../../python/cuecard/assets/tables/words.txt");
/// The file of tools and commands that write files.
pub(crate) const WRITING_COMMANDS: &str = include_str!("../../../../python/cuecard/assets/tables/writing_commands.txt");
