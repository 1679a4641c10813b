//! Random look-ups in random textures: what a driver samples, beside what the emulator's textures give.

use std::collections::BTreeMap;

use driver::{
    Api, Channel, Context, DriverError, Image, ImageFormat, ImageSampling, ImageTarget, ImageWrap, Output, Render, Tile,
};
use shader::version::Stage;
use testing::random::Random;
use texture::{Bound, Filtering, Lod, Lookup, Sampler, Side, Unit};

use crate::texture;

/// Width and height of the picture; each pixel does one look-up.
const SIDE: usize = 32;

/// A look-up is equal within rounding if no channel is farther off than this: textures have values up to 1.
const ROUNDING: f32 = 2e-6;

/// So much the weights of a filter may be off.
const WEIGHTS: f32 = 1.0 / 128.0;

/// How a shader determines the level of detail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Asking {
    /// `texture`: from the derivatives.
    Implicit,
    /// `texture` with a bias.
    Bias,
    /// `textureLod`.
    Level,
    /// `textureGrad`.
    Gradient,
    /// `textureOffset`.
    Offset,
}

/// A texture with its sampler, and a way to look up texels.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The shape of the texture.
    pub target: ImageTarget,
    /// The format of its texels.
    pub format: ImageFormat,
    /// Its size.
    pub size: [u16; 3],
    /// Whether minification is filtered.
    pub linear: bool,
    /// Whether depths are compared.
    pub compare: bool,
    /// The rest of the sampler.
    pub sampling: ImageSampling,
    /// What the shader calls.
    pub asking: Asking,
}

/// How many look-ups of a case agree.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// All look-ups.
    pub total: usize,
    /// Those that are equal in every bit.
    pub exact: usize,
    /// Those that are equal up to rounding, without the exact ones.
    pub close: usize,
    /// Those of anisotropic filters that lie outside of what such filters may give.
    pub outside: usize,
    /// The greatest distance of the others.
    pub farthest: f32,
    /// A description of the first of the others.
    pub first: Option<String>,
}

impl Agreement {
    /// Counts another case in.
    pub fn add(&mut self, other: &Agreement) {
        self.total += other.total;
        self.exact += other.exact;
        self.close += other.close;
        self.outside += other.outside;
        self.farthest = self.farthest.max(other.farthest);
        if self.first.is_none() {
            self.first.clone_from(&other.first);
        }
    }

    /// The number of look-ups that differ by more than rounding.
    #[must_use]
    pub fn different(&self) -> usize {
        self.total - self.exact - self.close
    }
}

impl Case {
    /// A random one of those that a desktop driver of OpenGL 3.3 has.
    #[must_use]
    pub fn random(random: &mut Random) -> Case {
        let (target, sizes): (ImageTarget, &[[u16; 3]]) = match random.below(12) {
            0 => (ImageTarget::D1, &[[16, 1, 1], [13, 1, 1], [64, 1, 1]]),
            1 => (ImageTarget::D3, &[[8, 8, 4], [5, 6, 7], [16, 4, 8]]),
            2..=4 => (ImageTarget::Cube, &[[8, 8, 6], [6, 6, 6], [16, 16, 6], [1, 1, 6]]),
            5 => (ImageTarget::D2Array, &[[8, 16, 3], [9, 5, 4]]),
            6 => (ImageTarget::Rectangle, &[[16, 16, 1], [24, 10, 1]]),
            _ => (ImageTarget::D2, &[[16, 8, 1], [13, 24, 1], [64, 20, 1], [32, 32, 1], [1, 16, 1], [100, 37, 1]]),
        };
        let size = random.pick(sizes);
        let rectangle = target == ImageTarget::Rectangle;
        let wraps = [
            ImageWrap::Repeat,
            ImageWrap::ClampToEdge,
            ImageWrap::MirroredRepeat,
            ImageWrap::ClampToBorder,
            ImageWrap::MirrorClampToEdge,
        ];
        let formats = [
            ImageFormat::Rgba8,
            ImageFormat::Rgba8,
            ImageFormat::R8,
            ImageFormat::Rgb565,
            ImageFormat::Srgb8Alpha8,
            ImageFormat::Rgba16,
            ImageFormat::Rgba16F,
            ImageFormat::Rgba32F,
        ];
        let compare = target == ImageTarget::D2 && random.one_in(12);
        let format = if compare { ImageFormat::Depth32F } else { random.pick(&formats) };
        let most = size[0].max(size[1]).ilog2() as u8;
        let more_levels = if rectangle || random.one_in(3) { 0 } else { (random.below(4) as u8 + 1).min(most) };
        let flat = !matches!(target, ImageTarget::D1 | ImageTarget::Rectangle) && !compare;
        let anisotropy = if flat && random.one_in(3) { random.pick(&[2, 4, 8, 16]) } else { 0 };
        let sampling = ImageSampling {
            wrap: random.pick(&wraps),
            more_levels,
            mix_levels: random.one_in(2),
            // With one level, llvmpipe 22.3 then crashes while it generates code for levels of each pixel.
            other_magnification: random.one_in(3) && (anisotropy == 0 || more_levels > 0),
            anisotropy,
            bias: if random.one_in(5) { random.below(5) as i8 - 2 } else { 0 },
            least: if random.one_in(8) { 1 } else { 0 },
            seamless: random.one_in(2),
        };
        let askings =
            [Asking::Implicit, Asking::Implicit, Asking::Bias, Asking::Level, Asking::Gradient, Asking::Offset];
        let asking = match target {
            ImageTarget::Rectangle => Asking::Implicit,
            _ if compare => Asking::Implicit,
            ImageTarget::Cube => random.pick(&askings[..5]),
            _ => random.pick(&askings),
        };
        Case { target, format, size, linear: !random.one_in(4), compare, sampling, asking }
    }

    /// The groups that it counts in: one of each kind.
    #[must_use]
    pub fn groups(&self) -> [(&'static str, String); 6] {
        let sampling = self.sampling;
        let filter = |linear: bool| if linear { "linear" } else { "nearest" };
        let levels = match (sampling.more_levels > 0, sampling.mix_levels) {
            (false, _) => "one level",
            (true, false) => "nearest level",
            (true, true) => "two levels",
        };
        let magnified = filter(self.linear != sampling.other_magnification);
        let edges = if self.target == ImageTarget::Cube && sampling.seamless { ", seamless" } else { "" };
        [
            ("filter", if sampling.anisotropy > 1 { "anisotropic".to_owned() } else { "isotropic".to_owned() }),
            ("target", format!("{:?}{edges}", self.target)),
            ("format", format!("{:?}", self.format)),
            ("filters", format!("{} and {magnified}, {levels}", filter(self.linear))),
            ("wrap", format!("{:?}", sampling.wrap)),
            ("function", format!("{:?}", self.asking)),
        ]
    }

    /// Whether levels are those of each pixel rather than those of a quad.
    #[must_use]
    pub fn has_own_levels(&self) -> bool {
        self.target == ImageTarget::Cube || !matches!(self.asking, Asking::Implicit | Asking::Offset)
    }

    /// Whether the shader says how coordinates change, or the level. Mesa projects the changes of directions in its own way.
    #[must_use]
    pub fn has_known_slopes(&self) -> bool {
        self.target != ImageTarget::Cube && matches!(self.asking, Asking::Gradient | Asking::Level)
    }

    fn axes(&self) -> usize {
        match self.target {
            ImageTarget::D1 | ImageTarget::D1Array => 1,
            ImageTarget::D3 => 3,
            _ => 2,
        }
    }

    fn image(&self, random: &mut Random) -> Image {
        let texels = (0..=self.sampling.more_levels).map(|level| {
            let axes = self.axes();
            let size = (0..3).map(|axis| if axis < axes { (self.size[axis] >> level).max(1) } else { self.size[axis] });
            size.map(usize::from).product::<usize>()
        });
        let count = texels.sum::<usize>();
        let data = match self.format {
            ImageFormat::Rgba32F => (0..4 * count).flat_map(|_| random.between(-1.0, 1.0).to_le_bytes()).collect(),
            ImageFormat::Depth32F => (0..count).flat_map(|_| random.between(0.0, 1.0).to_le_bytes()).collect(),
            // Half floats of less than one.
            ImageFormat::Rgba16F => (0..4 * count).flat_map(|_| (random.below(0x3c00) as u16).to_le_bytes()).collect(),
            format => (0..count * format.bytes()).map(|_| random.number() as u8).collect(),
        };
        let (target, format, size) = (self.target, self.format, self.size);
        let (linear, compare, sampling) = (self.linear, self.compare, self.sampling);
        Image { name: "image".to_owned(), target, format, size, linear, compare, sampling, data }
    }

    /// The coordinate for every pixel; the last component is a level of detail or a reference.
    fn coordinates(&self, random: &mut Random) -> Vec<[f32; 4]> {
        let mut signed = || random.between(-1.0, 1.0);
        // From magnified to far smaller than a texel; some lie far outside. One side of a pixel may be 16 times the other.
        let step = 2f32.powf(3.0 * signed()) / f32::from(self.size[0]);
        let narrow = 2f32.powf(-4.0 * signed().max(0.0)) * step;
        let (sin, cos) = (3.2 * signed()).sin_cos();
        let start = [signed(), signed(), signed()].map(|c| 3.0 * c);
        let along = [signed(), signed()].map(|c| step * c);
        let scale = if self.target == ImageTarget::Rectangle { f32::from(self.size[0]) } else { 1.0 };
        // Between pixels of different levels, llvmpipe's anisotropic filters mix up the sizes of levels.
        let constant = (self.sampling.anisotropy > 1).then(|| random.between(-2.0, 4.0));
        let pixels = (0..SIDE * SIDE).map(|pixel| {
            let (x, y) = ((pixel % SIDE) as f32, (pixel / SIDE) as f32);
            let mut jitter = || 0.1 * narrow * random.between(-1.0, 1.0);
            let s = start[0] + step * cos * x - narrow * sin * y + jitter();
            let t = start[1] + step * sin * x + narrow * cos * y + jitter();
            let r = start[2] + along[0] * x + along[1] * y + jitter();
            let range = if self.compare { 0.0..1.0 } else { -2.0..4.0 };
            let last = constant.unwrap_or_else(|| random.between(range.start, range.end));
            [s * scale, t * scale, r, last]
        });
        pixels.collect()
    }

    fn fragment(&self) -> String {
        let shadow = if self.compare { "Shadow" } else { "" };
        let (sampler, all, swizzle) = match self.target {
            ImageTarget::D1 => ("sampler1D", "x", "x"),
            ImageTarget::D2 if self.compare => ("sampler2D", "xyw", "xy"),
            ImageTarget::D2 => ("sampler2D", "xy", "xy"),
            ImageTarget::D2Array => ("sampler2DArray", "xyz", "xy"),
            ImageTarget::D3 => ("sampler3D", "xyz", "xyz"),
            ImageTarget::Cube => ("samplerCube", "xyz", "xyz"),
            ImageTarget::Rectangle => ("sampler2DRect", "xy", "xy"),
            target => unreachable!("no coordinates are made for {target:?}"),
        };
        let slope = |step: &str| {
            format!("texelFetch(moments, (ivec2(gl_FragCoord.xy) & ~1) + ivec2({step}), 0).{swizzle} - base.{swizzle}")
        };
        let look = match self.asking {
            Asking::Implicit => format!("texture(image, place.{all})"),
            Asking::Bias => format!("texture(image, place.{all}, place.w)"),
            Asking::Level => format!("textureLod(image, place.{all}, place.w)"),
            Asking::Offset => {
                let offset = ["-3", "ivec2(-3, 2)", "ivec3(-3, 2, 1)"][self.axes() - 1];
                format!("textureOffset(image, place.{all}, {offset})")
            }
            Asking::Gradient => {
                format!("textureGrad(image, place.{all}, {}, {})", slope("1, 0"), slope("0, 1"))
            }
        };
        format!(
            "#version 330\nuniform sampler2D moments; uniform {sampler}{shadow} image; out vec4 colour;\n\
             void main() {{ vec4 place = texelFetch(moments, ivec2(gl_FragCoord.xy), 0);\n\
             vec4 base = texelFetch(moments, ivec2(gl_FragCoord.xy) & ~1, 0);\n colour = vec4({look}); }}"
        )
    }

    /// Looks up random texels on a driver of desktop GL, and compares them with the emulator's.
    ///
    /// # Errors
    /// When the driver cannot draw.
    pub fn compare(&self, context: &Context, filtering: Filtering, seed: u64) -> Result<Agreement, DriverError> {
        let mut random = Random::new(seed);
        let image = self.image(&mut random);
        let places = self.coordinates(&mut random);
        let table = Image {
            name: "moments".to_owned(),
            target: ImageTarget::D2,
            format: ImageFormat::Rgba32F,
            size: [SIDE as u16, SIDE as u16, 1],
            linear: false,
            compare: false,
            sampling: ImageSampling::default(),
            data: places.iter().flatten().flat_map(|c| c.to_le_bytes()).collect(),
        };
        let fragment = self.fragment();
        let vertex = "#version 330\nin vec4 corner; void main() { gl_Position = corner; }";
        let pictures = context.render(&Render {
            shaders: &[(Stage::Vertex, &[vertex]), (Stage::Fragment, &[&fragment])],
            corner: "corner",
            size: [SIDE as u16; 2],
            outputs: &[Output { name: "colour".to_owned(), channel: Channel::Float }],
            images: &[table, image.clone()],
            tiles: &[Tile { rectangle: [0, 0, SIDE as u16, SIDE as u16], uniforms: Vec::new() }],
        })?;
        let picture = pictures.into_iter().flatten().next().unwrap_or_default();
        let (texture, sampler) = texture(&image, Api::DesktopCore);
        let sampler = Sampler { filtering, seamless_cube: self.sampling.seamless, ..sampler };
        let unit = Unit::new(&texture, &sampler);
        let mut found = Agreement::default();
        for (pixel, place) in places.iter().enumerate() {
            let look = self.look(&places, pixel, filtering);
            let ours = unit.sample(&look, &mut ()).float();
            let ours = if self.compare { [ours[0]; 4] } else { ours };
            let theirs: [f32; 4] =
                std::array::from_fn(|i| f32::from_bits(picture.get(4 * pixel + i).copied().unwrap_or_default()));
            found.outside += usize::from(self.is_outside(&unit, &look, theirs));
            found.count(ours, theirs, || format!("{place:?} {look:?}: {theirs:?}, not {ours:?}"));
        }
        Ok(found)
    }

    /// Whether a device returns what no average of the texels in a pixel's footprint can be, or no level of detail gives.
    fn is_outside(&self, unit: &Unit<'_>, look: &Lookup, theirs: [f32; 4]) -> bool {
        let [low, high] = [Side::Lowest, Side::Highest].map(|side| {
            let sampler = Sampler { bound: Some(Bound { side, any_level: false }), ..*unit.sampler() };
            Unit::new(unit.texture(), &sampler).sample(look, &mut ()).float()
        });
        (0..if self.compare { 1 } else { 4 }).any(|i| theirs[i] < low[i] - WEIGHTS || theirs[i] > high[i] + WEIGHTS)
    }

    fn look(&self, places: &[[f32; 4]], pixel: usize, filtering: Filtering) -> Lookup {
        let place = places[pixel];
        let [x, y] = [pixel % SIDE, pixel / SIDE].map(|n| n & !1);
        let at = |x: usize, y: usize| places[y * SIDE + x];
        let [here, right, above] = [at(x, y), at(x + 1, y), at(x, y + 1)].map(|[s, t, r, _]| [s, t, r]);
        let flat = |[s, t, r]: [f32; 3]| if self.target == ImageTarget::D2Array { [s, t, 0.0] } else { [s, t, r] };
        let slope = |from: [f32; 3], to: [f32; 3]| flat(std::array::from_fn(|i| to[i] - from[i]));
        let mut slopes = [slope(here, right), slope(here, above)];
        if filtering == Filtering::Exact || self.target == ImageTarget::Cube && self.asking != Asking::Gradient {
            // Levels are the pixel's own.
            let row = y | ((pixel / SIDE) & 1);
            let column = x | ((pixel % SIDE) & 1);
            let three = |place: [f32; 4]| [place[0], place[1], place[2]];
            slopes = [
                slope(three(at(x, row)), three(at(x + 1, row))),
                slope(three(at(column, y)), three(at(column, y + 1))),
            ];
        }
        let derivatives = |bias: Option<f32>| Lod::Derivatives { dx: slopes[0], dy: slopes[1], bias };
        let lod = match self.asking {
            Asking::Implicit | Asking::Offset => derivatives(None),
            Asking::Gradient => Lod::Gradient { dx: slopes[0], dy: slopes[1] },
            Asking::Bias => derivatives(Some(place[3])),
            Asking::Level => Lod::Explicit(place[3]),
        };
        let offset = if self.asking == Asking::Offset { [-3, 2, 1] } else { [0; 3] };
        let reference = self.compare.then_some(place[3]);
        let coords = place;
        Lookup { coords, lod, offset, reference, quad: Some([here, right, above]), ..Lookup::default() }
    }
}

impl Agreement {
    fn count(&mut self, ours: [f32; 4], theirs: [f32; 4], describe: impl FnOnce() -> String) {
        self.total += 1;
        if ours.map(f32::to_bits) == theirs.map(f32::to_bits) {
            self.exact += 1;
            return;
        }
        let distance = (0..4).map(|i| (ours[i] - theirs[i]).abs()).fold(0.0, f32::max);
        if distance <= ROUNDING {
            self.close += 1;
            return;
        }
        self.farthest = self.farthest.max(distance);
        self.first.get_or_insert_with(describe);
    }
}

/// Sums of agreements by kind and group, in order.
#[derive(Default)]
pub struct Table {
    rows: BTreeMap<(&'static str, String), Agreement>,
    /// All of them.
    pub all: Agreement,
}

impl Table {
    /// Counts a case.
    pub fn add(&mut self, case: &Case, found: &Agreement) {
        self.all.add(found);
        case.groups().into_iter().for_each(|group| self.rows.entry(group).or_default().add(found));
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [total, exact, close] = ["look-ups", "exact", "close"];
        let (different, farthest, outside) = ("others", "farthest", "outside");
        writeln!(f, "{:44} {total:>9} {exact:>9} {close:>9} {different:>9} {farthest:>9} {outside:>9}", "")?;
        let all = (("", "all".to_owned()), &self.all);
        for ((kind, group), found) in self.rows.iter().map(|(key, found)| (key.clone(), found)).chain([all]) {
            let (total, exact, close, different) = (found.total, found.exact, found.close, found.different());
            let (farthest, outside) = (found.farthest, found.outside);
            write!(f, "{kind:<9} {group:<34} {total:>9} {exact:>9} {close:>9} {different:>9}")?;
            writeln!(f, " {farthest:>9.5} {outside:>9}")?;
        }
        Ok(())
    }
}
