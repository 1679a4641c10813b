//! Query objects.

/// A query object.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// A number that is unique in its context's share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether the object exists, not only its name.
    pub exists: bool,
    /// Its target; 0 until it is known.
    pub target: u32,
    /// The vertex stream of an indexed target.
    pub stream: u32,
    /// Whether it is between begin and end.
    pub active: bool,
    /// Its result, as far as known.
    pub result: QueryResult,
}

/// The result of a query, as far as known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum QueryResult {
    /// Never begun: 0.
    #[default]
    None,
    /// Not read by the program.
    Unknown,
    /// Read by the program.
    Read(u64),
}

/// The active queries of a context, and the one of conditional rendering.
#[derive(Clone, Debug, Default)]
pub struct ActiveQueries {
    /// Target, vertex stream and name of active queries.
    pub active: Vec<(u32, u32, u32)>,
    /// Name and mode of `glBeginConditionalRender`.
    pub condition: Option<(u32, u32)>,
}
