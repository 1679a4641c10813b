use super::*;
use crate::qualifier::Qualifiers;
use crate::types::{Scalar, StructId, StructType};

const VEC3: Type = Type::Vector(Scalar::Float, 3);
const VEC4: Type = Type::Vector(Scalar::Float, 4);
const MAT2X3: Type = Type::Matrix(Scalar::Float, 2, 3);
const DVEC3: Type = Type::Vector(Scalar::Double, 3);

#[derive(Default)]
struct Bench {
    types: TypeTable,
    symbols: Symbols,
}

impl Bench {
    fn field(&mut self, name: &str, ty: Type) -> Field {
        Field { name: self.symbols.intern(name), ty, qualifiers: Qualifiers::default(), declared: None }
    }

    fn structure(&mut self, fields: &[(&str, Type)]) -> Type {
        let fields = fields.iter().map(|&(name, ty)| self.field(name, ty)).collect();
        let name = self.symbols.intern("S");
        self.types.structs.push(StructType { name, block: false, fields });
        Type::Struct(StructId(self.types.structs.len() as u32 - 1))
    }

    /// Lays out a block and prints each active variable as "name offset array-stride matrix-stride".
    #[track_caller]
    fn check(&self, fields: &[Field], rules: BlockRules, size: u32, expected: &[&str]) {
        let layout = block_layout(&self.types, &self.symbols, fields, rules).expect("a layout");
        let print = |m: &MemberLayout| format!("{} {} {} {}", m.name, m.offset, m.array_stride, m.matrix_stride);
        assert_eq!(layout.members.iter().map(print).collect::<Vec<_>>(), expected);
        assert_eq!(layout.size, size);
    }

    #[track_caller]
    fn check_error(&self, fields: &[Field], field: usize, problem: LayoutProblem) {
        let result = block_layout(&self.types, &self.symbols, fields, rules(Packing::Std140));
        assert_eq!(result, Err(LayoutError { field, problem }));
    }
}

fn rules(packing: Packing) -> BlockRules {
    BlockRules { packing, matrix: MatrixOrder::ColumnMajor, buffer: packing == Packing::Std430, most: MAX_MEMBERS }
}

#[test]
fn std140_and_std430() {
    let mut bench = Bench::default();
    let floats = bench.types.array(Type::FLOAT, Some(3));
    let inner = bench.structure(&[("x", Type::FLOAT), ("d", Type::DOUBLE)]);
    let structs = bench.types.array(inner, Some(2));
    let fields = [
        bench.field("a", Type::FLOAT),
        bench.field("b", VEC3),
        bench.field("c", Type::FLOAT),
        bench.field("d", floats),
        bench.field("e", MAT2X3),
        bench.field("f", structs),
        bench.field("g", Type::FLOAT),
    ];
    bench.check(
        &fields,
        rules(Packing::Std140),
        160,
        &[
            "a 0 0 0",
            "b 16 0 0",
            "c 28 0 0",
            "d[0] 32 16 0",
            "e 80 0 16",
            "f[0].x 112 0 0",
            "f[0].d 120 0 0",
            "f[1].x 128 0 0",
            "f[1].d 136 0 0",
            "g 144 0 0",
        ],
    );
    // A storage block names the first element of an array of structures only.
    bench.check(
        &fields,
        rules(Packing::Std430),
        128,
        &["a 0 0 0", "b 16 0 0", "c 28 0 0", "d[0] 32 4 0", "e 48 0 16", "f[0].x 80 0 0", "f[0].d 88 0 0", "g 112 0 0"],
    );
}

#[test]
fn row_major_matrices() {
    let mut bench = Bench::default();
    let mut fields = [bench.field("a", MAT2X3), bench.field("b", MAT2X3), bench.field("c", Type::FLOAT)];
    fields[1].qualifiers.layout.matrix = Some(MatrixOrder::RowMajor);
    bench.check(&fields, rules(Packing::Std140), 96, &["a 0 0 16", "b 32 0 16", "c 80 0 0"]);
    bench.check(&fields, rules(Packing::Std430), 64, &["a 0 0 16", "b 32 0 8", "c 56 0 0"]);
}

#[test]
fn explicit_offsets_and_alignments() {
    let mut bench = Bench::default();
    let mut fields = [bench.field("a", Type::FLOAT), bench.field("b", VEC4), bench.field("c", Type::FLOAT)];
    fields[1].qualifiers.layout.offset = Some(32);
    fields[2].qualifiers.layout.align = Some(64);
    bench.check(&fields, rules(Packing::Std140), 80, &["a 0 0 0", "b 32 0 0", "c 64 0 0"]);
    // An alignment smaller than the type's own has no effect; with both, the offset is rounded up.
    fields[1].qualifiers.layout.align = Some(128);
    fields[2].qualifiers.layout.align = Some(1);
    bench.check(&fields, rules(Packing::Std140), 160, &["a 0 0 0", "b 128 0 0", "c 144 0 0"]);
}

#[test]
fn impossible_offsets() {
    let mut bench = Bench::default();
    let mut fields = vec![bench.field("a", VEC4), bench.field("b", VEC4)];
    fields[1].qualifiers.layout.offset = Some(24);
    bench.check_error(&fields, 1, LayoutProblem::Misaligned { alignment: 16 });
    fields[1].qualifiers.layout.offset = Some(0);
    bench.check_error(&fields, 1, LayoutProblem::Overlap { free: 16 });
    fields[1].qualifiers.layout.offset = None;
    fields[1].qualifiers.layout.align = Some(12);
    bench.check_error(&fields, 1, LayoutProblem::AlignNotPowerOfTwo);
    fields[1].qualifiers.layout.align = None;
    fields[0].ty = bench.types.array(VEC4, None);
    bench.check_error(&fields, 0, LayoutProblem::NoLayout);
    fields[0].ty = bench.types.array(VEC4, Some(1 << 30));
    bench.check_error(&fields, 0, LayoutProblem::TooBig);
    let mut deep = Type::FLOAT;
    for _ in 0..1000 {
        deep = bench.structure(&[("m", deep)]);
    }
    fields[0].ty = deep;
    bench.check_error(&fields, 0, LayoutProblem::TooDeep);
    assert_eq!(locations(&bench.types, deep, false), None);
}

#[test]
fn storage_blocks_may_end_in_an_unsized_array() {
    let mut bench = Bench::default();
    let inner = bench.structure(&[("x", VEC3), ("y", Type::FLOAT)]);
    let array = bench.types.array(inner, None);
    let fields = [bench.field("n", Type::UINT), bench.field("list", array)];
    bench.check(&fields, rules(Packing::Std430), 32, &["n 0 0 0", "list[0].x 16 0 0", "list[0].y 28 0 0"]);
    let layout = block_layout(&bench.types, &bench.symbols, &fields, rules(Packing::Std430)).expect("a layout");
    let last = &layout.members[2];
    assert_eq!((last.top_level_array_size, last.top_level_array_stride, last.field), (0, 16, 1));
}

#[test]
fn too_many_members_are_not_listed() {
    let mut bench = Bench::default();
    let mut ty = Type::FLOAT;
    for _ in 0..20 {
        ty = bench.structure(&[("a", ty), ("b", ty)]);
    }
    let fields = [bench.field("s", ty)];
    let layout =
        block_layout(&bench.types, &bench.symbols, &fields, BlockRules { buffer: true, ..rules(Packing::Std430) });
    let layout = layout.expect("a layout");
    assert_eq!((layout.size, layout.members_complete, layout.members.len() <= MAX_MEMBERS), (4 << 20, false, true));
}

#[test]
fn locations_and_components() {
    let mut bench = Bench::default();
    let (t, dmat) = (&bench.types, Type::Matrix(Scalar::Double, 3, 4));
    assert_eq!((locations(t, DVEC3, false), locations(t, DVEC3, true)), (Some(2), Some(1)));
    assert_eq!((locations(t, dmat, false), locations(t, dmat, true)), (Some(6), Some(3)));
    assert_eq!((components_used(t, dmat), uniform_locations(t, dmat)), (Some(24), Some(1)));
    let array = bench.types.array(DVEC3, Some(4));
    let both = bench.structure(&[("a", array), ("b", MAT2X3)]);
    assert_eq!(locations(&bench.types, both, false), Some(10));
    assert_eq!(uniform_locations(&bench.types, both), Some(5));
    let open = bench.types.array(VEC3, None);
    assert_eq!(locations(&bench.types, open, false), None);
}

#[test]
fn captured_bytes() {
    let mut bench = Bench::default();
    let inner = bench.structure(&[("x", Type::FLOAT), ("d", Type::DOUBLE)]);
    let outer = bench.structure(&[("y", Type::FLOAT), ("s", inner), ("z", Type::FLOAT)]);
    let odd = bench.structure(&[("d", Type::DOUBLE), ("x", Type::FLOAT)]);
    let (inners, odds, vectors) =
        (bench.types.array(inner, Some(3)), bench.types.array(odd, Some(3)), bench.types.array(VEC3, Some(3)));
    let size = |ty| xfb_size(&bench.types, ty);
    assert_eq!((size(VEC3), size(vectors), size(DVEC3)), (Some(12), Some(36), Some(24)));
    assert_eq!((size(inner), size(outer)), (Some(16), Some(24)));
    assert_eq!((size(inners), size(odds)), (Some(48), Some(48)));
}
