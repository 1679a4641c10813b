//! Query objects.

/// A query object.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// A number that no other object of its context's share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether there is more than the name.
    pub exists: bool,
    /// What it counts; 0 as long as nobody has said.
    pub target: u32,
    /// The vertex stream of an indexed target.
    pub stream: u32,
    /// Whether it is between begin and end.
    pub active: bool,
    /// What is known of its result.
    pub result: QueryResult,
}

/// What is known of the result of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum QueryResult {
    /// Nothing was counted yet: 0.
    #[default]
    None,
    /// GL knows, and the program has not asked.
    Unknown,
    /// GL told the program.
    Told(u64),
}

/// The queries that are active in a context, and which of them decides about drawing.
#[derive(Clone, Debug, Default)]
pub struct ActiveQueries {
    /// Target, vertex stream and name of those between begin and end.
    pub active: Vec<(u32, u32, u32)>,
    /// Name and mode of the one that `glBeginConditionalRender` was told.
    pub condition: Option<(u32, u32)>,
}
