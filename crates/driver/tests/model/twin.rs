//! A context of the driver and one of the model that get the same calls.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

use api::limits::{LIMITS, PRECISION_SHADERS, PRECISIONS, Query, TEXTS};
use api::{Access, CommandId, Count, Library, Scalar, constant as c, enums, id};
use driver::{Client, ContextRequest, DeviceChoice, Screen, SurfaceRequest, invoke};
use state::call::NoMemory;
use state::{Answer, Call, CallObserver, Data, Fault, Memory, Model, Values};

use super::random::Random;

/// The kind of a context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Compatibility,
    Core,
    Es1,
    Es2,
}

pub struct Twin {
    pub screen: Screen,
    pub model: Model,
    addresses: std::cell::RefCell<BTreeMap<u16, usize>>,
    names: Vec<u32>,
    indexed_names: Vec<u32>,
    differences: BTreeMap<String, String>,
}

/// The memory behind the pointers of a call.
struct Inputs(Vec<(u8, Vec<u8>)>);

impl Memory for Inputs {
    fn input(&self, param: u8) -> Option<Data> {
        let (_, bytes) = self.0.iter().find(|(at, _)| *at == param)?;
        Some(Data { size: bytes.len() as u64, blob: None })
    }

    fn output(&self, _param: u8) -> Option<Data> {
        None
    }

    fn input_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        let (_, bytes) = self.0.iter().find(|(at, _)| *at == param)?;
        Some(Cow::Borrowed(bytes))
    }

    fn output_bytes(&self, _param: u8) -> Option<Cow<'_, [u8]>> {
        None
    }
}

/// What the model reported for a call.
#[derive(Default)]
struct Reported {
    refused: Option<Fault>,
    differs: Option<(u32, u32)>,
}

impl CallObserver for Reported {
    fn refused(&mut self, fault: Fault) {
        self.refused = Some(fault);
    }
    fn error_differs(&mut self, expected: u32, recorded: u32) {
        self.differs = Some((expected, recorded));
    }
}

const SIZE: (i32, i32) = (100, 80);
const UNTOUCHED: u8 = 0xA5;

impl Twin {
    /// Creates both contexts; `None` when the driver does not support such a context.
    pub fn new(kind: Kind) -> Option<Twin> {
        let screen = Screen::open(&DeviceChoice::First).ok()?;
        let (client, major, minor, profile) = match kind {
            Kind::Compatibility => (Client::Desktop, 4, 5, 2),
            Kind::Core => (Client::Desktop, 4, 5, 1),
            Kind::Es1 => (Client::Es1, 1, 1, 0),
            Kind::Es2 => (Client::Es, 3, 2, 0),
        };
        let request = ContextRequest { client, major, minor, profile, flags: 0 };
        let surface = SurfaceRequest {
            width: SIZE.0,
            height: SIZE.1,
            red: 8,
            green: 8,
            blue: 8,
            alpha: 8,
            depth: 24,
            stencil: 8,
            ..SurfaceRequest::default()
        };
        let context = screen.context(&request, None).ok()?;
        let pbuffer = screen.pbuffer(&surface, client).ok()?;
        screen.make_current(Some(context), Some(pbuffer), Some(pbuffer)).ok()?;
        let mut twin = Twin {
            screen,
            model: Model::default(),
            addresses: std::cell::RefCell::default(),
            names: Vec::new(),
            indexed_names: Vec::new(),
            differences: BTreeMap::new(),
        };
        let api = if client == Client::Desktop { c::EGL_OPENGL_API } else { c::EGL_OPENGL_ES_API };
        let words = [1, 0, 0, u64::from(api), major as u64, minor as u64, u64::from(profile), 0];
        twin.tell(id::afiContext, &words, &NoMemory);
        twin.describe();
        twin.limits();
        let words = [1, 0, 1, SIZE.0 as u64, SIZE.1 as u64, 8, 8, 8, 8, 24, 8, 0, 0, 0];
        twin.tell(id::afiSurface, &words, &NoMemory);
        twin.tell(id::afiCurrent, &[1, 1, 1], &NoMemory);
        twin.find_names();
        Some(twin)
    }

    fn tell(&mut self, command: CommandId, args: &[u64], memory: &dyn Memory) -> Reported {
        self.tell_result(command, args, memory, 0)
    }

    fn tell_result(&mut self, command: CommandId, args: &[u64], memory: &dyn Memory, result: u64) -> Reported {
        let mut heard = Reported::default();
        let call = Call { number: 0, command, thread: 0, by_capture: false, args, result: Some(result), memory };
        self.model.apply(&call, Some(&mut heard));
        heard
    }

    /// Makes a call to the driver only.
    pub fn real(&self, command: CommandId, args: &[u64]) -> u64 {
        let function = *self.addresses.borrow_mut().entry(command.0).or_insert_with(|| {
            let name = CString::new(api::command(command).name).unwrap();
            self.screen.address(&name) as usize
        }) as *const std::ffi::c_void;
        assert!(!function.is_null(), "the driver has no {}", api::command(command).name);
        // SAFETY: EGL returned the address for this command's name, and callers here pass enough memory.
        unsafe { invoke(function, command, args) }
    }

    pub fn real_error(&self) -> u32 {
        self.real(id::glGetError, &[]) as u32
    }

    fn text(&self, address: u64) -> String {
        if address == 0 {
            return String::new();
        }
        // SAFETY: GL strings are NUL-terminated and stay valid.
        unsafe { CStr::from_ptr(address as *const _) }.to_string_lossy().into_owned()
    }

    fn describe(&mut self) {
        let mut texts = [c::GL_VENDOR, c::GL_RENDERER, c::GL_VERSION]
            .map(|name| self.text(self.real(id::glGetString, &[u64::from(name)])))
            .to_vec();
        let count = self.integers(c::GL_NUM_EXTENSIONS, 1).map_or(0, |numbers| numbers[0]);
        let extensions = if count == 0 {
            self.text(self.real(id::glGetString, &[u64::from(c::GL_EXTENSIONS)]))
        } else {
            let one = |at| self.text(self.real(id::glGetStringi, &[u64::from(c::GL_EXTENSIONS), at as u64]));
            (0..count).map(one).collect::<Vec<_>>().join(" ")
        };
        texts.push(extensions);
        let inputs = texts.into_iter().enumerate().map(|(at, text)| (at as u8 + 1, text.into_bytes())).collect();
        self.tell(id::afiDescribe, &[1, 0, 0, 0, 0], &Inputs(inputs));
    }

    fn integers(&self, name: u32, count: usize) -> Option<Vec<i64>> {
        let mut numbers = vec![0i32; count.max(64)];
        self.real(id::glGetIntegerv, &[u64::from(name), numbers.as_mut_ptr() as u64]);
        (self.real_error() == 0).then(|| numbers[..count].iter().map(|number| i64::from(*number)).collect())
    }

    /// Gives the model what capture would record as `afiLimits`.
    fn limits(&mut self) {
        let wide = self.model.context(1).unwrap().facts.client != state::Client::Es1;
        let mut bytes = Vec::new();
        let mut write = |name: u32, index: u32, kind: u32, values: &[u64]| {
            for word in [name, index, kind, values.len() as u32] {
                bytes.extend(word.to_le_bytes());
            }
            values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        };
        for limit in LIMITS {
            let name = u64::from(limit.name);
            match limit.query {
                Query::Integers(count) if wide => {
                    let mut numbers = [0i64; 64];
                    self.real(id::glGetInteger64v, &[name, numbers.as_mut_ptr() as u64]);
                    if self.real_error() == 0 {
                        write(limit.name, 0, 0, &numbers.map(i64::cast_unsigned)[..usize::from(count)]);
                    }
                }
                Query::Integers(count) => {
                    if let Some(numbers) = self.integers(limit.name, usize::from(count)) {
                        write(limit.name, 0, 0, &numbers.into_iter().map(i64::cast_unsigned).collect::<Vec<_>>());
                    }
                }
                Query::Floats(count) => {
                    let mut numbers = [0f32; 64];
                    self.real(id::glGetFloatv, &[name, numbers.as_mut_ptr() as u64]);
                    if self.real_error() == 0 {
                        let numbers = numbers.map(|number| f64::from(number).to_bits());
                        write(limit.name, 0, 1, &numbers[..usize::from(count)]);
                    }
                }
                Query::Listed(count) => {
                    let Some(count) = self.integers(count, 1) else { continue };
                    if let Some(numbers) = self.integers(limit.name, count[0] as usize) {
                        write(limit.name, 0, 0, &numbers.into_iter().map(i64::cast_unsigned).collect::<Vec<_>>());
                    }
                }
                Query::Indexed(count) if wide => {
                    for index in 0..u64::from(count) {
                        let mut number = [0i32; 4];
                        self.real(id::glGetIntegeri_v, &[name, index, number.as_mut_ptr() as u64]);
                        if self.real_error() == 0 {
                            write(limit.name, index as u32, 0, &[i64::from(number[0]).cast_unsigned()]);
                        }
                    }
                }
                Query::Indexed(_) => {}
            }
        }
        for (shader, kind) in PRECISION_SHADERS.iter().flat_map(|shader| PRECISIONS.map(|kind| (*shader, kind))) {
            let (mut range, mut precision) = ([0i32; 2], 0i32);
            let pointers = [range.as_mut_ptr() as u64, &raw mut precision as u64];
            self.real(id::glGetShaderPrecisionFormat, &[u64::from(shader), u64::from(kind), pointers[0], pointers[1]]);
            if self.real_error() == 0 {
                let values = [range[0], range[1], precision].map(|number| i64::from(number).cast_unsigned());
                write(kind, shader, 0, &values);
            }
        }
        let mut text = |name: u32, index: u32, text: &str| {
            for word in [name, index, 2, text.len() as u32] {
                bytes.extend(word.to_le_bytes());
            }
            bytes.extend(text.as_bytes());
        };
        for (name, count) in TEXTS {
            let whole = self.text(self.real(id::glGetString, &[u64::from(name)]));
            if self.real_error() == 0 {
                text(name, 0, &whole);
            }
            for index in 0..self.integers(count, 1).map_or(0, |numbers| numbers[0]) as u64 {
                let one = self.text(self.real(id::glGetStringi, &[u64::from(name), index]));
                if self.real_error() == 0 {
                    text(name, index as u32 + 1, &one);
                }
            }
        }
        let size = bytes.len() as u64;
        self.tell(id::afiLimits, &[1, size, 0], &Inputs(vec![(2, bytes)]));
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
            self.real(query, args);
            let answer = self.model.view(0).unwrap().answer(query, args);
            let real = self.real_error() == 0;
            real || matches!(answer, Some(Ok(_)))
        };
        let es1 = self.model.context(1).unwrap().facts.client == state::Client::Es1;
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
        let list = *random.pick(lists);
        let name = *random.pick(list);
        // When a saved level is popped, Mesa loses changes made inside it, and does not restore all of the level around
        // it. So this test uses one level.
        let outside = self.model.context(1).unwrap().fixed.begun.is_none();
        let full = |stack: u32| outside && self.integers(stack, 1).is_some_and(|depth| depth[0] > 0);
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
                _ => args.push(random.value(param.value)),
            }
        }
        // The memory behind a pointer must be as large as the command requires.
        for (at, param) in described.params.iter().enumerate() {
            if matches!(param.name, "count" | "length" | "mapsize" | "range" | "n") {
                args[at] = random.below(6) as u64;
            }
            // It also loses current attributes that have not been queried since.
            if name == "glPushAttrib" {
                args[at] &= !u64::from(c::GL_CURRENT_BIT | c::GL_LIGHTING_BIT);
            }
            // Mesa adds the count to it without checking for an overflow, and writes there.
            if param.name == "first" {
                args[at] = random.below(20) as u64;
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
        self.both(command, &args, inputs, &shown);
        shown
    }

    /// Makes a call and compares the error.
    pub fn both(&mut self, command: CommandId, args: &[u64], inputs: Vec<(u8, Vec<u8>)>, shown: &str) {
        let result = self.real(command, args);
        let heard = self.tell_result(command, args, &Inputs(inputs), result);
        // Queries are not allowed between `glBegin` and `glEnd`.
        if self.model.context(1).unwrap().fixed.begun.is_some() {
            return;
        }
        let real = self.real_error();
        let call = Call {
            number: 0,
            command: id::glGetError,
            thread: 0,
            by_capture: false,
            args: &[],
            result: Some(u64::from(real)),
            memory: &NoMemory,
        };
        let mut error = Reported::default();
        self.model.apply(&call, Some(&mut error));
        if let Some((expected, recorded)) = error.differs {
            let why = heard.refused.map_or("", |fault| fault.why);
            let text = format!("{shown}: the driver says {recorded:#x}, the model {expected:#x} ({why})");
            let key = format!("{} {:#x}", api::command(command).name, args.first().copied().unwrap_or(0));
            self.differences.entry(key).or_insert(text);
        }
    }

    /// Makes all queries to both and notes the differences.
    pub fn compare(&mut self, after: &str) {
        if self.model.context(1).unwrap().fixed.begun.is_some() {
            return;
        }
        let es1 = self.model.context(1).unwrap().facts.client == state::Client::Es1;
        let desktop = !es1 && self.model.context(1).unwrap().facts.client != state::Client::Es2;
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
            let real = self.text(self.real(id::glGetString, &[u64::from(name)]));
            let real = if self.real_error() == 0 { Ok(real) } else { Err(()) };
            let answer = self.model.view(0).unwrap().answer(id::glGetString, &[u64::from(name)]).unwrap();
            let answer = answer.map_err(|_| ()).map(|answer| match answer.values {
                Values::Text(text) => text,
                other => format!("{other:?}"),
            });
            if real != answer && !answer.as_ref().is_ok_and(|text| text.starts_with("Unknown")) {
                let text = format!("glGetString({name:#x}): {real:?} is not {answer:?}");
                self.differences.entry(format!("glGetString {name:#x}")).or_insert(text);
            }
        }
    }

    /// Compares state with its own queries.
    fn compare_structures(&mut self, after: &str) {
        let client = self.model.context(1).unwrap().facts.client;
        let compatibility = client == state::Client::Compatibility;
        if !compatibility && client != state::Client::Es1 {
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
        self.real(query, &with_room);
        let error = self.real_error();
        let answer = self.model.view(0).unwrap().answer(query, &with_room);
        self.judge(query, args, scalar, after, error, &room, answer.as_ref());
    }

    /// Compares a query that returns its result.
    fn ask_value(&mut self, query: CommandId, args: &[u64], after: &str) {
        let result = self.real(query, args);
        let error = self.real_error();
        let answer = self.model.view(0).unwrap().answer(query, args);
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
            self.differences.entry(call_text(query, args)).or_insert(text);
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
            self.differences.entry(call_text(query, args)).or_insert(text);
        }
    }

    pub fn differences(&self) -> Vec<String> {
        self.differences.values().cloned().collect()
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
    (0..160).flat_map(|_| random.number(scalar).to_le_bytes()[..size].to_vec()).collect()
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
