//! The options that programs request with `OPTION`.

use crate::Target;

/// Fog applied to the colour of a fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fog {
    /// `GL_LINEAR`.
    Linear,
    /// `GL_EXP`.
    Exponential,
    /// `GL_EXP2`.
    Square,
}

impl Fog {
    /// The fog factor as a GLSL expression (GL 4.6 compatibility, 16.4).
    #[must_use]
    pub fn factor(self) -> &'static str {
        match self {
            Fog::Linear => "(gl_Fog.end - gl_FogFragCoord) * gl_Fog.scale",
            Fog::Exponential => "exp(-gl_Fog.density * gl_FogFragCoord)",
            Fog::Square => "exp(-(gl_Fog.density * gl_FogFragCoord) * (gl_Fog.density * gl_FogFragCoord))",
        }
    }
}

/// The options of a program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// The position is transformed by fixed functions.
    pub position_invariant: bool,
    pub fog: Option<Fog>,
    /// `Some(true)` for the nicest result, `Some(false)` for the fastest; GLSL has no equivalent.
    precision: Option<bool>,
    /// Shadow comparison targets (ARB_fragment_program_shadow).
    pub shadow: bool,
    /// Several colour outputs (ARB_draw_buffers).
    pub draw_buffers: bool,
    /// Window coordinates have their origin at the upper left (ARB_fragment_coord_conventions).
    pub upper_left: bool,
    /// Window coordinates of pixel centres are integers.
    pub pixel_center_integer: bool,
    /// Array texture targets (MESA_texture_array, EXT_texture_array).
    pub texture_array: bool,
}

impl Options {
    /// Applies an option.
    ///
    /// # Errors
    /// When the option is unknown or contradicts an earlier one.
    pub fn apply(&mut self, target: Target, name: &str) -> Result<(), String> {
        let known = match (target, name) {
            (Target::Vertex, "ARB_position_invariant") => {
                self.position_invariant = true;
                true
            }
            (Target::Fragment, "ARB_fog_exp") => return self.set_fog(Fog::Exponential),
            (Target::Fragment, "ARB_fog_exp2") => return self.set_fog(Fog::Square),
            (Target::Fragment, "ARB_fog_linear") => return self.set_fog(Fog::Linear),
            (Target::Fragment, "ARB_precision_hint_nicest") => return self.set_hint(true),
            (Target::Fragment, "ARB_precision_hint_fastest") => return self.set_hint(false),
            (Target::Fragment, _) => match self.switch(name) {
                Some(switch) => {
                    *switch = true;
                    true
                }
                None => false,
            },
            _ => false,
        };
        if known { Ok(()) } else { Err(format!("unknown option `{name}`")) }
    }

    fn switch(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "ARB_fragment_program_shadow" => Some(&mut self.shadow),
            "ARB_draw_buffers" | "ATI_draw_buffers" => Some(&mut self.draw_buffers),
            "ARB_fragment_coord_origin_upper_left" => Some(&mut self.upper_left),
            "ARB_fragment_coord_pixel_center_integer" => Some(&mut self.pixel_center_integer),
            "MESA_texture_array" => Some(&mut self.texture_array),
            _ => None,
        }
    }

    /// At most one fog option is allowed (ARB_fragment_program, 3.11.4.5.1).
    fn set_fog(&mut self, fog: Fog) -> Result<(), String> {
        if self.fog.is_some_and(|before| before != fog) {
            return Err("the program has two fog options".to_owned());
        }
        self.fog = Some(fog);
        Ok(())
    }

    /// At most one precision hint is allowed (ARB_fragment_program, 3.11.4.5.2).
    fn set_hint(&mut self, nicest: bool) -> Result<(), String> {
        if self.precision.is_some_and(|before| before != nicest) {
            return Err("the program has two contradicting precision hints".to_owned());
        }
        self.precision = Some(nicest);
        Ok(())
    }
}
