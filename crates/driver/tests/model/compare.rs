//! Makes every query of plain state to the driver and to the model.

use api::{Access, CommandId, Count, Library, Scalar, constant as c, enums, id};
use state::{Answer, Client, Fault, Values};
use testing::random::Random;
use testing::twin::{ContextKind, Twin};

use super::arguments;

/// The twin contexts, and the names that both are queried for.
pub struct Comparison {
    pub twin: Twin,
    names: Vec<u32>,
    indexed_names: Vec<u32>,
}

const SIZE: (i32, i32) = (100, 80);
const UNTOUCHED: u8 = 0xA5;

impl Comparison {
    #[track_caller]
    pub fn new(kind: ContextKind) -> Comparison {
        let mut comparison = Comparison { twin: Twin::new(kind, SIZE), names: Vec::new(), indexed_names: Vec::new() };
        comparison.find_names();
        comparison
    }

    fn client(&self) -> Client {
        self.twin.model.context(1).expect("there is a context").facts.client
    }

    /// Finds the names for which the driver or the model has a value.
    fn find_names(&mut self) {
        // Mesa dereferences a null pointer when queried for the LUID of a software device.
        let forbidden = [c::GL_DEVICE_LUID_EXT, c::GL_DEVICE_NODE_MASK_EXT];
        let all =
            enums::values(Library::Gl).filter(|value| (0x0B00..0x2_0000).contains(value)).map(|value| value as u32);
        let mine = |name: &u32| !is_of_others(enums::any_name(Library::Gl, i64::from(*name)).unwrap_or(""));
        // For units without fixed functions, it returns whatever is in memory.
        let all = all.filter(|name| *name != c::GL_TRANSPOSE_TEXTURE_MATRIX);
        let all: Vec<u32> = all.filter(|name| !forbidden.contains(name)).filter(mine).collect();
        let mut room = vec![0u8; 4096];
        let pointer = room.as_mut_ptr() as u64;
        let mut known = |query: CommandId, args: &[u64]| {
            self.twin.real(query, args);
            let answer = self.twin.view().answer(query, args);
            let real = self.twin.real_error() == 0;
            real || matches!(answer, Some(Ok(_)))
        };
        let es1 = self.client() == Client::Es1;
        let plain = |name: &u32, known: &mut dyn FnMut(CommandId, &[u64]) -> bool| {
            let name = u64::from(*name);
            known(id::glGetIntegerv, &[name, pointer]) || known(id::glIsEnabled, &[name])
        };
        let indexed = |name: &u32, known: &mut dyn FnMut(CommandId, &[u64]) -> bool| {
            let name = u64::from(*name);
            !es1 && (known(id::glGetIntegeri_v, &[name, 0, pointer]) || known(id::glIsEnabledi, &[name, 0]))
        };
        let names = all.iter().copied().filter(|name| plain(name, &mut known)).collect();
        let indexed_names = all.iter().copied().filter(|name| indexed(name, &mut known)).collect();
        (self.names, self.indexed_names) = (names, indexed_names);
    }

    /// Calls a command of one of the lists with random arguments. Returns a description of the call.
    pub fn random_call(&mut self, random: &mut Random, lists: &[&[&str]]) -> String {
        let list = random.pick(lists);
        let name = random.pick(list);
        // When a saved level is popped, Mesa loses changes made inside it, and does not restore all of the level around
        // it. So this test uses one level.
        let outside = !self.twin.begun();
        let full = |stack: u32| outside && self.twin.integers(stack, 1).is_some_and(|depth| depth[0] > 0);
        let name = match name {
            "glPushAttrib" if full(c::GL_ATTRIB_STACK_DEPTH) => "glPopAttrib",
            other => other,
        };
        let command = api::find(name).expect("a command");
        let described = api::command(command);
        let mut inputs = Vec::new();
        let mut args = Vec::new();
        for (at, param) in described.params.iter().enumerate() {
            match param.memory {
                Some(memory) if memory.access == Access::Read => {
                    let text = matches!(memory.count, Count::Text | Count::TextOf(_));
                    let bytes = if text { b"text\0".to_vec() } else { numbers(random, memory.element.scalar) };
                    args.push(bytes.as_ptr() as u64);
                    inputs.push((at as u8, bytes));
                }
                _ => args.push(arguments::value(random, param.value)),
            }
        }
        // The memory behind a pointer must be as large as the command requires.
        for (at, param) in described.params.iter().enumerate() {
            if matches!(param.name, "count" | "length" | "mapsize" | "range" | "n") {
                args[at] = random.below(6);
            }
            // It also loses current attributes that have not been queried since.
            if name == "glPushAttrib" {
                args[at] &= !u64::from(c::GL_CURRENT_BIT | c::GL_LIGHTING_BIT);
            }
            // Mesa adds the count to it without checking for an overflow, and writes there.
            if param.name == "first" {
                args[at] = random.below(20);
            }
        }
        for (at, bytes) in &mut inputs {
            let Some(memory) = described.params[usize::from(*at)].memory else { continue };
            if let Count::Param { index, times } = memory.count {
                bytes.truncate(args[usize::from(index)] as usize * times as usize * size_of(memory.element.scalar));
            }
        }
        let shown = show(described.name, described.params, &args, &inputs);
        // Other tests compare arrays.
        if shown.contains("_ARRAY") {
            return shown;
        }
        self.twin.both(command, &args, inputs, &shown);
        shown
    }

    /// Makes all queries to both and notes the differences.
    pub fn compare(&mut self, after: &str) {
        if self.twin.begun() {
            return;
        }
        let es1 = self.client() == Client::Es1;
        let desktop = !es1 && self.client() != Client::Es2;
        let mut queries: Vec<(CommandId, Scalar)> =
            vec![(id::glGetBooleanv, Scalar::U8), (id::glGetIntegerv, Scalar::I32), (id::glGetFloatv, Scalar::F32)];
        if desktop {
            queries.push((id::glGetDoublev, Scalar::F64));
        }
        if es1 {
            queries.push((id::glGetFixedv, Scalar::I32));
        } else {
            queries.push((id::glGetInteger64v, Scalar::I64));
        }
        for name in self.names.clone() {
            for (query, scalar) in &queries {
                self.ask(*query, &[u64::from(name)], *scalar, after);
            }
            self.ask_value(id::glIsEnabled, &[u64::from(name)], after);
        }
        for name in self.indexed_names.clone() {
            // When queried for integers, Mesa returns nothing for a matrix, and no error either.
            if [c::GL_TEXTURE_MATRIX, c::GL_TRANSPOSE_TEXTURE_MATRIX].contains(&name) {
                continue;
            }
            for index in [0, 1, 7, 8, 15, 16] {
                self.ask(id::glGetIntegeri_v, &[u64::from(name), index], Scalar::I32, after);
                self.ask_value(id::glIsEnabledi, &[u64::from(name), index], after);
                if desktop {
                    self.ask(id::glGetFloati_v, &[u64::from(name), index], Scalar::F32, after);
                }
            }
        }
        self.compare_structures(after);
        for name in [c::GL_VENDOR, c::GL_RENDERER, c::GL_VERSION, c::GL_EXTENSIONS, c::GL_SHADING_LANGUAGE_VERSION, 5] {
            let real = self.twin.text(name);
            let real = if self.twin.real_error() == 0 { Ok(real) } else { Err(()) };
            let answer = self.twin.view().answer(id::glGetString, &[u64::from(name)]).unwrap();
            let answer = answer.map_err(|_| ()).map(|answer| match answer.values {
                Values::Text(text) => text,
                other => format!("{other:?}"),
            });
            if real != answer && !answer.as_ref().is_ok_and(|text| text.starts_with("Unknown")) {
                let text = format!("glGetString({name:#x}): {real:?} is not {answer:?}");
                self.twin.differs(format!("glGetString {name:#x}"), text);
            }
        }
    }

    /// Compares state with its own queries.
    fn compare_structures(&mut self, after: &str) {
        let client = self.client();
        let compatibility = client == Client::Compatibility;
        if !compatibility && client != Client::Es1 {
            return;
        }
        let mut queries: Vec<(CommandId, Vec<u64>, Scalar)> = Vec::new();
        let mut values = Vec::new();
        let mut ask = |query: CommandId, scalar: Scalar, args: &[u32]| {
            queries.push((query, args.iter().map(|arg| u64::from(*arg)).collect(), scalar));
        };
        let lights =
            (c::GL_AMBIENT..=c::GL_QUADRATIC_ATTENUATION + 1).flat_map(|name| (0..9).map(move |at| (at, name)));
        for (at, name) in lights {
            ask(id::glGetLightfv, Scalar::F32, &[c::GL_LIGHT0 + at, name]);
            if compatibility {
                ask(id::glGetLightiv, Scalar::I32, &[c::GL_LIGHT0 + at, name]);
            }
        }
        let materials = [c::GL_AMBIENT, c::GL_DIFFUSE, c::GL_SPECULAR, c::GL_EMISSION, c::GL_SHININESS, 0x1603, 7];
        for (face, name) in
            [c::GL_FRONT, c::GL_BACK, c::GL_FRONT_AND_BACK].iter().flat_map(|face| materials.map(|name| (*face, name)))
        {
            ask(id::glGetMaterialfv, Scalar::F32, &[face, name]);
            if compatibility {
                ask(id::glGetMaterialiv, Scalar::I32, &[face, name]);
            }
        }
        let environment = [
            c::GL_TEXTURE_ENV_MODE,
            c::GL_TEXTURE_ENV_COLOR,
            c::GL_COMBINE_RGB,
            c::GL_COMBINE_ALPHA,
            c::GL_SRC0_RGB,
            c::GL_SRC1_RGB,
            c::GL_SRC2_RGB,
            c::GL_SOURCE3_RGB_NV,
            c::GL_SRC0_ALPHA,
            c::GL_SRC1_ALPHA,
            c::GL_SRC2_ALPHA,
            c::GL_OPERAND0_RGB,
            c::GL_OPERAND1_RGB,
            c::GL_OPERAND2_RGB,
            c::GL_OPERAND0_ALPHA,
            c::GL_OPERAND1_ALPHA,
            c::GL_OPERAND2_ALPHA,
            c::GL_RGB_SCALE,
            c::GL_ALPHA_SCALE,
            c::GL_COORD_REPLACE,
            c::GL_TEXTURE_LOD_BIAS,
        ];
        for target in [c::GL_TEXTURE_ENV, c::GL_TEXTURE_FILTER_CONTROL, c::GL_POINT_SPRITE, c::GL_TEXTURE_2D] {
            for name in environment {
                ask(id::glGetTexEnvfv, Scalar::F32, &[target, name]);
                ask(id::glGetTexEnviv, Scalar::I32, &[target, name]);
            }
        }
        if compatibility {
            for coordinate in c::GL_S..=c::GL_Q + 1 {
                for name in [c::GL_TEXTURE_GEN_MODE, c::GL_OBJECT_PLANE, c::GL_EYE_PLANE, 9] {
                    ask(id::glGetTexGenfv, Scalar::F32, &[coordinate, name]);
                    ask(id::glGetTexGeniv, Scalar::I32, &[coordinate, name]);
                    ask(id::glGetTexGendv, Scalar::F64, &[coordinate, name]);
                }
            }
            for plane in c::GL_CLIP_PLANE0..c::GL_CLIP_PLANE0 + 9 {
                ask(id::glGetClipPlane, Scalar::F64, &[plane]);
            }
            for map in c::GL_PIXEL_MAP_I_TO_I..c::GL_PIXEL_MAP_I_TO_I + 11 {
                ask(id::glGetPixelMapfv, Scalar::F32, &[map]);
                ask(id::glGetPixelMapuiv, Scalar::U32, &[map]);
                ask(id::glGetPixelMapusv, Scalar::U16, &[map]);
            }
            for map in (c::GL_MAP1_COLOR_4..=c::GL_MAP1_VERTEX_4 + 1).chain(c::GL_MAP2_COLOR_4..=c::GL_MAP2_VERTEX_4) {
                for name in [c::GL_COEFF, c::GL_ORDER, c::GL_DOMAIN, 3] {
                    ask(id::glGetMapfv, Scalar::F32, &[map, name]);
                    ask(id::glGetMapiv, Scalar::I32, &[map, name]);
                }
            }
            for list in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 100, 255] {
                values.push((id::glIsList, list));
            }
        } else {
            for plane in c::GL_CLIP_PLANE0..c::GL_CLIP_PLANE0 + 7 {
                ask(id::glGetClipPlanef, Scalar::F32, &[plane]);
                ask(id::glGetClipPlanex, Scalar::I32, &[plane]);
            }
        }
        for (query, args, scalar) in queries {
            self.ask(query, &args, scalar, after);
        }
        for (query, arg) in values {
            self.ask_value(query, &[arg], after);
        }
    }

    /// Compares a query that writes its result behind its last parameter.
    pub fn ask(&mut self, query: CommandId, args: &[u64], scalar: Scalar, after: &str) {
        let mut room = vec![UNTOUCHED; 4096];
        let mut with_room = args.to_vec();
        with_room.push(room.as_mut_ptr() as u64);
        self.twin.real(query, &with_room);
        let error = self.twin.real_error();
        let answer = self.twin.view().answer(query, &with_room);
        self.judge(query, args, scalar, after, error, &room, answer.as_ref());
    }

    /// Compares a query that returns its result.
    fn ask_value(&mut self, query: CommandId, args: &[u64], after: &str) {
        let result = self.twin.real(query, args);
        let error = self.twin.real_error();
        let answer = self.twin.view().answer(query, args);
        let mut room = vec![UNTOUCHED; 64];
        room[0] = result as u8;
        self.judge(query, args, Scalar::U8, after, error, &room, answer.as_ref());
    }

    #[allow(clippy::too_many_arguments, reason = "all of them describe the query")]
    fn judge(
        &mut self,
        query: CommandId,
        args: &[u64],
        scalar: Scalar,
        after: &str,
        error: u32,
        room: &[u8],
        answer: Option<&Result<Answer, Fault>>,
    ) {
        let (Some(Ok(answer)), 0) = (answer, error) else {
            let said = match answer {
                Some(Err(fault)) if fault.error == error => return,
                Some(Err(fault)) => format!("{:#x} ({})", fault.error, fault.why),
                Some(Ok(answer)) => format!("{:?}", answer.values),
                None => "nothing".to_owned(),
            };
            let shown = if error == 0 { shown_bytes(room, scalar) } else { format!("{error:#x}") };
            let text = format!("{}: the driver says {shown}, the model {said} (after {after})", call_text(query, args));
            self.twin.differs(call_text(query, args), text);
            return;
        };
        let Some(bytes) = answer.bytes(scalar, &mut |_, name| name) else { return };
        let rest = bytes.len().min(room.len());
        // Planes are transformed by the inverse of a matrix, whose rounding is implementation-dependent.
        let inverted = matches!(query, id::glGetClipPlane | id::glGetTexGenfv | id::glGetTexGendv);
        if inverted && nearly(&bytes, &room[..rest], scalar) {
            return;
        }
        if bytes[..] != room[..rest] || room[rest..].iter().take(8).any(|byte| *byte != UNTOUCHED) {
            let text = format!(
                "{}: the driver says {}, the model {} {:?} (after {after})",
                call_text(query, args),
                shown_bytes(room, scalar),
                shown_bytes(&bytes, scalar),
                answer.kind,
            );
            self.twin.differs(call_text(query, args), text);
        }
    }
}

fn nearly(left: &[u8], right: &[u8], scalar: Scalar) -> bool {
    let numbers = |bytes: &[u8]| -> Vec<f64> {
        let one = |chunk: &[u8]| match scalar {
            Scalar::F64 => f64::from_le_bytes(chunk.try_into().unwrap()),
            _ => f64::from(f32::from_le_bytes(chunk.try_into().unwrap())),
        };
        bytes.chunks_exact(size_of(scalar)).map(one).collect()
    };
    let (left, right) = (numbers(left), numbers(right));
    let largest = left.iter().chain(&right).fold(0.0f64, |most, number| most.max(number.abs()));
    left.iter().zip(&right).all(|(left, right)| (left - right).abs() <= largest * 1.0e-4)
}

fn numbers(random: &mut Random, scalar: Scalar) -> Vec<u8> {
    let size = size_of(scalar);
    (0..160).flat_map(|_| arguments::number(random, scalar).to_le_bytes()[..size].to_vec()).collect()
}

fn size_of(scalar: Scalar) -> usize {
    match scalar {
        Scalar::I8 | Scalar::U8 => 1,
        Scalar::I16 | Scalar::U16 => 2,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        _ => 4,
    }
}

fn call_text(query: CommandId, args: &[u64]) -> String {
    let name = |arg: &u64| match arg {
        0..=255 => arg.to_string(),
        _ => enums::any_name(Library::Gl, arg.cast_signed()).map_or(format!("{arg:#x}"), str::to_owned),
    };
    let shown: Vec<String> = args.iter().map(name).collect();
    format!("{}({})", api::command(query).name, shown.join(", "))
}

fn shown_bytes(bytes: &[u8], scalar: Scalar) -> String {
    let size = match scalar {
        Scalar::U8 | Scalar::I8 => 1,
        Scalar::U16 | Scalar::I16 => 2,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
        _ => 8,
    };
    let shown = bytes.chunks_exact(size).take_while(|chunk| chunk.iter().any(|byte| *byte != UNTOUCHED)).take(16);
    let shown: Vec<String> = shown
        .map(|chunk| match scalar {
            Scalar::U8 | Scalar::I8 => format!("{}", chunk[0]),
            Scalar::U16 | Scalar::I16 => format!("{}", i16::from_le_bytes(chunk.try_into().unwrap())),
            Scalar::I32 | Scalar::U32 => format!("{}", i32::from_le_bytes(chunk.try_into().unwrap())),
            Scalar::F32 => format!("{:?}", f32::from_le_bytes(chunk.try_into().unwrap())),
            Scalar::F64 => format!("{:?}", f64::from_le_bytes(chunk.try_into().unwrap())),
            _ => format!("{}", i64::from_le_bytes(chunk.try_into().unwrap())),
        })
        .collect();
    format!("[{}]", shown.join(", "))
}

fn show(name: &str, params: &[api::Param], args: &[u64], inputs: &[(u8, Vec<u8>)]) -> String {
    let one = |(at, (param, arg)): (usize, (&api::Param, &u64))| {
        if let Some((_, bytes)) = inputs.iter().find(|(input, _)| usize::from(*input) == at) {
            let scalar = param.memory.map_or(Scalar::I32, |memory| memory.element.scalar);
            return shown_bytes(&bytes[..bytes.len().min(32)], scalar);
        }
        match param.value.scalar {
            Scalar::F32 => format!("{:?}", f32::from_bits(*arg as u32)),
            Scalar::F64 => format!("{:?}", f64::from_bits(*arg)),
            _ => match param.value.meaning {
                api::Meaning::Enum(group) => {
                    enums::name(Library::Gl, group, arg.cast_signed()).map_or(format!("{arg:#x}"), str::to_owned)
                }
                _ => format!("{}", arg.cast_signed()),
            },
        }
    };
    let shown: Vec<String> = params.iter().zip(args).enumerate().map(one).collect();
    format!("{name}({})", shown.join(", "))
}

/// Returns whether other tests compare this state: bindings, arrays, framebuffers, programs, and state that changes by
/// itself.
fn is_of_others(name: &str) -> bool {
    const PARTS: &[&str] = &[
        "BINDING",
        "_ARRAY",
        "_BITS",
        "DRAW_BUFFER",
        "READ_BUFFER",
        "GL_SAMPLES",
        "SAMPLE_BUFFERS",
        "GL_TEXTURE_BUFFER",
        "TIMESTAMP",
        "CURRENT_PROGRAM",
        "COPY_READ",
        "COPY_WRITE",
        "TRANSFORM_FEEDBACK",
        "IMPLEMENTATION_COLOR",
        "DOUBLEBUFFER",
        "STEREO",
        "SRGB_CAPABLE",
        "RGBA_FLOAT_MODE",
        "RGBA_INTEGER_MODE",
        "RGBA_SIGNED",
        "ERROR_POSITION",
        "UUID",
        "BUFFER_START",
        "BUFFER_SIZE",
        "CURRENT_TIME",
        "GPU_DISJOINT",
        "AVAILABLE_MEMORY",
        "MEMORY_NVX",
        "EVICTION",
        "EVICTED",
        "VBO_FREE",
        "TEXTURE_FREE",
        "RENDERBUFFER_FREE",
        "PROGRAM_NAMED",
        "TEXTURE_EXTERNAL",
        "DISCARDS_SAMPLES",
        "GL_ACTIVE_PROGRAM",
    ];
    PARTS.iter().any(|part| name.contains(part))
}
