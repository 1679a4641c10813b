//! The types that are serialised, read from their source.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use syn::{Attribute, Expr, Fields, GenericArgument, Item, Lit, Meta, PathArguments, Stmt, Type, UseTree};

/// Where the types are: a name for each place, and a file or a folder of files.
const SOURCES: [(&str, &str); 3] =
    [("json", "src/json"), ("session", "crates/session/src/data"), ("device", "crates/device/src/report.rs")];

/// All types that are serialised.
pub struct Types {
    /// By file, such as `json/info` or `session/history`.
    files: BTreeMap<String, File>,
}

#[derive(Default)]
struct File {
    types: BTreeMap<String, Shape>,
    /// The last but one segment of what is imported, by its last: the module of a type.
    imports: BTreeMap<String, String>,
}

/// What JSON has for a type.
pub struct Shape {
    /// The doc comment.
    pub doc: String,
    pub content: Content,
}

pub enum Content {
    /// An object.
    Fields(Vec<Field>),
    /// One of several names.
    Names(Vec<(String, String)>),
    /// An object with different keys for each variant; the key that tells which, if there is one.
    Variants(Option<String>, Vec<Variant>),
    /// What its only field is.
    Transparent(Box<Field>),
    /// A type that is serialised by hand as something other than an object, or an enum that documents do not have.
    ByHand,
}

pub struct Variant {
    pub name: String,
    pub doc: String,
    pub fields: Vec<Field>,
}

pub struct Field {
    pub key: String,
    pub doc: String,
    pub ty: Type,
    pub flatten: bool,
    /// Whether the key may be left out.
    pub optional: bool,
    /// The function that serialises it.
    pub with: Option<String>,
}

impl Types {
    /// Reads all sources.
    pub fn read(root: &Path) -> Types {
        let mut files = BTreeMap::new();
        for (place, path) in SOURCES {
            let path = root.join(path);
            let paths = match path.is_dir() {
                true => {
                    fs::read_dir(&path).expect("the folder can be read").map(|entry| entry.unwrap().path()).collect()
                }
                false => vec![path],
            };
            for path in paths {
                let stem = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
                let text = fs::read_to_string(&path).expect("the source can be read");
                let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                files.insert(format!("{place}/{stem}"), File::of(&parsed.items));
            }
        }
        Types { files }
    }

    /// Returns the names of all documents of commands, as the markers of the page have them: `info::Document`.
    pub fn documents(&self) -> Vec<String> {
        let own = self.files.iter().filter_map(|(file, content)| Some((file.strip_prefix("json/")?, content)));
        own.flat_map(|(module, content)| {
            let documents = content.types.keys().filter(|name| name.ends_with("Document"));
            documents.map(move |name| format!("{module}::{name}"))
        })
        .collect()
    }

    /// Finds the type that a marker of the page names, and its file.
    pub fn document(&self, name: &str) -> (&str, &Shape) {
        let (module, name) = name.split_once("::").unwrap_or_else(|| panic!("{name} is not MODULE::TYPE"));
        let mut found = self.files.iter().filter(|(file, _)| file.rsplit('/').next() == Some(module));
        let found = found.find_map(|(file, content)| Some((file.as_str(), content.types.get(name)?)));
        found.unwrap_or_else(|| panic!("there is no type {module}::{name}"))
    }

    /// Finds the type that a name means in a file, and the file it is in.
    pub fn resolve(&self, file: &str, name: &str) -> Option<(&str, &Shape)> {
        let own = &self.files[file];
        if let (Some(shape), Some((file, _))) = (own.types.get(name), self.files.get_key_value(file)) {
            return Some((file, shape));
        }
        let all: Vec<(&str, &Shape)> =
            self.files.iter().filter_map(|(file, content)| Some((file.as_str(), content.types.get(name)?))).collect();
        let module = own.imports.get(name);
        let imported = all.iter().find(|(file, _)| module.is_some_and(|module| file.ends_with(&format!("/{module}"))));
        match (imported, &all[..]) {
            (Some(found), _) => Some(*found),
            (None, []) => None,
            // Imported from the root of a crate.
            (None, _) => {
                let mut of_crate =
                    all.iter().filter(|(file, _)| module.is_some_and(|module| file.starts_with(&format!("{module}/"))));
                let found = of_crate.next().unwrap_or_else(|| panic!("{file}: which {name} is meant?"));
                assert!(of_crate.next().is_none(), "{file}: which {name} is meant?");
                Some(*found)
            }
        }
    }
}

impl File {
    fn of(items: &[Item]) -> File {
        let mut file = File::default();
        for item in items {
            match item {
                Item::Use(item) => imports(&item.tree, "", &mut file.imports),
                Item::Struct(item) if is_serialised(&item.attrs) => {
                    let content = struct_content(&item.attrs, &item.fields);
                    file.types.insert(item.ident.to_string(), Shape { doc: doc(&item.attrs), content });
                }
                Item::Enum(item) if is_serialised(&item.attrs) => {
                    file.types
                        .insert(item.ident.to_string(), Shape { doc: doc(&item.attrs), content: enum_content(item) });
                }
                Item::Impl(item) => {
                    let is_serialize =
                        |path: &syn::Path| path.segments.last().is_some_and(|last| last.ident == "Serialize");
                    if !item.trait_.as_ref().is_some_and(|(_, path, _)| is_serialize(path)) {
                        continue;
                    }
                    let name = type_name(&item.self_ty).expect("the type of an impl has a name");
                    let doc = items.iter().find_map(|item| doc_of(item, &name)).unwrap_or_default();
                    file.types.insert(name, Shape { doc, content: by_hand(item) });
                }
                _ => {}
            }
        }
        file
    }
}

/// A type that is serialised by hand as an object has a struct with its keys in that function.
fn by_hand(item: &syn::ItemImpl) -> Content {
    let functions = item.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let mut statements = functions.flat_map(|function| &function.block.stmts);
    let inner = statements.find_map(|statement| match statement {
        Stmt::Item(Item::Struct(inner)) if is_serialised(&inner.attrs) => Some(inner),
        _ => None,
    });
    inner.map_or(Content::ByHand, |inner| struct_content(&inner.attrs, &inner.fields))
}

fn doc_of(item: &Item, name: &str) -> Option<String> {
    match item {
        Item::Struct(item) if item.ident == name => Some(doc(&item.attrs)),
        Item::Enum(item) if item.ident == name => Some(doc(&item.attrs)),
        _ => None,
    }
}

fn struct_content(attrs: &[Attribute], all: &Fields) -> Content {
    let mut fields = fields(all);
    match serde(attrs).contains_key("transparent") {
        true => Content::Transparent(Box::new(fields.remove(0))),
        false => Content::Fields(fields),
    }
}

fn enum_content(item: &syn::ItemEnum) -> Content {
    let attrs = serde(&item.attrs);
    let is_snake = attrs.get("rename_all").is_some_and(|case| case == "snake_case");
    let name = |variant: &syn::Variant| match serde(&variant.attrs).remove("rename") {
        Some(name) => name,
        None if is_snake => snake(&variant.ident.to_string()),
        None => variant.ident.to_string(),
    };
    if item.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit)) {
        return Content::Names(item.variants.iter().map(|variant| (name(variant), doc(&variant.attrs))).collect());
    }
    let tag = attrs.get("tag").cloned();
    if tag.is_none() && !attrs.contains_key("untagged") {
        return Content::ByHand;
    }
    let variant = |variant: &syn::Variant| {
        let name = if tag.is_some() { name(variant) } else { snake(&variant.ident.to_string()) };
        Variant { name, doc: doc(&variant.attrs), fields: fields(&variant.fields) }
    };
    Content::Variants(tag.clone(), item.variants.iter().map(variant).collect())
}

fn fields(all: &Fields) -> Vec<Field> {
    let field = |field: &syn::Field| {
        let attrs = serde(&field.attrs);
        if attrs.contains_key("skip") {
            return None;
        }
        let own =
            field.ident.as_ref().map_or(String::new(), |name| name.to_string().trim_start_matches("r#").to_owned());
        Some(Field {
            key: attrs.get("rename").cloned().unwrap_or(own),
            doc: doc(&field.attrs),
            ty: field.ty.clone(),
            flatten: attrs.contains_key("flatten"),
            optional: attrs.contains_key("skip_serializing_if"),
            with: attrs.get("serialize_with").cloned(),
        })
    };
    all.iter().filter_map(field).collect()
}

fn is_serialised(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| match &attr.meta {
        Meta::List(list) if attr.path().is_ident("derive") => list.tokens.to_string().contains("Serialize"),
        _ => false,
    })
}

/// Reads `#[serde(…)]`.
fn serde(attrs: &[Attribute]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        let read = attr.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().expect("an option of serde is a word").to_string();
            let value = match meta.value() {
                Ok(value) => value.parse::<syn::LitStr>()?.value(),
                Err(_) => String::new(),
            };
            all.insert(name, value);
            Ok(())
        });
        read.expect("serde's options can be read");
    }
    all
}

/// Returns a doc comment as one paragraph.
fn doc(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter(|attr| attr.path().is_ident("doc")).filter_map(|attr| match &attr.meta {
        Meta::NameValue(value) => match &value.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ")
}

fn imports(tree: &UseTree, module: &str, all: &mut BTreeMap<String, String>) {
    match tree {
        UseTree::Path(path) => imports(&path.tree, &path.ident.to_string(), all),
        UseTree::Name(name) => drop(all.insert(name.ident.to_string(), module.to_owned())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imports(tree, module, all)),
        UseTree::Rename(_) | UseTree::Glob(_) => {}
    }
}

/// Returns the last segment of a type's path.
pub fn type_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// Returns the type argument of `Vec<T>` and the like.
pub fn argument(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

fn snake(name: &str) -> String {
    let mut text = String::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && at > 0 {
            text.push('_');
        }
        text.extend(c.to_lowercase());
    }
    text
}
