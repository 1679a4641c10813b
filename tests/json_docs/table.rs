//! Tables of keys: one for a document, and one for each object in it.

use std::collections::VecDeque;
use std::fmt::Write as _;

use syn::Type;

use crate::types::{Content, Field, Shape, Types, argument, type_name};

/// What is written for types and functions that serialise by hand: a value, or an object with arbitrary keys.
const BY_HAND: [(&str, &str); 10] = [
    ("Number", "number"),
    ("TexelValue", "list of 4 numbers; of a depth or stencil plane a number"),
    ("Plane", "text"),
    ("Tree", "any"),
    ("Detail", "number or text"),
    ("number::list", "list of numbers"),
    ("number::lists", "list of lists of numbers"),
    ("number::by_name", "object: lists of numbers by name"),
    ("by_column", "object: values by column"),
    ("PathBuf", "text"),
];

/// An object that is still to be described.
struct Object<'a> {
    /// The keys that lead to it.
    paths: Vec<String>,
    file: &'a str,
    name: String,
    shape: &'a Shape,
}

/// Returns the tables of a document.
pub fn describe(types: &Types, name: &str) -> String {
    let (file, shape) = types.document(name);
    let document = Object { paths: Vec::new(), file, name: name.to_owned(), shape };
    let (mut text, mut seen) = (String::new(), Vec::new());
    let mut todo = VecDeque::from([document]);
    while let Some(object) = todo.pop_front() {
        let mut table = Table { types, rows: String::new(), found: Vec::new(), absent: false };
        table.object(&object);
        if let Some(first) = object.paths.first() {
            let paths: Vec<String> = object.paths.iter().map(|path| format!("`{path}`")).collect();
            assert!(!object.shape.doc.is_empty(), "{} ({first}) has no documentation", object.name);
            let _ = writeln!(text, "{}: {}\n", paths.join(", "), sentence(&object.shape.doc));
        }
        let _ = writeln!(text, "| Key | Value | Meaning |\n|---|---|---|\n{}", table.rows);
        seen.push((object.file, object.name));
        for found in table.found {
            if seen.iter().any(|(file, name)| *file == found.file && *name == found.name) {
                continue;
            }
            match todo.iter_mut().find(|known| known.file == found.file && known.name == found.name) {
                Some(known) => known.paths.extend(found.paths),
                None => todo.push_back(found),
            }
        }
    }
    text.trim_end().to_owned() + "\n"
}

struct Table<'a> {
    types: &'a Types,
    rows: String,
    /// Objects in this one.
    found: Vec<Object<'a>>,
    /// Whether the keys at hand may be left out together.
    absent: bool,
}

impl<'a> Table<'a> {
    fn object(&mut self, object: &Object<'a>) {
        let prefix = object.paths.first().map_or(String::new(), |path| format!("{path}."));
        self.content(&object.name, object.file, &object.shape.content, &prefix, "");
    }

    fn content(&mut self, name: &str, file: &'a str, content: &'a Content, prefix: &str, note: &str) {
        match content {
            Content::Fields(fields) => fields.iter().for_each(|field| self.field(name, file, field, prefix, note)),
            Content::Variants(tag, variants) => {
                if let Some(tag) = tag {
                    let names: Vec<(String, String)> =
                        variants.iter().map(|variant| (variant.name.clone(), variant.doc.clone())).collect();
                    self.row(tag, "text", &format!("{}{}", note, one_of(&names)));
                }
                for variant in variants {
                    let note = match tag {
                        Some(_) => format!("{note}Of `{}`: ", variant.name),
                        None => format!("{note}{}: ", variant.doc.trim_end_matches('.')),
                    };
                    variant.fields.iter().for_each(|field| self.field(name, file, field, prefix, &note));
                }
            }
            Content::Names(_) | Content::Transparent(_) | Content::ByHand => panic!("{name} is not an object"),
        }
    }

    fn field(&mut self, owner: &str, file: &'a str, field: &'a Field, prefix: &str, note: &str) {
        if field.flatten {
            let (ty, is_option) = match type_name(bare(&field.ty)).as_deref() {
                Some("Option") => (argument(bare(&field.ty)).expect("an option of something"), true),
                _ => (&field.ty, false),
            };
            let name = type_name(bare(ty)).expect("a flattened field has a named type");
            let (file, shape) = self.types.resolve(file, &name).unwrap_or_else(|| panic!("{file}: no type {name}"));
            let before = self.absent;
            self.absent |= is_option;
            self.content(&name, file, &shape.content, prefix, note);
            self.absent = before;
            return;
        }
        assert!(!field.doc.is_empty(), "{file}: {owner}.{} has no documentation", field.key);
        let path = format!("{prefix}{}", field.key);
        let (mut value, mut meaning) = (String::new(), sentence(&field.doc));
        match &field.with {
            Some(function) => value = by_hand(file, function).to_owned(),
            None => self.value(file, &field.ty, &path, &mut value, &mut meaning),
        }
        if field.optional {
            value.truncate(value.trim_end_matches(" or null").len());
        }
        if field.optional || self.absent {
            value += ", or absent";
        }
        self.row(&field.key, &value, &format!("{note}{meaning}"));
    }

    fn row(&mut self, key: &str, value: &str, meaning: &str) {
        let _ = writeln!(self.rows, "| `{key}` | {value} | {} |", meaning.trim_end_matches('.').replace('|', "\\|"));
    }

    /// Describes what a key holds.
    fn value(&mut self, file: &'a str, ty: &'a Type, path: &str, value: &mut String, meaning: &mut String) {
        let ty = bare(ty);
        match ty {
            Type::Array(array) => {
                let count = match &array.len {
                    syn::Expr::Lit(literal) => match &literal.lit {
                        syn::Lit::Int(count) => format!("{count} "),
                        _ => String::new(),
                    },
                    _ => String::new(),
                };
                return self.list(file, &array.elem, &count, path, value, meaning);
            }
            Type::Slice(slice) => return self.list(file, &slice.elem, "", path, value, meaning),
            _ => {}
        }
        let name = type_name(ty).unwrap_or_else(|| panic!("{file}: {path} has a type without a name"));
        match name.as_str() {
            "bool" => *value += "true or false",
            "str" | "String" => *value += "text",
            "u8" | "u16" | "u32" | "u64" | "i32" | "i64" | "usize" | "f32" | "f64" => *value += "number",
            "Vec" | "Stream" => self.list(file, argument(ty).expect("a list of something"), "", path, value, meaning),
            "Arc" | "Box" => self.value(file, argument(ty).expect("a type"), path, value, meaning),
            "Option" => {
                self.value(file, argument(ty).expect("a type"), path, value, meaning);
                *value += " or null";
            }
            _ => self.named(file, &name, path, value, meaning),
        }
    }

    fn named(&mut self, file: &'a str, name: &str, path: &str, value: &mut String, meaning: &mut String) {
        let Some((file, shape)) = self.types.resolve(file, name) else {
            return *value += by_hand(file, name);
        };
        match &shape.content {
            Content::Fields(_) | Content::Variants(..) => {
                *value += "object";
                let paths = vec![path.to_owned()];
                self.found.push(Object { paths, file, name: name.to_owned(), shape });
            }
            Content::Names(names) => {
                *value += "text";
                *meaning = format!("{}: {}", meaning.trim_end_matches('.'), one_of(names));
            }
            Content::Transparent(field) => match &field.with {
                Some(function) => *value += by_hand(file, function),
                None => self.value(file, &field.ty, path, value, meaning),
            },
            Content::ByHand => *value += by_hand(file, name),
        }
    }

    fn list(&mut self, file: &'a str, of: &'a Type, count: &str, path: &str, value: &mut String, meaning: &mut String) {
        let mut element = String::new();
        self.value(file, of, &format!("{path}[]"), &mut element, meaning);
        let plural = match element.as_str() {
            "text" => "texts".to_owned(),
            "number" | "object" => format!("{element}s"),
            list => list.replacen("list of", "lists of", 1),
        };
        let _ = write!(value, "list of {count}{plural}");
    }
}

fn by_hand(file: &str, name: &str) -> &'static str {
    let found = BY_HAND.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("{file}: say in BY_HAND what {name} is in JSON")).1
}

/// Removes references.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => bare(&reference.elem),
        other => other,
    }
}

/// Returns names with what each means.
fn one_of(names: &[(String, String)]) -> String {
    let one = |(name, doc): &(String, String)| match doc.is_empty() {
        true => format!("`{name}`"),
        false => format!("`{name}` ({})", lower(sentence(doc).trim_end_matches('.'))),
    };
    names.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Begins a text with a small letter, unless its first word has capitals of its own.
fn lower(text: &str) -> String {
    let is_word = text.chars().skip(1).take_while(|c| !c.is_whitespace()).all(|c| !c.is_uppercase());
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if is_word => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// Returns a doc comment in the words of JSON: without links, and null for none.
fn sentence(doc: &str) -> String {
    let mut text = String::new();
    let mut rest = doc;
    while let Some((before, link)) = rest.split_once("[`") {
        let (target, after) = link.split_once("`]").expect("a link ends");
        let last = target.rsplit("::").next().unwrap_or(target);
        text += &format!("{before}`{last}`");
        rest = after;
    }
    text += rest;
    text.replace("`None`", "null")
}
