//! Formats of array elements.

use api::constant as c;

use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::vertex_array::{Attrib, GENERIC, POSITION, Slot};

/// A set of types, as bits.
pub type Types = u32;
pub const BYTE: Types = 1;
pub const UBYTE: Types = 1 << 1;
pub const SHORT: Types = 1 << 2;
pub const USHORT: Types = 1 << 3;
pub const INT: Types = 1 << 4;
pub const UINT: Types = 1 << 5;
pub const HALF: Types = 1 << 6;
pub const FLOAT: Types = 1 << 7;
pub const DOUBLE: Types = 1 << 8;
pub const FIXED: Types = 1 << 9;
/// Both types with 2, 10, 10 and 10 bits.
pub const PACKED: Types = 1 << 10;
/// `GL_UNSIGNED_INT_10F_11F_11F_REV`.
pub const PACKED_FLOAT: Types = 1 << 11;
pub const UINT64: Types = 1 << 12;

/// What a command accepts.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Types of components.
    pub types: Types,
    /// The minimum number of components.
    pub least: i32,
    /// The maximum number of components.
    pub most: i32,
    /// Whether `GL_BGRA` is allowed for four.
    pub bgra: bool,
}

/// The format of elements, as given by a command.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The number of components; or `GL_BGRA`.
    pub size: i32,
    /// Their type.
    pub kind: u32,
    /// Whether they are normalized.
    pub normalized: bool,
    /// Whether they stay integers.
    pub integer: bool,
    /// Whether they stay doubles.
    pub long: bool,
    /// Their offset in an element of a buffer binding.
    pub relative: u32,
}

impl Format {
    /// Returns a format whose components become floats.
    pub fn plain(size: i32, kind: u32) -> Format {
        Format { size, kind, normalized: false, integer: false, long: false, relative: 0 }
    }

    /// Sets the format of an array.
    pub fn put(&self, attrib: &mut Attrib) {
        attrib.bgra = self.size == c::GL_BGRA.cast_signed();
        attrib.size = if attrib.bgra { 4 } else { self.size as u8 };
        attrib.kind = self.kind;
        attrib.normalized = self.normalized;
        attrib.integer = self.integer;
        attrib.long = self.long;
        attrib.relative = self.relative;
    }
}

/// Returns the bit of a type, if the context has it for vertices.
fn bit(facts: &Facts, kind: u32) -> Types {
    let es = matches!(facts.client, Client::Es1 | Client::Es2);
    let old_es = es && facts.version < (3, 0);
    match kind {
        c::GL_BYTE => BYTE,
        c::GL_UNSIGNED_BYTE => UBYTE,
        c::GL_SHORT => SHORT,
        c::GL_UNSIGNED_SHORT => USHORT,
        c::GL_INT if !old_es => INT,
        c::GL_UNSIGNED_INT if !old_es => UINT,
        c::GL_FLOAT => FLOAT,
        c::GL_DOUBLE if !es => DOUBLE,
        c::GL_HALF_FLOAT if !old_es => HALF,
        c::GL_HALF_FLOAT_OES if !old_es || facts.has("GL_OES_vertex_half_float") => HALF,
        c::GL_FIXED if es || facts.desktop(4, 1) || facts.has("GL_ARB_ES2_compatibility") => FIXED,
        c::GL_INT_2_10_10_10_REV | c::GL_UNSIGNED_INT_2_10_10_10_REV if !old_es => PACKED,
        c::GL_UNSIGNED_INT_10F_11F_11F_REV
            if facts.desktop(4, 4) || facts.has("GL_ARB_vertex_type_10f_11f_11f_rev") =>
        {
            PACKED_FLOAT
        }
        c::GL_UNSIGNED_INT64_ARB if facts.has("GL_ARB_bindless_texture") => UINT64,
        _ => 0,
    }
}

/// Rejects formats that a command does not accept (GL 4.6, 10.3.2).
pub fn check(facts: &Facts, rule: &Rule, format: &Format) -> Result<(), Fault> {
    let found = bit(facts, format.kind);
    if found & rule.types == 0 {
        return Err(Fault::invalid_enum("invalid component type of a vertex array"));
    }
    let reversed = rule.bgra && format.size == c::GL_BGRA.cast_signed();
    if reversed {
        if found & (UBYTE | PACKED) == 0 {
            return Err(Fault::invalid_operation("the order of GL_BGRA requires bytes or a packed type"));
        }
        if !format.normalized {
            return Err(Fault::invalid_operation("attributes in the order of GL_BGRA must be normalized"));
        }
    } else if format.size < rule.least || format.size > rule.most {
        return Err(Fault::invalid_value("the type requires a different number of components"));
    }
    if found == PACKED && !reversed && format.size != 4 {
        return Err(Fault::invalid_operation("this type requires four components"));
    }
    if format.relative > facts.limits.integer(c::GL_MAX_VERTEX_ATTRIB_RELATIVE_OFFSET, 2047) as u32 {
        return Err(Fault::invalid_value("the offset within an element is too large"));
    }
    if found == PACKED_FLOAT && format.size != 3 {
        return Err(Fault::invalid_operation("this type requires three components"));
    }
    Ok(())
}

/// Returns what the pointer command of a fixed-function array accepts.
pub fn legacy_rule(facts: &Facts, slot: Slot) -> Rule {
    use crate::objects::vertex_array as slots;
    const ALL_INTEGERS: Types = BYTE | UBYTE | SHORT | USHORT | INT | UINT;
    const FLOATS: Types = HALF | FLOAT | DOUBLE;
    let es = facts.client == Client::Es1;
    let fixed = BYTE | SHORT | FLOAT | FIXED;
    let (types, least, most, bgra) = match slot {
        POSITION => (if es { fixed } else { SHORT | INT | FLOATS | PACKED }, 2, 4, false),
        slots::NORMAL => (if es { fixed } else { BYTE | SHORT | INT | FLOATS | PACKED }, 3, 3, false),
        slots::COLOR if es => (UBYTE | FLOAT | FIXED, 4, 4, false),
        slots::COLOR | slots::SECONDARY_COLOR => (ALL_INTEGERS | FLOATS | PACKED, 3, 4, true),
        slots::FOG_COORD => (FLOATS, 1, 1, false),
        slots::INDEX => (UBYTE | SHORT | INT | FLOAT | DOUBLE, 1, 1, false),
        slots::POINT_SIZE => (FLOAT | FIXED, 1, 1, false),
        slots::EDGE_FLAG => (UBYTE, 1, 1, false),
        _ => (if es { fixed } else { SHORT | INT | FLOATS | PACKED }, if es { 2 } else { 1 }, 4, false),
    };
    debug_assert!(slot < GENERIC, "a generic attribute is not a fixed-function attribute");
    Rule { types, least, most, bgra }
}

/// Returns what `glVertexAttribFormat` accepts: in Mesa, not `GL_FIXED` in OpenGL ES.
pub fn separate(facts: &Facts) -> Rule {
    let without = if matches!(facts.client, Client::Es1 | Client::Es2) { FIXED } else { 0 };
    Rule { types: ANY.types & !without, ..ANY }
}

/// What `glVertexAttribPointer` accepts.
pub const ANY: Rule = Rule {
    types: BYTE | UBYTE | SHORT | USHORT | INT | UINT | HALF | FLOAT | DOUBLE | FIXED | PACKED | PACKED_FLOAT,
    least: 1,
    most: 4,
    bgra: true,
};

/// What `glVertexAttribIPointer` and `glVertexAttribIFormat` accept.
pub const INTEGERS: Rule = Rule { types: BYTE | UBYTE | SHORT | USHORT | INT | UINT, least: 1, most: 4, bgra: false };

/// What `glVertexAttribLPointer` and `glVertexAttribLFormat` accept.
pub const DOUBLES: Rule = Rule { types: DOUBLE | UINT64, least: 1, most: 4, bgra: false };
