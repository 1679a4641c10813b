//! What capture records as `afiLimits`.

use api::id;
use api::limits::{LIMITS, PRECISION_SHADERS, PRECISIONS, Query, TEXTS};
use state::Client;

use super::Twin;

/// Kinds of values in `afiLimits`.
const INTEGERS: u32 = 0;
const FLOATS: u32 = 1;
const TEXT: u32 = 2;

/// The contents of `afiLimits`.
#[derive(Default)]
struct Record(Vec<u8>);

impl Record {
    fn head(&mut self, name: u32, index: u32, kind: u32, length: usize) {
        for word in [name, index, kind, length as u32] {
            self.0.extend(word.to_le_bytes());
        }
    }

    fn integers(&mut self, name: u32, index: u32, values: &[i64]) {
        self.head(name, index, INTEGERS, values.len());
        values.iter().for_each(|value| self.0.extend(value.to_le_bytes()));
    }

    fn floats(&mut self, name: u32, values: &[f32]) {
        self.head(name, 0, FLOATS, values.len());
        values.iter().for_each(|value| self.0.extend(f64::from(*value).to_le_bytes()));
    }

    fn text(&mut self, name: u32, index: u32, text: &str) {
        self.head(name, index, TEXT, text.len());
        self.0.extend(text.as_bytes());
    }
}

impl Twin {
    /// Returns the driver's limits. Queries that it refuses are left out, as capture leaves them out.
    pub(super) fn limits(&self) -> Vec<u8> {
        let wide = self.model.context(1).is_some_and(|context| context.facts.client != Client::Es1);
        let mut record = Record::default();
        for limit in LIMITS {
            let name = u64::from(limit.name);
            match limit.query {
                Query::Integers(count) if wide => {
                    let mut numbers = [0i64; 64];
                    self.real(id::glGetInteger64v, &[name, numbers.as_mut_ptr() as u64]);
                    if self.real_error() == 0 {
                        record.integers(limit.name, 0, &numbers[..usize::from(count)]);
                    }
                }
                Query::Integers(count) => {
                    if let Some(numbers) = self.integers(limit.name, usize::from(count)) {
                        record.integers(limit.name, 0, &numbers);
                    }
                }
                Query::Floats(count) => {
                    let mut numbers = [0f32; 64];
                    self.real(id::glGetFloatv, &[name, numbers.as_mut_ptr() as u64]);
                    if self.real_error() == 0 {
                        record.floats(limit.name, &numbers[..usize::from(count)]);
                    }
                }
                Query::Listed(count) => {
                    let Some(count) = self.integers(count, 1) else { continue };
                    if let Some(numbers) = self.integers(limit.name, count[0] as usize) {
                        record.integers(limit.name, 0, &numbers);
                    }
                }
                Query::Indexed(count) if wide => {
                    for index in 0..u64::from(count) {
                        let mut number = [0i32; 4];
                        self.real(id::glGetIntegeri_v, &[name, index, number.as_mut_ptr() as u64]);
                        if self.real_error() == 0 {
                            record.integers(limit.name, index as u32, &[i64::from(number[0])]);
                        }
                    }
                }
                Query::Indexed(_) => {}
            }
        }
        self.precisions(&mut record);
        self.texts(&mut record);
        record.0
    }

    fn precisions(&self, record: &mut Record) {
        for (shader, kind) in PRECISION_SHADERS.iter().flat_map(|shader| PRECISIONS.map(|kind| (*shader, kind))) {
            let (mut range, mut precision) = ([0i32; 2], 0i32);
            let pointers = [range.as_mut_ptr() as u64, &raw mut precision as u64];
            self.real(id::glGetShaderPrecisionFormat, &[u64::from(shader), u64::from(kind), pointers[0], pointers[1]]);
            if self.real_error() == 0 {
                record.integers(kind, shader, &[range[0], range[1], precision].map(i64::from));
            }
        }
    }

    fn texts(&self, record: &mut Record) {
        for (name, count) in TEXTS {
            let whole = self.text(name);
            if self.real_error() == 0 {
                record.text(name, 0, &whole);
            }
            for index in 0..self.integers(count, 1).map_or(0, |numbers| numbers[0]) as u64 {
                let one = self.text_at(name, index);
                if self.real_error() == 0 {
                    record.text(name, index as u32 + 1, &one);
                }
            }
        }
    }
}
