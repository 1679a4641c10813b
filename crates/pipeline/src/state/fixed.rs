//! The fixed-function state that compatibility shaders can read (GLSL 1.20, 7.5; GLSL 4.60, 7.4.1).

use super::Matrix;

/// A light source.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names are those of gl_LightSourceParameters")]
pub struct Light {
    pub ambient: [f32; 4],
    pub diffuse: [f32; 4],
    pub specular: [f32; 4],
    pub position: [f32; 4],
    pub spot_direction: [f32; 3],
    pub spot_exponent: f32,
    pub spot_cutoff: f32,
    pub constant_attenuation: f32,
    pub linear_attenuation: f32,
    pub quadratic_attenuation: f32,
}

/// A material.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names are those of gl_MaterialParameters")]
pub struct Material {
    pub emission: [f32; 4],
    pub ambient: [f32; 4],
    pub diffuse: [f32; 4],
    pub specular: [f32; 4],
    pub shininess: f32,
}

impl Default for Material {
    fn default() -> Material {
        Material {
            emission: BLACK,
            ambient: [0.2, 0.2, 0.2, 1.0],
            diffuse: [0.8, 0.8, 0.8, 1.0],
            specular: BLACK,
            shininess: 0.0,
        }
    }
}

/// Fog parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names are those of gl_FogParameters")]
pub struct Fog {
    pub color: [f32; 4],
    pub density: f32,
    pub start: f32,
    pub end: f32,
}

/// Point parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names are those of gl_PointParameters")]
pub struct Point {
    pub size: f32,
    pub min: f32,
    pub max: f32,
    pub fade_threshold: f32,
    pub attenuation: [f32; 3],
}

/// The state behind the built-in uniforms of compatibility shaders, with GL's defaults.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names are those of the built-in uniforms")]
pub struct FixedFunction {
    pub model_view: Matrix,
    pub projection: Matrix,
    pub texture: [Matrix; 8],
    pub normal_scale: f32,
    pub clip_planes: [[f32; 4]; 8],
    pub point: Point,
    pub front_material: Material,
    pub back_material: Material,
    pub lights: [Light; 8],
    pub light_model_ambient: [f32; 4],
    pub texture_env_color: [[f32; 4]; 8],
    /// Planes for texture coordinate generation: by unit, then s, t, r, q.
    pub eye_planes: [[[f32; 4]; 4]; 8],
    pub object_planes: [[[f32; 4]; 4]; 8],
    pub fog: Fog,
}

const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

impl Default for FixedFunction {
    fn default() -> FixedFunction {
        let light = Light {
            ambient: BLACK,
            diffuse: BLACK,
            specular: BLACK,
            position: [0.0, 0.0, 1.0, 0.0],
            spot_direction: [0.0, 0.0, -1.0],
            spot_exponent: 0.0,
            spot_cutoff: 180.0,
            constant_attenuation: 1.0,
            linear_attenuation: 0.0,
            quadratic_attenuation: 0.0,
        };
        let mut lights = [light; 8];
        lights[0].diffuse = [1.0; 4];
        lights[0].specular = [1.0; 4];
        let planes = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4], [0.0; 4]];
        FixedFunction {
            model_view: Matrix::IDENTITY,
            projection: Matrix::IDENTITY,
            texture: [Matrix::IDENTITY; 8],
            normal_scale: 1.0,
            clip_planes: [[0.0; 4]; 8],
            point: Point { size: 1.0, min: 0.0, max: 255.0, fade_threshold: 1.0, attenuation: [1.0, 0.0, 0.0] },
            front_material: Material::default(),
            back_material: Material::default(),
            lights,
            light_model_ambient: [0.2, 0.2, 0.2, 1.0],
            texture_env_color: [[0.0; 4]; 8],
            eye_planes: [planes; 8],
            object_planes: [planes; 8],
            fog: Fog { color: [0.0; 4], density: 1.0, start: 0.0, end: 1.0 },
        }
    }
}

impl FixedFunction {
    /// The components of a built-in uniform; empty if there is none of that name.
    pub(crate) fn uniform(&self, name: &str) -> Vec<f32> {
        let all = |planes: &[[[f32; 4]; 4]; 8], axis: usize| planes.iter().flat_map(|p| p[axis]).collect();
        if let Some(matrices) = self.matrices(name) {
            return matrices;
        }
        match name {
            "gl_NormalMatrix" => self.model_view.inverse().transposed().upper().to_vec(),
            "gl_NormalScale" => vec![self.normal_scale],
            "gl_ClipPlane" => self.clip_planes.concat(),
            "gl_Point" => {
                let p = &self.point;
                [&[p.size, p.min, p.max, p.fade_threshold][..], &p.attenuation].concat()
            }
            "gl_FrontMaterial" => material(&self.front_material),
            "gl_BackMaterial" => material(&self.back_material),
            "gl_LightSource" => self.lights.iter().flat_map(light).collect(),
            "gl_LightModel" => self.light_model_ambient.to_vec(),
            "gl_FrontLightModelProduct" => self.scene_color(&self.front_material),
            "gl_BackLightModelProduct" => self.scene_color(&self.back_material),
            "gl_FrontLightProduct" => self.products(&self.front_material),
            "gl_BackLightProduct" => self.products(&self.back_material),
            "gl_TextureEnvColor" => self.texture_env_color.concat(),
            "gl_EyePlaneS" => all(&self.eye_planes, 0),
            "gl_EyePlaneT" => all(&self.eye_planes, 1),
            "gl_EyePlaneR" => all(&self.eye_planes, 2),
            "gl_EyePlaneQ" => all(&self.eye_planes, 3),
            "gl_ObjectPlaneS" => all(&self.object_planes, 0),
            "gl_ObjectPlaneT" => all(&self.object_planes, 1),
            "gl_ObjectPlaneR" => all(&self.object_planes, 2),
            "gl_ObjectPlaneQ" => all(&self.object_planes, 3),
            "gl_Fog" => {
                let f = &self.fog;
                let scale = 1.0 / (f.end - f.start);
                [&f.color[..], &[f.density, f.start, f.end, scale]].concat()
            }
            _ => Vec::new(),
        }
    }

    fn matrices(&self, name: &str) -> Option<Vec<f32>> {
        let (base, tail) = name.split_at(name.find("Matrix")? + "Matrix".len());
        let change: fn(&Matrix) -> Matrix = match tail {
            "" => |m| *m,
            "Inverse" => Matrix::inverse,
            "Transpose" => Matrix::transposed,
            "InverseTranspose" => |m| m.inverse().transposed(),
            _ => return None,
        };
        Some(match base {
            "gl_ModelViewMatrix" => change(&self.model_view).0.to_vec(),
            "gl_ProjectionMatrix" => change(&self.projection).0.to_vec(),
            "gl_ModelViewProjectionMatrix" => change(&self.projection.times(&self.model_view)).0.to_vec(),
            "gl_TextureMatrix" => self.texture.iter().flat_map(|m| change(m).0).collect(),
            _ => return None,
        })
    }

    fn scene_color(&self, material: &Material) -> Vec<f32> {
        (0..4).map(|i| material.emission[i] + material.ambient[i] * self.light_model_ambient[i]).collect()
    }

    fn products(&self, material: &Material) -> Vec<f32> {
        let product = |a: [f32; 4], b: [f32; 4]| std::array::from_fn::<f32, 4, _>(|i| a[i] * b[i]);
        let of = |l: &Light| {
            [
                product(material.ambient, l.ambient),
                product(material.diffuse, l.diffuse),
                product(material.specular, l.specular),
            ]
            .concat()
        };
        self.lights.iter().flat_map(of).collect()
    }
}

fn material(m: &Material) -> Vec<f32> {
    [&m.emission[..], &m.ambient, &m.diffuse, &m.specular, &[m.shininess]].concat()
}

fn light(l: &Light) -> Vec<f32> {
    let [x, y, z, _] = l.position;
    let length = (x * x + y * y + z * z).sqrt();
    // The half vector between the direction to the light and that to an infinitely distant viewer (GLSL 1.20, 7.5).
    let half = [x / length, y / length, z / length + 1.0];
    let length = half.iter().map(|v| v * v).sum::<f32>().sqrt();
    let cos = if l.spot_cutoff == 180.0 { -1.0 } else { cosine(l.spot_cutoff) };
    [
        &l.ambient[..],
        &l.diffuse,
        &l.specular,
        &l.position,
        &[half[0] / length, half[1] / length, half[2] / length, 0.0],
        &l.spot_direction,
        &[l.spot_exponent, l.spot_cutoff, cos],
        &[l.constant_attenuation, l.linear_attenuation, l.quadratic_attenuation],
    ]
    .concat()
}

/// The cosine of an angle in degrees, computed deterministically.
fn cosine(degrees: f32) -> f32 {
    let bits = lanes::op1(lanes::Op1::FCos, &[degrees.to_radians().to_bits()], &lanes::Numerics::IEEE);
    f32::from_bits(bits[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fixed: &FixedFunction, name: &str, expected: &[f32]) {
        assert_eq!(fixed.uniform(name), expected, "{name}");
    }

    #[test]
    fn built_in_uniforms_follow_from_the_state() {
        let mut fixed = FixedFunction::default();
        fixed.fog.start = 1.0;
        fixed.fog.end = 3.0;
        check(&fixed, "gl_Fog", &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 0.5]);
        check(&fixed, "gl_FrontLightModelProduct", &[0.2 * 0.2, 0.2 * 0.2, 0.2 * 0.2, 2.0]);
        assert_eq!(fixed.uniform("gl_LightSource").len(), 8 * 29);
        fixed.model_view.0[0] = 4.0;
        check(&fixed, "gl_NormalMatrix", &[0.25, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(fixed.uniform("gl_ModelViewProjectionMatrixInverse")[0], 0.25);
        assert_eq!(fixed.uniform("gl_Nothing"), []);
    }
}
