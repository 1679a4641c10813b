//! What responses carry.

use serde::Serialize;

/// A text.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    pub name: String,
    pub path: String,
    /// Ask for the text by this; 0 where `path` is a file.
    pub source_reference: i64,
    pub origin: String,
    pub adapter_data: AdapterData,
}

/// What a client gives back with a source.
#[derive(Clone, Debug, Serialize)]
pub struct AdapterData {
    pub id: String,
}

/// An invocation.
#[derive(Clone, Debug, Serialize)]
pub struct Thread {
    pub id: i64,
    pub name: String,
}

/// A level of the stack.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    pub id: i64,
    pub name: String,
    pub source: Option<Source>,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_pointer_reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
}

/// A sort of variables.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    pub name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
    pub variables_reference: i64,
    pub named_variables: usize,
    pub expensive: bool,
}

/// A variable, or the outcome of an expression.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    pub name: String,
    pub value: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    pub evaluate_name: String,
    pub variables_reference: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<Hint>,
}

/// How a variable is to look.
#[derive(Clone, Debug, Serialize)]
pub struct Hint {
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<&'static str>,
}

/// What became of a breakpoint.
#[derive(Clone, Debug, Serialize)]
pub struct Breakpoint {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    pub verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// Something to step into.
#[derive(Clone, Debug, Serialize)]
pub struct StepInTarget {
    pub id: i64,
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}
