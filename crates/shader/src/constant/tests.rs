use super::*;
use crate::ast::{BinaryOp, UnaryOp};
use crate::qualifier::Qualifiers;
use crate::symbol::Symbol;
use crate::types::{Field, StructId, StructType};

/// A value as a test writes it.
fn floats(pool: &mut ConstantPool, values: &[f32]) -> Constant {
    let words: Vec<u64> = values.iter().map(|v| u64::from(v.to_bits())).collect();
    pool.push(Type::vector(Scalar::Float, values.len() as u8), &words)
}

fn ints(pool: &mut ConstantPool, values: &[i32]) -> Constant {
    let words: Vec<u64> = values.iter().map(|&v| u64::from(v as u32)).collect();
    pool.push(Type::vector(Scalar::Int, values.len() as u8), &words)
}

fn matrix(pool: &mut ConstantPool, columns: u8, rows: u8, values: &[f32]) -> Constant {
    let value = floats(pool, values);
    Constant { ty: Type::Matrix(Scalar::Float, columns, rows), ..value }
}

fn as_floats(pool: &ConstantPool, constant: Constant) -> Vec<f32> {
    pool.components(constant).iter().map(|&word| f32::from_bits(word as u32)).collect()
}

#[track_caller]
fn check_call(name: &str, args: &[&[f32]], expected: &[f32]) {
    let mut pool = ConstantPool::default();
    let args: Vec<Constant> = args.iter().map(|arg| floats(&mut pool, arg)).collect();
    let result = Type::vector(Scalar::Float, expected.len() as u8);
    let value = call(&mut pool, name, &args, result).expect("the call has a value");
    assert_eq!(value.ty, result);
    assert_eq!(as_floats(&pool, value), expected, "{name}");
}

#[track_caller]
fn check_int_call(name: &str, args: &[&[i32]], expected: &[i32]) {
    let mut pool = ConstantPool::default();
    let args: Vec<Constant> = args.iter().map(|arg| ints(&mut pool, arg)).collect();
    let value = call(&mut pool, name, &args, Type::vector(Scalar::Int, expected.len() as u8));
    let expected = ints(&mut pool, expected);
    let value = value.expect("the call has a value");
    assert_eq!(pool.components(value), pool.components(expected), "{name}");
}

#[track_caller]
fn check_binary(op: BinaryOp, left: i32, right: i32, expected: Result<i64, FoldError>) {
    let mut pool = ConstantPool::default();
    let (left, right) = (pool.int(left), pool.int(right));
    let value = binary(&mut pool, &TypeTable::default(), op, left, right, Type::INT);
    assert_eq!(value.map(|value| pool.as_i64(value).expect("an integer")), expected);
}

#[track_caller]
fn check_convert(from: Scalar, to: Scalar, bits: u64, expected: u64) {
    assert_eq!(convert(from, to, bits), expected, "{from:?} to {to:?}");
}

#[test]
fn conversions() {
    let float = |x: f32| u64::from(x.to_bits());
    check_convert(Scalar::Int, Scalar::Float, 0xffff_ffff, float(-1.0));
    check_convert(Scalar::Uint, Scalar::Float, 0xffff_ffff, float(4_294_967_296.0));
    check_convert(Scalar::Float, Scalar::Int, float(-1.9), 0xffff_ffff);
    check_convert(Scalar::Float, Scalar::Bool, float(-0.0), 0);
    check_convert(Scalar::Float, Scalar::Bool, float(f32::NAN), 1);
    check_convert(Scalar::Bool, Scalar::Float, 1, float(1.0));
    check_convert(Scalar::Int, Scalar::Int64, 0xffff_fffe, (-2i64) as u64);
    check_convert(Scalar::Int64, Scalar::Uint, (-2i64) as u64, 0xffff_fffe);
    check_convert(Scalar::Double, Scalar::Float, 0.1f64.to_bits(), float(0.1));
    // Rounded once: through double, the last bit would be lost and the tie would round the other way.
    check_convert(Scalar::Int64, Scalar::Float, (1 << 60) + (1 << 36) + 1, float(1_152_921_642_045_800_448.0));
}

#[test]
fn integer_operators() {
    check_binary(BinaryOp::Add, i32::MAX, 1, Ok(i64::from(i32::MIN)));
    check_binary(BinaryOp::Div, -7, 2, Ok(-3));
    check_binary(BinaryOp::Mod, -7, 2, Ok(-1));
    check_binary(BinaryOp::Div, i32::MIN, -1, Ok(i64::from(i32::MIN)));
    check_binary(BinaryOp::Div, 1, 0, Err(FoldError::DivisionByZero));
    check_binary(BinaryOp::Mod, 1, 0, Err(FoldError::DivisionByZero));
    check_binary(BinaryOp::Shl, 1, 31, Ok(i64::from(i32::MIN)));
    check_binary(BinaryOp::Shr, -8, 1, Ok(-4));
    check_binary(BinaryOp::BitXor, 6, 3, Ok(5));
    check_binary(BinaryOp::And, 1, 1, Err(FoldError::Mismatch));
}

#[test]
fn float_division_by_zero_is_a_value() {
    let mut pool = ConstantPool::default();
    let (one, zero) = (pool.float(-1.0), pool.int(0));
    let value = binary(&mut pool, &TypeTable::default(), BinaryOp::Div, one, zero, Type::FLOAT).expect("a value");
    assert_eq!(pool.as_f64(value), Some(f64::NEG_INFINITY));
}

#[test]
fn matrix_products() {
    let (mut pool, types) = (ConstantPool::default(), TypeTable::default());
    let a = matrix(&mut pool, 3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let v = floats(&mut pool, &[1.0, 10.0, 100.0]);
    let w = floats(&mut pool, &[1.0, 10.0]);
    let mut product = |l, r, ty| {
        let value = binary(&mut pool, &types, BinaryOp::Mul, l, r, ty).expect("a product");
        as_floats(&pool, value)
    };
    assert_eq!(product(a, v, Type::Vector(Scalar::Float, 2)), [531.0, 642.0]);
    assert_eq!(product(w, a, Type::Vector(Scalar::Float, 3)), [21.0, 43.0, 65.0]);
    let b = matrix(&mut pool, 2, 3, &[1.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
    let value = binary(&mut pool, &types, BinaryOp::Mul, a, b, Type::Matrix(Scalar::Float, 2, 2)).expect("a product");
    assert_eq!(as_floats(&pool, value), [1.0, 2.0, 8.0, 10.0]);
}

#[test]
fn unary_operators() {
    let mut pool = ConstantPool::default();
    let value = ints(&mut pool, &[1, i32::MIN]);
    let negative = unary(&mut pool, UnaryOp::Minus, value).expect("a value");
    assert_eq!(pool.components(negative), [0xffff_ffff, 0x8000_0000]);
    let zero = pool.float(0.0);
    let negative = unary(&mut pool, UnaryOp::Minus, zero).expect("a value");
    assert_eq!(pool.components(negative), [0x8000_0000]);
    assert_eq!(unary(&mut pool, UnaryOp::PreIncrement, zero), None);
    assert_eq!(unary(&mut pool, UnaryOp::Not, zero), None);
}

#[test]
fn constructors() {
    let (mut pool, types) = (ConstantPool::default(), TypeTable::default());
    let two = pool.int(2);
    let mut build = |ty, args: &[Constant]| {
        let value = construct(&mut pool, &types, ty, args)?;
        Some(as_floats(&pool, value))
    };
    let square = |n| Type::Matrix(Scalar::Float, n, n);
    assert_eq!(build(Type::Vector(Scalar::Float, 3), &[two]), Some(vec![2.0; 3]));
    assert_eq!(build(square(2), &[two]), Some(vec![2.0, 0.0, 0.0, 2.0]));
    assert_eq!(build(square(2), &[two; 4]), Some(vec![2.0; 4]));
    assert_eq!(build(square(2), &[two; 3]), None);
    assert_eq!(build(Type::Vector(Scalar::Float, 2), &[two; 3]), None);
    let small = matrix(&mut pool, 2, 2, &[1.0, 2.0, 3.0, 4.0]);
    let grown = construct(&mut pool, &types, square(3), &[small]).expect("a matrix");
    assert_eq!(as_floats(&pool, grown), [1.0, 2.0, 0.0, 3.0, 4.0, 0.0, 0.0, 0.0, 1.0]);
    let flat = construct(&mut pool, &types, Type::Vector(Scalar::Float, 3), &[two, small]).expect("a vector");
    assert_eq!(as_floats(&pool, flat), [2.0, 1.0, 2.0]);
}

/// `struct { float; vec2[2]; }`
fn structure(types: &mut TypeTable) -> (Type, Type) {
    let array = types.array(Type::Vector(Scalar::Float, 2), Some(2));
    let field = |ty| Field { name: Symbol::EMPTY, ty, qualifiers: Qualifiers::default(), declared: None };
    let fields = vec![field(Type::FLOAT), field(array)];
    types.structs.push(StructType { name: Symbol::EMPTY, block: false, fields });
    (Type::Struct(StructId(types.structs.len() as u32 - 1)), array)
}

#[test]
fn aggregates() {
    let (mut pool, mut types) = (ConstantPool::default(), TypeTable::default());
    let (ty, array) = structure(&mut types);
    assert_eq!(flat_len(&types, ty), Some(5));
    let mut build = |first: i32, second: f32| {
        let (x, v) = (pool.int(first), floats(&mut pool, &[1.0, second]));
        let elements = construct(&mut pool, &types, array, &[v, v]).expect("an array");
        construct(&mut pool, &types, ty, &[x, elements]).expect("a structure")
    };
    let (a, same, other, nan) = (build(7, 0.0), build(7, -0.0), build(7, 2.0), build(7, f32::NAN));
    let mut equal = |l, r, op| {
        let value = binary(&mut pool, &types, op, l, r, Type::BOOL).expect("a value");
        pool.as_bool(value).expect("a bool")
    };
    assert!(equal(a, same, BinaryOp::Equal));
    assert!(equal(a, other, BinaryOp::NotEqual));
    assert!(equal(nan, nan, BinaryOp::NotEqual));
    let elements = field(&types, other, 1).expect("the array");
    let last = index(&types, elements, 1).expect("the last element");
    assert_eq!(as_floats(&pool, last), [1.0, 2.0]);
    assert_eq!((index(&types, elements, 2), field(&types, a, 2)), (None, None));
    let swizzled = swizzle(&mut pool, last, &[1, 0, 1]).expect("a vector");
    assert_eq!(as_floats(&pool, swizzled), [2.0, 1.0, 2.0]);
    assert_eq!(swizzle(&mut pool, last, &[2]), None);
}

#[test]
fn arrays_of_arrays_are_limited() {
    let (mut pool, mut types) = (ConstantPool::default(), TypeTable::default());
    let mut value = pool.int(1);
    let mut built = 0;
    for _ in 0..64 {
        let ty = types.array(value.ty, Some(2));
        let Some(next) = construct(&mut pool, &types, ty, &[value, value]) else { break };
        (value, built) = (next, built + 1);
    }
    assert_eq!(built, 16);
}

#[test]
fn common_functions() {
    check_call("sqrt", &[&[2.0]], &[std::f32::consts::SQRT_2]);
    check_call("round", &[&[0.5, 1.5, -2.5]], &[0.0, 2.0, -2.0]);
    check_call("mod", &[&[-1.0, 5.5], &[3.0]], &[2.0, 2.5]);
    check_call("mix", &[&[1.0, 2.0], &[3.0, 4.0], &[0.5]], &[2.0, 3.0]);
    check_call("smoothstep", &[&[0.0], &[2.0], &[-1.0, 1.0, 3.0]], &[0.0, 0.5, 1.0]);
    check_call("step", &[&[1.0], &[0.5, 1.0]], &[0.0, 1.0]);
    check_call("mid3", &[&[3.0], &[1.0], &[2.0]], &[2.0]);
    check_call("fma", &[&[1.000_000_1], &[1.000_000_1], &[-1.000_000_2]], &[1.421_085_5e-14]);
    check_call("dFdx", &[&[1.0, 2.0]], &[0.0, 0.0]);
    check_int_call("abs", &[&[-3, i32::MIN]], &[3, i32::MIN]);
    check_int_call("clamp", &[&[-3, 9], &[0], &[5]], &[0, 5]);
    check_int_call("sign", &[&[-3, 0, 9]], &[-1, 0, 1]);
}

#[test]
fn ldexp_of_constants() {
    let mut pool = ConstantPool::default();
    let x = floats(&mut pool, &[0.5, -0.5, 3.402_823_5e38, f32::INFINITY]);
    for (exponent, expected) in [
        (-125, [f32::MIN_POSITIVE, -f32::MIN_POSITIVE, 7.999_999_5, f32::INFINITY]),
        (-127, [0.0, -0.0, 1.999_999_9, f32::INFINITY]),
        (i32::MAX, [f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY]),
    ] {
        let exponent = pool.int(exponent);
        let exponents = construct(&mut pool, &TypeTable::default(), Type::Vector(Scalar::Int, 4), &[exponent]);
        let value = call(&mut pool, "ldexp", &[x, exponents.expect("a vector")], x.ty).expect("a value");
        let expected = floats(&mut pool, &expected);
        assert_eq!(pool.components(value), pool.components(expected));
    }
}

#[test]
fn geometric_functions() {
    check_call("length", &[&[3.0, 4.0]], &[5.0]);
    check_call("cross", &[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]], &[0.0, 0.0, 1.0]);
    check_call("normalize", &[&[0.0, -2.0]], &[0.0, -1.0]);
    check_call("reflect", &[&[1.0, -1.0], &[0.0, 1.0]], &[1.0, 1.0]);
    check_call("refract", &[&[1.0, 0.0], &[0.0, 1.0], &[2.0]], &[0.0, 0.0]);
    check_call("faceforward", &[&[0.0, 1.0], &[0.0, 1.0], &[0.0, 1.0]], &[0.0, -1.0]);
}

#[test]
fn integer_functions() {
    check_int_call("bitfieldExtract", &[&[0x0000_0f00, -1], &[8], &[4]], &[-1, -1]);
    check_int_call("bitfieldExtract", &[&[5], &[32], &[0]], &[0]);
    check_int_call("bitfieldInsert", &[&[0xf000f], &[9], &[16], &[4]], &[0x9000f]);
    check_int_call("bitfieldInsert", &[&[0], &[-1], &[0], &[32]], &[-1]);
    check_int_call("findMSB", &[&[0, -1, 1, -256]], &[-1, -1, 0, 7]);
    check_int_call("findLSB", &[&[0, 8]], &[-1, 3]);
    check_int_call("bitCount", &[&[-1]], &[32]);
}

#[test]
fn matrix_functions() {
    let mut pool = ConstantPool::default();
    let a = matrix(&mut pool, 2, 2, &[4.0, 2.0, 7.0, 6.0]);
    let mut of = |name, result| {
        let value = call(&mut pool, name, &[a], result).expect("a value");
        as_floats(&pool, value)
    };
    assert_eq!(of("determinant", Type::FLOAT), [10.0]);
    assert_eq!(of("inverse", a.ty), [0.6, -0.2, -0.7, 0.4]);
    assert_eq!(of("transpose", a.ty), [4.0, 7.0, 2.0, 6.0]);
}

#[test]
fn half_floats_round_trip() {
    let mut pool = ConstantPool::default();
    for half in 0..=u16::MAX {
        let word = pool.uint(u32::from(half));
        let floats = call(&mut pool, "unpackHalf2x16", &[word], Type::Vector(Scalar::Float, 2)).expect("a value");
        let back = call(&mut pool, "packHalf2x16", &[floats], Type::UINT).expect("a value");
        let is_nan = half & 0x7c00 == 0x7c00 && half & 0x3ff != 0;
        // A signalling NaN becomes quiet.
        let expected = if is_nan { half | 0x200 } else { half };
        assert_eq!(pool.as_i64(back), Some(i64::from(expected)));
    }
}

#[test]
fn functions_without_a_constant_value() {
    let mut pool = ConstantPool::default();
    let x = pool.float(1.0);
    for (name, args) in [("texture", &[x, x][..]), ("sin", &[]), ("sin", &[x, x]), ("modf", &[x, x]), ("mix", &[x; 4])]
    {
        assert_eq!(call(&mut pool, name, args, Type::FLOAT), None, "{name}");
    }
    assert_eq!(call(&mut pool, "min", &[x; 5], Type::FLOAT), None);
}
