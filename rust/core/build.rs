//! Writes the tables of `python/cuecard/assets/tables` as Rust expressions, which `src/tables/reader.rs` includes.

use std::path::Path;
use std::{env, fs, io};

#[path = "src/tables/slot.rs"]
mod slot;
#[path = "src/tables/writer.rs"]
mod writer;

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/cuecard/assets/tables");
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    println!("cargo::rerun-if-changed={}", folder.display());
    // A table that was removed or renamed must not stay.
    for entry in fs::read_dir(&out)? {
        fs::remove_file(entry?.path())?;
    }
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let Some(file) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".txt")) else { continue };
        let text = fs::read_to_string(&path)?;
        for (table, text) in writer::tables_of(&text) {
            for (form, written) in writer::forms_of(text) {
                let place = Path::new(&out).join(format!("{file}.{table}.{form}"));
                fs::write(
                    place,
                    written.unwrap_or_else(|why| format!("compile_error!(\"{file}.txt, `{table}`: {why}\")")),
                )?;
            }
            fs::write(Path::new(&out).join(format!("{file}.{table}.table")), format!("{text:?}"))?;
        }
    }
    Ok(())
}
