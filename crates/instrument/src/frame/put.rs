//! Functions that append the words of values.

use shader::types::{Scalar, Type};

use super::Frame;
use crate::stream::word_count;
use crate::variant::Refusal;

impl Frame<'_> {
    /// A statement that appends a record, as a template: the number of its site, and a value. The value's text must be
    /// cheap and without side effects, such as a variable's name, because it may be repeated.
    ///
    /// # Errors
    /// When the type has no values.
    pub fn record_value(&mut self, site: &str, ty: Type, value: &str) -> Result<String, Refusal> {
        let puts = match self.put(ty) {
            Ok(put) => format!("{put}({value});"),
            // No function can name the type.
            Err(_) => self.put_statement(ty, value)?,
        };
        Ok(self.record(site, word_count(&self.subject.shader.typed.types, ty), &puts))
    }

    /// The name of a function that appends a value's words to a record, if they fit.
    ///
    /// # Errors
    /// When the type has no values, or no function can name it.
    pub fn put(&mut self, ty: Type) -> Result<String, Refusal> {
        if let Some((_, name)) = self.puts.iter().find(|(known, _)| *known == ty) {
            return Ok(name.clone());
        }
        let body = self.put_statement(ty, "$v")?;
        let shader = self.subject.shader;
        let mut name = String::from("put_");
        for part in shader.type_name(ty).split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
            name = name.trim_end_matches('_').to_owned() + "_" + part;
        }
        let mut name = self.name(&name);
        while self.puts.iter().any(|(_, known)| *known == name) {
            name.push('x');
        }
        let parameter = self.declarator(ty, "$v");
        let text = self.text(&format!("void {name}({parameter}) {{ {body} }}\n"));
        self.declare_for(ty, &text)?;
        self.puts.push((ty, name.clone()));
        Ok(name)
    }

    /// Statements that append the words of a value, also for types that no function can name.
    fn put_statement(&mut self, ty: Type, value: &str) -> Result<String, Refusal> {
        let shader = self.subject.shader;
        let types = &shader.typed.types;
        let mut text = String::new();
        match ty {
            Type::Scalar(scalar) => {
                for word in self.words_of(scalar, value) {
                    text.push_str(&format!("$word({word}); "));
                }
                return Ok(self.text(text.trim_end()));
            }
            Type::Vector(scalar, count) => {
                let put = self.put(Type::Scalar(scalar))?;
                for component in ["x", "y", "z", "w"].iter().take(usize::from(count)) {
                    text.push_str(&format!("{put}({value}.{component}); "));
                }
            }
            Type::Matrix(scalar, columns, rows) => {
                let put = self.put(Type::vector(scalar, rows))?;
                for column in 0..columns {
                    text.push_str(&format!("{put}({value}[{column}]); "));
                }
            }
            Type::Array(_) => {
                let array = types.as_array(ty);
                let Some((element, Some(size))) = array.map(|array| (array.element, array.size)) else {
                    return Err(Refusal::Impossible("an array without a size cannot be read as a whole".to_owned()));
                };
                if self.positions.of_type(shader, ty).is_ok() {
                    let put = self.put(element)?;
                    (0..size).for_each(|index| text.push_str(&format!("{put}({value}[{index}]); ")));
                } else {
                    for index in 0..size {
                        text.push_str(&self.put_statement(element, &format!("{value}[{index}]"))?);
                        text.push(' ');
                    }
                }
            }
            Type::Struct(id) => {
                for field in &types.structs[id.0 as usize].fields {
                    let member = format!("{value}.{}", shader.preprocessed.symbols.name(field.name));
                    match self.positions.of_type(shader, field.ty) {
                        Ok(_) => text.push_str(&format!("{}({member}); ", self.put(field.ty)?)),
                        Err(_) => text.push_str(&format!("{} ", self.put_statement(field.ty, &member)?)),
                    }
                }
            }
            Type::Error | Type::Void | Type::Opaque(_) | Type::Subroutine(_) => {
                let name = shader.type_name(ty);
                return Err(Refusal::Impossible(format!("a {name} has no value that can be read")));
            }
        }
        Ok(self.text(text.trim_end()))
    }

    /// The declaration of a variable or parameter: `vec4 v`, `float v[3]`.
    #[must_use]
    pub fn declarator(&self, ty: Type, name: &str) -> String {
        let types = &self.subject.shader.typed.types;
        let (mut element, mut sizes) = (ty, String::new());
        while let Some(array) = types.as_array(element) {
            sizes.push_str(&array.size.map_or("[]".to_owned(), |size| format!("[{size}]")));
            element = array.element;
        }
        let mut type_name = self.subject.shader.type_name(element);
        if element == Type::UINT && !self.language.integers {
            // The spelling of GL_EXT_gpu_shader4.
            type_name = "unsigned int".to_owned();
        }
        let precise = element.scalar().is_some_and(|scalar| scalar != Scalar::Bool);
        let highp = if precise { self.language.highp } else { "" };
        format!("{highp}{type_name} {name}{sizes}")
    }
}
