//! The values of built-in uniforms of compatibility shaders.

use pipeline::{FixedFunction, Light, Material, Matrix, State};
use state::{View, variable};

/// Fills in the fixed-function state.
pub fn fill(view: &View<'_>, to: &mut State) {
    let vars = &view.context.vars;
    if let Some(viewport) = to.raster.viewports.first_mut()
        && let &[near, far] = vars.value(variable::DEPTH_RANGE, 0)
    {
        (viewport.near, viewport.far) = (near as f32, far as f32);
    }
    to.fixed = fixed_functions(view);
}

/// The values of built-in uniforms in a state.
#[must_use]
pub fn fixed_functions(view: &View<'_>) -> FixedFunction {
    let (fixed, vars) = (&view.context.fixed, &view.context.vars);
    let number = |var| vars.get(var) as f32;
    let four = |var| std::array::from_fn(|i| vars.value(var, 0).get(i).copied().unwrap_or(0.0) as f32);
    let mut into = FixedFunction { model_view: Matrix(fixed.matrices.modelview.top().m), ..FixedFunction::default() };
    into.projection = Matrix(fixed.matrices.projection.top().m);
    for (into, stack) in into.texture.iter_mut().zip(&fixed.matrices.textures) {
        *into = Matrix(stack.top().m);
    }
    into.clip_planes = fixed.clip_planes;
    let attenuation = vars.value(variable::POINT_DISTANCE_ATTENUATION, 0);
    into.point.size = number(variable::POINT_SIZE);
    into.point.min = number(variable::POINT_SIZE_MIN);
    into.point.max = number(variable::POINT_SIZE_MAX);
    into.point.fade_threshold = number(variable::POINT_FADE_THRESHOLD_SIZE);
    into.point.attenuation = std::array::from_fn(|i| attenuation.get(i).copied().unwrap_or(0.0) as f32);
    into.front_material = material(&fixed.materials[0]);
    into.back_material = material(&fixed.materials[1]);
    into.lights = fixed.lights.each_ref().map(light);
    into.light_model_ambient = four(variable::LIGHT_MODEL_AMBIENT);
    for (place, unit) in fixed.units.iter().enumerate() {
        into.texture_env_color[place] = unit.colour;
        into.eye_planes[place] = unit.generators.each_ref().map(|generator| generator.eye_plane);
        into.object_planes[place] = unit.generators.each_ref().map(|generator| generator.object_plane);
    }
    into.fog.color = four(variable::FOG_COLOR);
    into.fog.density = number(variable::FOG_DENSITY);
    into.fog.start = number(variable::FOG_START);
    into.fog.end = number(variable::FOG_END);
    into
}

fn light(light: &state::fixed::Light) -> Light {
    let [ambient, diffuse, specular] = light.colours;
    let [constant_attenuation, linear_attenuation, quadratic_attenuation] = light.attenuation;
    Light {
        ambient,
        diffuse,
        specular,
        position: light.position,
        spot_direction: light.direction,
        spot_exponent: light.exponent,
        spot_cutoff: light.cutoff,
        constant_attenuation,
        linear_attenuation,
        quadratic_attenuation,
    }
}

fn material(material: &state::fixed::Material) -> Material {
    let [ambient, diffuse, specular, emission] = material.colours;
    Material { emission, ambient, diffuse, specular, shininess: material.shininess }
}
