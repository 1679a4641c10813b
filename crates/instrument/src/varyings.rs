//! The parts of varyings that a vertex shader writes.
//!
//! Up to GLSL 1.20 a fragment shader may declare varyings of which the vertex shader writes nothing, or only some
//! components, as long as it needs no others (GLSL 1.20, 4.3.6). Mesa judges that when it has removed what is not needed,
//! and refuses a fragment shader that reads more: as one does that records its inputs, or a variable that nobody reads.

use std::collections::BTreeMap;

use shader::Shader;
use shader::ast::{ExprId, ExprKind, NodeId};
use shader::qualifier::Storage;
use shader::query_rvalue::{Use, Uses};
use shader::typed::{ScopeId, Target, VarId, Variable, VariableKind};
use shader::types::{Type, TypeTable};

use crate::weave::Nodes;

/// More elements than any varying has; arrays in shaders of a trace may claim any number.
const MOST_ELEMENTS: u32 = 1024;

/// What a shader writes of its varyings: for each, by name, the components of each element, or column, as bits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Written(BTreeMap<String, Vec<u8>>);

/// All components of an element.
const WHOLE: u8 = 0b1111;

/// How a varying is divided: the number of its elements or columns, the type of one, and its components as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Division {
    pub count: u32,
    pub element: Type,
    pub all: u8,
}

impl Written {
    /// Determines what a vertex shader writes. `None` where it does not matter: in other languages, whatever a fragment
    /// shader reads may be unwritten.
    #[must_use]
    pub fn of(shader: &Shader) -> Option<Written> {
        if !matters(shader) {
            return None;
        }
        let (nodes, uses) = (Nodes::new(shader), Uses::new(shader));
        let mut written = Written::default();
        for id in uses.all(Use::Lvalue).filter(|id| nodes.is_reached(NodeId::Expr(*id))) {
            let inside = matches!(nodes.parent(NodeId::Expr(id)), Some(NodeId::Expr(outer))
                if uses.of(outer) == Use::Lvalue && is_part(shader, outer, id));
            if !inside {
                written.add(shader, id);
            }
        }
        Some(written)
    }

    /// The components of each element that are written, of a varying with that many.
    pub(crate) fn masks(&self, name: &str, division: Division) -> Vec<u8> {
        let known = self.0.get(name).map_or(&[][..], Vec::as_slice);
        (0..division.count as usize).map(|at| known.get(at).copied().unwrap_or(0) & division.all).collect()
    }

    fn add(&mut self, shader: &Shader, place: ExprId) {
        let mut steps = Vec::new();
        let mut at = place;
        let variable = loop {
            match (shader.tree.expr(at).kind, shader.typed.expr(at).target) {
                (ExprKind::Paren(inner), _) => at = inner,
                (ExprKind::Index(base, index), _) => {
                    steps.push(Step::Index(constant(shader, index)));
                    at = base;
                }
                (ExprKind::Field(base, _), Target::Swizzle(swizzle)) => {
                    let bits = swizzle.components().iter().map(|component| 1 << component);
                    steps.push(Step::Components(bits.fold(0, |all, bit: u8| all | bit)));
                    at = base;
                }
                (_, Target::Variable(variable)) => break variable,
                _ => return,
            }
        };
        let row = shader.typed.variable(variable);
        if !is_varying(row, Storage::Out) {
            return;
        }
        let Some(division) = divide(row, &shader.typed.types) else { return };
        let name = shader.preprocessed.symbols.name(row.name).to_owned();
        let masks = self.0.entry(name).or_insert_with(|| vec![0; division.count as usize]);
        let mut steps = steps.into_iter().rev();
        let has_elements = shader.typed.types.as_array(row.ty).is_some() || matches!(row.ty, Type::Matrix(..));
        let element = if has_elements { steps.next() } else { None };
        let mask = match (division.element, steps.next()) {
            // A component of a vector; elements that have more than one dimension are not divided further.
            (Type::Vector(..), Some(Step::Index(Some(index)))) => 1_u8.checked_shl(index).unwrap_or(WHOLE),
            (Type::Vector(..), Some(Step::Components(bits))) => bits,
            _ => WHOLE,
        };
        match element {
            Some(Step::Index(Some(index))) => masks.get_mut(index as usize).into_iter().for_each(|one| *one |= mask),
            _ => masks.iter_mut().for_each(|one| *one |= mask),
        }
    }
}

enum Step {
    /// An element, a column or a component; `None` for an index that is not constant, which may be any.
    Index(Option<u32>),
    /// Components, as bits.
    Components(u8),
}

/// Whether a place is inside of another, as `v` is in `v.x`.
fn is_part(shader: &Shader, outer: ExprId, inner: ExprId) -> bool {
    match shader.tree.expr(outer).kind {
        ExprKind::Paren(base) | ExprKind::Index(base, _) | ExprKind::Field(base, _) => base == inner,
        _ => false,
    }
}

fn constant(shader: &Shader, index: ExprId) -> Option<u32> {
    let value = shader.typed.constants.as_i64(shader.constant_of(NodeId::Expr(index))?)?;
    u32::try_from(value).ok()
}

/// Whether a shader is in a language in which varyings that are read must be written, if nothing removes the reading.
pub(crate) fn matters(shader: &Shader) -> bool {
    let version = shader.preprocessed.version;
    !version.is_es() && version.number <= 120
}

/// Whether a variable is a varying that the shader declares.
pub(crate) fn is_varying(row: &Variable, storage: Storage) -> bool {
    row.qualifiers.storage == storage && row.scope == ScopeId::GLOBAL && !matches!(row.kind, VariableKind::Builtin)
}

/// How a varying is divided; `None` if its size is unknown.
pub(crate) fn divide(row: &Variable, types: &TypeTable) -> Option<Division> {
    let components = |count: u8| WHOLE >> 4_u8.saturating_sub(count);
    let (count, element) = match (types.as_array(row.ty), row.ty) {
        (Some(array), _) => (array.size.or(row.max_index.map(|index| index.saturating_add(1)))?, array.element),
        (None, Type::Matrix(scalar, columns, rows)) => (u32::from(columns), Type::Vector(scalar, rows)),
        (None, ty) => (1, ty),
    };
    let all = match element {
        Type::Scalar(_) => 1,
        Type::Vector(_, count) => components(count),
        Type::Matrix(..) => WHOLE,
        _ => return None,
    };
    (count <= MOST_ELEMENTS).then_some(Division { count, element, all })
}

/// The varyings that a fragment shader declares, with the variable of each.
pub(crate) fn declared(shader: &Shader) -> impl Iterator<Item = (VarId, &Variable)> {
    let all = (0..).map(VarId).zip(&shader.typed.variables);
    all.filter(|(_, row)| is_varying(row, Storage::In))
}

#[cfg(test)]
mod tests {
    use shader::version::{Options, Profile, Stage, Version};

    use super::*;
    use crate::{CompilerWorkarounds, Device, Question, Scope, Subject, Transport, weave};

    fn written(text: &str) -> Option<Written> {
        let shader = shader::analyze(&[text], &Options::new(Stage::Vertex));
        assert!(!shader.has_errors(), "{text}");
        Written::of(&shader)
    }

    #[track_caller]
    fn check(declarations: &str, body: &str, expected: &[(&str, &[u8])]) {
        let text = format!("#version 120\n{declarations}\nvoid main() {{ gl_Position = vec4(0.0); {body} }}\n");
        let expected = expected.iter().map(|(name, masks)| ((*name).to_owned(), masks.to_vec())).collect();
        assert_eq!(written(&text), Some(Written(expected)), "{body}");
    }

    #[test]
    fn what_is_written_is_known_by_element_and_component() {
        check("varying vec4 v;", "v.zx = vec2(1.0);", &[("v", &[0b0101])]);
        check("varying vec4 v;", "v.zw.y = 1.0; v[0] += 1.0;", &[("v", &[0b1101])]);
        check("varying vec2 v; uniform int i;", "v[i] = 1.0;", &[("v", &[0b1111])]);
        check("varying float f; varying float g;", "f = 1.0;", &[("f", &[0b1111])]);
        check("varying vec4 v[3];", "v[1].x = 1.0; (v[2]) = vec4(0.0);", &[("v", &[0, 1, 0b1111])]);
        check("varying vec4 v[2]; uniform int i;", "v[i].y = 1.0;", &[("v", &[2, 2])]);
        check("varying mat2 m;", "m[1].y = 1.0;", &[("m", &[0, 2])]);
        check("varying mat2 m[2];", "m[1][0].y = 1.0;", &[("m", &[0, 0b1111])]);
        check("varying vec4 v; void f(out float a) { a = 1.0; }", "f(v.w);", &[("v", &[0b1000])]);
        check("varying vec4 v; void f() { v.x = 1.0; } void g() { v.y = 1.0; }", "f();", &[("v", &[1])]);
    }

    #[test]
    fn it_matters_up_to_glsl_120_only() {
        assert_eq!(written("#version 130\nout vec4 v;\nvoid main() { v.x = 1.0; }\n"), None);
        assert_eq!(written("#version 100\nvarying highp vec4 v;\nvoid main() { v.x = 1.0; }\n"), None);
    }

    #[test]
    fn what_is_not_written_is_not_read() {
        let written = written(
            "varying vec4 v; varying vec3 a[2]; varying vec2 w; void main() { gl_Position = vec4(0.0); v.xz = vec2(0.0); a[1] = vec3(0.0); w = v.xz; }",
        );
        let text = "varying vec4 v; varying vec3 a[2]; varying vec2 u; varying vec2 w;\nvoid main() { vec4 spare = v; vec2 more = u; gl_FragColor = spare + a[0].x + w.x; }\n";
        let options = Options::new(Stage::Fragment);
        let shader = shader::analyze(&[text], &options);
        let subject = Subject { shader: &shader, options: &options, written: written.as_ref() };
        let device = Device {
            newest: Version { number: 460, profile: Profile::Compatibility },
            storage_blocks: [0; 6],
            storage_bindings: 0,
            integer_targets: false,
            float_targets: false,
            targets: 1,
            feedback_words: 0,
            extensions: crate::Extensions::default(),
            style: CompilerWorkarounds::default(),
        };
        let variant = weave(subject, &Question::LiveIns, Scope::All, &device, Transport::Bytes)
            .expect("a variant")
            .strings
            .concat();
        for line in [
            "ai_held_v = vec4(v.x, 0.0, v.z, 0.0);",
            "ai_held_a[0] = vec3(0.0); ai_held_a[1] = a[1];",
            "ai_held_u = vec2(0.0);",
            "vec4 spare = ai_held_v; vec2 more = ai_held_u;",
            "+ ai_held_a[0].x + w.x;",
        ] {
            assert!(variant.contains(line), "{line} is not in {variant}");
        }
        assert!(!variant.contains("held_w"), "{variant}");
    }
}
