use super::*;
use crate::qualifier::Storage;
use crate::symbol::Symbols;
use crate::types::{Scalar, Type};
use crate::version::{Dialect, Profile, Stage, Version};

#[test]
fn the_data_files_are_well_formed() {
    let mut errors = Vec::new();
    let tables = tables::load(&mut errors);
    for row in &tables.functions.rows {
        errors.extend(overload::expand(row).err().map(|e| format!("{e} in row: {}", row.text)));
    }
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(Extension::COMPATIBILITY.name(), "GL_ARB_compatibility");
}

#[test]
fn malformed_rows_are_reported() {
    let mut conditions = condition::Conditions::default();
    let none = extension::Extensions::default();
    let mut errors = Vec::new();
    let text = "row\n@ gl>=1x0\n@ GL_EXT_nothing\n@ gl<120 gl>=130\n@ [pixel]: gl\n@ gl\ngood";
    text::rows(text, &mut conditions, &none, &mut errors, |_, _| Ok(()));
    assert_eq!(errors.len(), 5, "{errors:?}");
}

/// `fragment 300 es GL_EXT_x` as a dialect.
fn dialect(text: &str) -> Dialect {
    let mut words = text.split(' ');
    let stage = words.next().unwrap();
    let stage = match stage {
        "tesc" => Stage::TessControl,
        "tese" => Stage::TessEvaluation,
        _ => Stage::ALL.into_iter().find(|s| s.name() == stage).unwrap(),
    };
    let number: u16 = words.next().unwrap().parse().unwrap();
    let mut profile = if number < 140 { Profile::Compatibility } else { Profile::Core };
    let rest: Vec<&str> = words.collect();
    if rest.contains(&"es") {
        profile = Profile::Es;
    } else if rest.contains(&"compatibility") {
        profile = Profile::Compatibility;
    }
    let version = Version { number, profile };
    let mut enabled = ExtensionSet::initial(version);
    for extension in rest.into_iter().filter_map(extension) {
        enabled.insert(extension);
        extension.implies().iter().for_each(|&e| enabled.insert(e));
    }
    Dialect { stage, version, enabled, vendor: crate::version::Vendor::Khronos }
}

fn symbol(name: &str) -> Symbol {
    Symbols::default().find(name).unwrap_or_else(|| panic!("no symbol {name}"))
}

/// Checks that a function exists in the dialects of `yes` and not in those of `no`.
#[track_caller]
fn check_function(name: &str, yes: &[&str], no: &[&str]) {
    for (at, expected) in yes.iter().map(|at| (at, true)).chain(no.iter().map(|at| (at, false))) {
        let dialect = dialect(at);
        let found = functions(symbol(name)).iter().any(|f| f.when.holds(&dialect));
        assert_eq!(found, expected, "{name} in {at}");
    }
}

#[test]
fn availability_of_functions() {
    check_function("sin", &["vertex 110", "compute 450", "fragment 100 es"], &[]);
    let old = ["vertex 110", "fragment 410", "fragment 450 compatibility", "fragment 100 es"];
    check_function("texture2D", &old, &["vertex 420", "vertex 450", "fragment 300 es"]);
    check_function("texture", &["vertex 130", "fragment 300 es"], &["vertex 120", "fragment 100 es"]);
    let derivative = ["fragment 110", "fragment 300 es", "fragment 100 es GL_OES_standard_derivatives"];
    check_function("dFdx", &derivative, &["vertex 450", "fragment 100 es", "compute 450"]);
    check_function("dFdx", &["compute 450 GL_NV_compute_shader_derivatives"], &[]);
    check_function("bitfieldExtract", &["vertex 400", "vertex 310 es"], &["vertex 330", "vertex 300 es"]);
    check_function("bitfieldExtract", &["vertex 150 GL_ARB_gpu_shader5"], &["vertex 150"]);
    check_function("ftransform", &["vertex 120", "vertex 450 compatibility"], &["vertex 450", "fragment 120"]);
    check_function("ftransform", &["vertex 140 GL_ARB_compatibility"], &["vertex 140"]);
    check_function("EmitVertex", &["geometry 150", "geometry 320 es"], &["vertex 150", "geometry 310 es"]);
    check_function("EmitVertex", &["geometry 310 es GL_EXT_geometry_shader"], &[]);
    check_function("barrier", &["compute 430", "tesc 400"], &["tese 400", "fragment 450"]);
    check_function("texture2DLod", &["vertex 110", "fragment 130", "vertex 100 es"], &["fragment 120"]);
    check_function("texture2DLod", &["fragment 120 GL_ARB_shader_texture_lod"], &["fragment 100 es"]);
    check_function("texture2DLodEXT", &["fragment 100 es GL_EXT_shader_texture_lod"], &["fragment 100 es"]);
    check_function("texture2DRect", &["fragment 110", "fragment 330"], &["fragment 300 es"]);
    check_function("imageLoad", &["fragment 420", "compute 310 es"], &["fragment 410", "fragment 300 es"]);
    check_function("imageAtomicAdd", &["fragment 420", "compute 320 es"], &["compute 310 es"]);
    check_function("atomicCounterAdd", &["fragment 460"], &["fragment 450"]);
    check_function("packHalf2x16", &["vertex 420", "vertex 300 es"], &["vertex 410"]);
    check_function("textureQueryLod", &["fragment 400"], &["vertex 400", "fragment 330"]);
    check_function("interpolateAtOffset", &["fragment 400", "fragment 320 es"], &["fragment 330", "vertex 400"]);
    check_function("subgroupAdd", &["compute 450 GL_KHR_shader_subgroup_arithmetic"], &["compute 450"]);
    check_function("anyInvocationARB", &["fragment 420 GL_ARB_shader_group_vote"], &["fragment 460"]);
}

/// Checks the prototypes of a function's overloads in one dialect, as `result(parameters)`.
#[track_caller]
fn check_overloads(name: &str, at: &str, expected: usize) {
    let dialect = dialect(at);
    let found = functions(symbol(name)).iter().filter(|f| f.when.holds(&dialect)).count();
    assert_eq!(found, expected, "{name} in {at}");
}

#[test]
fn generic_types_expand() {
    check_overloads("sin", "vertex 110", 4);
    check_overloads("clamp", "vertex 110", 8);
    check_overloads("clamp", "vertex 130", 24);
    check_overloads("lessThan", "vertex 110", 6);
    check_overloads("matrixCompMult", "vertex 120", 9);
    check_overloads("matrixCompMult", "vertex 400", 18);
    check_overloads("imageLoad", "fragment 420", 33);
    check_overloads("textureGatherOffsets", "fragment 400", 21);
}

#[test]
fn requirements_on_arguments() {
    let function = |name: &str| &functions(symbol(name))[0];
    let add = function("atomicAdd");
    assert!(add.params[0].memory && add.params[0].direction == Direction::InOut);
    assert_eq!((add.result, add.effect), (Type::UINT, Effect::Write));
    let offsets = function("textureGatherOffsets");
    assert_eq!(offsets.params[2].array, Some(4));
    assert!(offsets.params[2].constant);
    assert!(function("interpolateAtOffset").params[0].interpolant);
    let modf = &functions(symbol("modf"))[1];
    assert_eq!(modf.params[1].direction, Direction::Out);
    assert_eq!(modf.params[1].ty, Type::Vector(Scalar::Float, 2));
}

#[track_caller]
fn check_word(word: &str, at: &str, expected: Word) {
    assert_eq!(Words::new(&dialect(at)).get(symbol(word)), expected, "{word} in {at}");
}

#[test]
fn kinds_of_words() {
    check_word("if", "vertex 110", Word::Keyword(Keyword::If));
    check_word("uint", "vertex 130", Word::Type(Type::UINT));
    check_word("uint", "vertex 120", Word::Identifier);
    check_word("uint", "vertex 120 GL_EXT_gpu_shader4", Word::Type(Type::UINT));
    check_word("goto", "vertex 120", Word::Reserved);
    check_word("switch", "vertex 120", Word::Reserved);
    check_word("switch", "vertex 130", Word::Keyword(Keyword::Switch));
    check_word("double", "vertex 330", Word::Reserved);
    check_word("double", "vertex 400", Word::Type(Type::DOUBLE));
    check_word("dvec2", "vertex 150 GL_ARB_gpu_shader_fp64", Word::Type(Type::Vector(Scalar::Double, 2)));
    check_word("attribute", "vertex 410", Word::Keyword(Keyword::Attribute));
    check_word("attribute", "vertex 420", Word::Reserved);
    check_word("varying", "vertex 300 es", Word::Reserved);
    check_word("sample", "fragment 330", Word::Identifier);
    check_word("sample", "fragment 300 es", Word::Reserved);
    check_word("sample", "fragment 400", Word::Keyword(Keyword::Sample));
    check_word("buffer", "compute 430", Word::Keyword(Keyword::Buffer));
    check_word("demote", "fragment 450", Word::Identifier);
    check_word("texture2D", "fragment 450", Word::Identifier);
    check_word("layout", "vertex 120", Word::Identifier);
    check_word("layout", "vertex 120 GL_ARB_explicit_attrib_location", Word::Keyword(Keyword::Layout));
}

/// Checks the storage of a variable in a dialect, if it exists there.
#[track_caller]
fn check_variable(name: &str, at: &str, expected: Option<Storage>) {
    let dialect = dialect(at);
    let found = variables(symbol(name)).iter().find(|v| v.when.holds(&dialect));
    assert_eq!(found.map(|v| v.storage), expected, "{name} in {at}");
}

#[test]
fn availability_of_variables() {
    check_variable("gl_Position", "vertex 110", Some(Storage::Out));
    check_variable("gl_Position", "fragment 110", None);
    check_variable("gl_Position", "geometry 150", Some(Storage::Out));
    check_variable("gl_Vertex", "vertex 130", Some(Storage::In));
    check_variable("gl_Vertex", "vertex 150", None);
    check_variable("gl_Color", "fragment 120", Some(Storage::In));
    check_variable("gl_FragColor", "fragment 410", Some(Storage::Out));
    check_variable("gl_FragColor", "fragment 450", None);
    check_variable("gl_FragColor", "fragment 300 es", None);
    check_variable("gl_FragDepth", "fragment 300 es", Some(Storage::Out));
    check_variable("gl_FragDepth", "fragment 100 es", None);
    check_variable("gl_FragDepthEXT", "fragment 100 es GL_EXT_frag_depth", Some(Storage::Out));
    check_variable("gl_TessLevelOuter", "tesc 400", Some(Storage::Out));
    check_variable("gl_TessLevelOuter", "tese 400", Some(Storage::In));
    check_variable("gl_Layer", "geometry 150", Some(Storage::Out));
    check_variable("gl_Layer", "fragment 430", Some(Storage::In));
    check_variable("gl_LightSource", "vertex 110", Some(Storage::Uniform));
    check_variable("gl_WorkGroupID", "compute 310 es", Some(Storage::In));
    check_variable("gl_WorkGroupSize", "compute 430", Some(Storage::Const));
    check_variable("gl_LastFragData", "fragment 100 es GL_EXT_shader_framebuffer_fetch", Some(Storage::In));
    let tesc = dialect("tesc 400");
    let blocks: Vec<_> =
        aggregates().iter().filter(|a| a.name == symbol("gl_PerVertex") && a.when.holds(&tesc)).collect();
    assert_eq!(blocks.len(), 2);
    let light = variables(symbol("gl_LightSource"))[0];
    assert_eq!(light.array, ArraySize::Limit(symbol("gl_MaxLights")));
    let BaseType::Struct(index) = light.ty else { panic!("gl_LightSource is a structure") };
    assert_eq!(aggregates()[usize::from(index)].members.len(), 12);
    assert_eq!(&*constants(symbol("gl_MaxLights"))[0].values, &[8]);
    assert_eq!(image_format(symbol("r32ui")).map(|f| f.scalar), Some(Scalar::Uint));
    assert!(image_formats().iter().enumerate().all(|(n, f)| usize::from(f.index) == n));
}

#[test]
fn languages_of_extensions() {
    let core = Version { number: 450, profile: Profile::Core };
    let es = Version { number: 310, profile: Profile::Es };
    let geometry = extension("GL_EXT_geometry_shader").unwrap();
    assert!(geometry.offered(es) && !geometry.offered(core));
    assert!(geometry.implies().contains(&extension("GL_EXT_shader_io_blocks").unwrap()));
    assert_eq!(extension("GL_EXT_nothing"), None);
    let pack = extension("GL_ANDROID_extension_pack_es31a").unwrap();
    assert!(pack.implies().contains(&geometry));
    let mut set = ExtensionSet::empty();
    set.insert(geometry);
    assert_eq!(set.iter().collect::<Vec<_>>(), [geometry]);
    set.remove(geometry);
    assert_eq!(set, ExtensionSet::empty());
}

#[track_caller]
fn check_availability(name: &str, expected: Option<&str>) {
    assert_eq!(availability(symbol(name)).as_deref(), expected, "{name}");
}

#[test]
fn descriptions_of_availability() {
    check_availability("sin", None);
    check_availability("smooth", Some("GLSL 1.30 or GLSL ES 3.00"));
    check_availability("uvec2", Some("GLSL 1.30, GLSL ES 3.00 or GL_EXT_gpu_shader4"));
    check_availability("determinant", Some("GLSL 1.50, GLSL ES 3.00 or GL_ARB_gpu_shader_fp64"));
    check_availability(
        "dFdxFine",
        Some(
            "GLSL 4.50 in fragment shaders, GL_ARB_derivative_control in fragment shaders, GLSL 4.50 with GL_NV_compute_shader_derivatives in compute shaders or GL_ARB_derivative_control with GL_NV_compute_shader_derivatives in compute shaders",
        ),
    );
    check_availability("min3", Some("GL_AMD_shader_trinary_minmax"));
}
