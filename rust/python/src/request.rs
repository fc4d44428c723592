//! Reads the requests of Python to a snapshot.

use crate::convert::{Raised, Text, pairs, strings};
use crate::settings::Settings;
use cuecard_core::index::Filters;
use cuecard_core::memory::Status;
use cuecard_core::rank::{Context, Request, Situation};
use cuecard_core::settings::{GateSetting, Strategy};
use cuecard_engine::{Past, Question, Review};
use pyo3::prelude::*;

type FilterValues = (Vec<Text>, Vec<Text>, Vec<Text>, Option<i64>, Option<i64>, Text);
type SituationValues = (Vec<Text>, Vec<Text>, Vec<Text>);

/// The fields of a `cuecard._pure.requests.request.Request`.
#[derive(FromPyObject)]
pub(crate) struct Asked<'py> {
    prompt: Text,
    k: usize,
    settings: PyRef<'py, Settings>,
    descriptions: Vec<(Text, Text)>,
    synonyms: Vec<Vec<Text>>,
    history: Vec<Text>,
    earlier: Vec<Text>,
    now: i64,
    filters: Option<FilterValues>,
    situation: Option<SituationValues>,
    embedded: Option<Vec<(i64, i64)>>,
}

impl Asked<'_> {
    /// Converts the request and calls `answer` with it, without the interpreter's lock.
    pub(crate) fn answer<T: Send>(
        self,
        py: Python<'_>,
        answer: impl FnOnce(Request<'_>) -> T + Send,
    ) -> Result<T, Raised> {
        let filters = self.filters.map(filters_of).transpose()?.unwrap_or_default();
        let (history, earlier) = (strings(self.history), strings(self.earlier));
        let descriptions = pairs(self.descriptions);
        let synonyms: Vec<Vec<String>> = self.synonyms.into_iter().map(strings).collect();
        let situation = self.situation.map(situation_of);
        let embedded = self.embedded.map(known_positions).unwrap_or_default();
        let request = Request {
            prompt: &self.prompt,
            history: &history,
            earlier: &earlier,
            context: Context { descriptions: &descriptions, synonyms: &synonyms },
            settings: &self.settings.0,
            now: self.now,
            situation: situation.as_ref(),
            embedded: &embedded,
            filters: &filters,
            k: self.k,
        };
        Ok(py.detach(|| answer(request)))
    }
}

/// The fields of a `cuecard._pure.requests.request.Question`.
#[derive(FromPyObject)]
pub(crate) struct AskedOfStore<'py> {
    request: Asked<'py>,
    strategy: Text,
    setting: Text,
    review: Text,
    past: Text,
}

impl AskedOfStore<'_> {
    /// Converts the question and calls `answer` with it, without the interpreter's lock.
    pub(crate) fn answer<T: Send>(
        self,
        py: Python<'_>,
        answer: impl FnOnce(Question<'_>) -> T + Send,
    ) -> Result<T, Raised> {
        let strategy = Strategy::from_name(&self.strategy)?;
        let setting = GateSetting::from_name(&self.setting)?;
        let review = review_of(&self.review);
        // An unknown name counts as the strictest, `Hidden`. With filters, a superseded memory is not replaced by its
        // successor, and memories that do not hold are shown.
        let past = Past::find(&self.past).unwrap_or(Past::Hidden);
        let is_narrowed = self.request.filters.is_some() && past != Past::Hidden;
        let (follows_successors, past) = if is_narrowed { (false, Past::Shown) } else { (true, past) };
        self.request
            .answer(py, |request| answer(Question { request, strategy, setting, review, follows_successors, past }))
    }
}

/// Returns how memories that nobody vouches for are treated; an unknown name gives the strictest treatment.
pub(crate) fn review_of(name: &str) -> Review {
    Review::find(name).unwrap_or(Review::Heeded)
}

/// Returns the pairs whose first number can be a position, which is neither negative nor above 32 bits.
pub(crate) fn known_positions(pairs: Vec<(i64, i64)>) -> Vec<(u32, i64)> {
    pairs.into_iter().filter_map(|(position, value)| Some((u32::try_from(position).ok()?, value))).collect()
}

fn filters_of((categories, tags, statuses, since, until, path): FilterValues) -> Result<Filters, Raised> {
    let statuses = statuses.iter().map(|name| Status::from_name(name)).collect::<Result<_, _>>()?;
    let (categories, tags) = (strings(categories), strings(tags));
    Ok(Filters { categories, tags, statuses, since, until, path: path.into_string() })
}

fn situation_of((paths, changed, focus): SituationValues) -> Situation {
    Situation { paths: strings(paths), changed: strings(changed), focus: strings(focus) }
}
