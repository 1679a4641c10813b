//! What `OPTION` asks for.

use crate::Target;

/// Fog that is applied to the colour of a fragment.
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
    /// How much of a colour is left, in GLSL (GL 4.6 compatibility, 16.4).
    #[must_use]
    pub fn left(self) -> &'static str {
        match self {
            Fog::Linear => "(gl_Fog.end - gl_FogFragCoord) * gl_Fog.scale",
            Fog::Exponential => "exp(-gl_Fog.density * gl_FogFragCoord)",
            Fog::Square => "exp(-(gl_Fog.density * gl_FogFragCoord) * (gl_Fog.density * gl_FogFragCoord))",
        }
    }
}

/// Everything that a program asked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// The position is what fixed functions would make of it.
    pub position_invariant: bool,
    pub fog: Option<Fog>,
    /// `Some(true)` for the nicest result, `Some(false)` for the fastest; GLSL has no words for either.
    precision: Option<bool>,
    /// Textures may be compared (ARB_fragment_program_shadow).
    pub shadow: bool,
    /// Fragments may have several colours (ARB_draw_buffers).
    pub draw_buffers: bool,
    /// Fragments count rows from above (ARB_fragment_coord_conventions).
    pub upper_left: bool,
    /// Centres of pixels are whole numbers.
    pub pixel_center_integer: bool,
    /// Layers of textures (MESA_texture_array, EXT_texture_array).
    pub texture_array: bool,
}

impl Options {
    /// Does what an option says.
    ///
    /// # Errors
    /// When there is none of that name, or it contradicts another.
    pub fn take(&mut self, target: Target, name: &str) -> Result<(), String> {
        let known = match (target, name) {
            (Target::Vertex, "ARB_position_invariant") => {
                self.position_invariant = true;
                true
            }
            (Target::Fragment, "ARB_fog_exp") => return self.fogged(Fog::Exponential),
            (Target::Fragment, "ARB_fog_exp2") => return self.fogged(Fog::Square),
            (Target::Fragment, "ARB_fog_linear") => return self.fogged(Fog::Linear),
            (Target::Fragment, "ARB_precision_hint_nicest") => return self.hinted(true),
            (Target::Fragment, "ARB_precision_hint_fastest") => return self.hinted(false),
            (Target::Fragment, _) => match self.switch(name) {
                Some(switch) => {
                    *switch = true;
                    true
                }
                None => false,
            },
            _ => false,
        };
        if known { Ok(()) } else { Err(format!("the option `{name}` is not known")) }
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

    /// There may be one kind of fog (ARB_fragment_program, 3.11.4.5.1).
    fn fogged(&mut self, fog: Fog) -> Result<(), String> {
        if self.fog.is_some_and(|before| before != fog) {
            return Err("the program asks for two kinds of fog".to_owned());
        }
        self.fog = Some(fog);
        Ok(())
    }

    /// There may be one hint (ARB_fragment_program, 3.11.4.5.2).
    fn hinted(&mut self, nicest: bool) -> Result<(), String> {
        if self.precision.is_some_and(|before| before != nicest) {
            return Err("the program asks for speed and for precision".to_owned());
        }
        self.precision = Some(nicest);
        Ok(())
    }
}
