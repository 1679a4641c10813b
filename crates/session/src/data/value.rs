//! What variables hold.

use serde::{Deserialize, Serialize};

/// A sort of variables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Declared in the function.
    Locals,
    /// What the function was called with.
    Parameters,
    /// Declared outside of functions, and neither in nor out.
    Globals,
    /// What the stage was given.
    Inputs,
    /// What the stage gives on.
    Outputs,
    /// Uniforms, and members of uniform and storage blocks.
    Uniforms,
    /// What the language declares.
    BuiltIns,
    /// Samplers and images; the note of a sampler names the texels that were just read through it.
    Samplers,
}

impl Scope {
    /// All of them, in the order in which people look.
    pub const ALL: [Scope; 8] = [
        Scope::Locals,
        Scope::Parameters,
        Scope::Globals,
        Scope::Inputs,
        Scope::Outputs,
        Scope::Uniforms,
        Scope::BuiltIns,
        Scope::Samplers,
    ];

    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scope::Locals => "Locals",
            Scope::Parameters => "Parameters",
            Scope::Globals => "Globals",
            Scope::Inputs => "Inputs",
            Scope::Outputs => "Outputs",
            Scope::Uniforms => "Uniforms",
            Scope::BuiltIns => "Built-ins",
            Scope::Samplers => "Samplers",
        }
    }
}

/// A variable, a part of one, or an expression, and what it holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Variable {
    /// Its name; of a part the part's alone, such as `[2]` or `colour`.
    pub name: String,
    /// An expression that means it, in the frame it was asked for in: `lights[2].colour`.
    pub path: String,
    /// Its type as its author would write it.
    pub type_name: String,
    /// What it holds.
    pub value: Shown,
    /// How many parts it has - components, elements or members: [`crate::Session::children`] has them.
    pub children: usize,
    /// Something to say about it: that it has no value yet, or why it cannot be shown.
    pub note: Option<String>,
}

/// A value from two sides.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Shown {
    /// What the emulator says, as an expression of the language.
    pub emulated: Option<String>,
    /// What the device said, where it was recorded.
    pub measured: Option<String>,
    /// How the two compare, where both are there.
    pub agreement: Option<Agreement>,
    /// How far apart their finite numbers are at most, where both have some.
    #[serde(default)]
    pub distance: Option<f64>,
    /// The numbers that the value is made of, where it is made of one sort of scalar: those of the emulator, else those
    /// of the device. What is no finite number is left out of JSON by its writer.
    pub numbers: Vec<f64>,
    /// The device's value may still come: see [`crate::Session::wait_for_device`].
    #[serde(default)]
    pub pending: bool,
}

impl Shown {
    /// What to print: the emulator's value, and the device's where it is another.
    #[must_use]
    pub fn text(&self) -> String {
        match (&self.emulated, &self.measured) {
            (Some(emulated), Some(measured)) if matches!(self.agreement, Some(Agreement::Divergent { .. })) => {
                format!("{emulated} (the device has {measured})")
            }
            (Some(one), _) | (None, Some(one)) => one.clone(),
            (None, None) => "no value".to_owned(),
        }
    }

    /// How far apart the two are, for people; nothing where they are equal or one is not there.
    #[must_use]
    pub fn apart(&self) -> Option<String> {
        match self.agreement? {
            Agreement::Equal => None,
            Agreement::Within { ulps } | Agreement::Divergent { ulps } => Some(apart(ulps, self.distance)),
        }
    }
}

/// From so many units in the last place on, a distance is given as a number: near zero units are so small that their count
/// says nothing.
const MANY_ULPS: u32 = 10_000;

/// Returns how far apart two values are, for people: in units in the last place, or as a number.
#[must_use]
pub fn apart(ulps: u32, distance: Option<f64>) -> String {
    match distance {
        Some(distance) if ulps >= MANY_ULPS && distance.is_finite() => format!("{distance:.1e}"),
        _ => format!("{ulps} ulp"),
    }
}

/// How a measured and an emulated value compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// The same bits, or both are no number.
    Equal,
    /// As close as can be asked for.
    Within {
        /// Units in the last place of a float.
        ulps: u32,
    },
    /// Not the same.
    Divergent {
        /// Units in the last place of a float.
        ulps: u32,
    },
}

impl Agreement {
    /// Returns its name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Agreement::Equal => "equal",
            Agreement::Within { .. } => "within",
            Agreement::Divergent { .. } => "divergent",
        }
    }

    /// Returns how far apart the values are, in units in the last place of a float.
    #[must_use]
    pub fn ulps(self) -> u32 {
        match self {
            Agreement::Equal => 0,
            Agreement::Within { ulps } | Agreement::Divergent { ulps } => ulps,
        }
    }
}

impl From<verdict::Verdict> for Agreement {
    fn from(verdict: verdict::Verdict) -> Agreement {
        use verdict::Verdict;
        match verdict {
            Verdict::Equal => Agreement::Equal,
            Verdict::Within(ulps) => Agreement::Within { ulps },
            Verdict::Divergent(ulps) => Agreement::Divergent { ulps },
        }
    }
}
