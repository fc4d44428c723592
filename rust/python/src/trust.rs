//! The hash under which the trust of a memory is stored, and the parts of a memory that count even if it is unreviewed.

use crate::convert::Text;
use cuecard_core as core;
use pyo3::prelude::*;

#[pyfunction]
pub(crate) fn sha256_hex(data: &[u8]) -> String {
    core::text::sha256_hex(data)
}

#[pyfunction]
pub(crate) fn trust_hash(data: &[u8]) -> Option<String> {
    core::memory::trust_hash(data)
}

#[pyfunction]
pub(crate) fn concrete_anchors(data: &[u8]) -> Vec<String> {
    core::memory::concrete_anchors(data)
}

#[pyfunction]
pub(crate) fn is_concrete(anchor: Text) -> bool {
    core::memory::is_concrete(&anchor)
}

#[pyfunction]
pub(crate) fn anchors_file(anchors: Vec<Text>, path: Text) -> bool {
    core::memory::anchors_file(&texts(anchors), &path)
}

#[pyfunction]
pub(crate) fn anchors_named(anchors: Vec<Text>, paths: Vec<Text>) -> bool {
    core::memory::anchors_named(&texts(anchors), &texts(paths))
}

#[pyfunction]
pub(crate) fn texts_of_memory(data: &[u8], name: Text) -> Vec<String> {
    core::memory::texts_of_memory(data, &name)
}

#[pyfunction]
pub(crate) fn trust_notice(count: usize, is_more: bool) -> String {
    core::memory::trust_notice(count, is_more)
}

fn texts(texts: Vec<Text>) -> Vec<String> {
    texts.into_iter().map(Text::into_string).collect()
}
