//! A context of our own that shares the program's objects, for work that must not change the state of the program's contexts.

use api::Namespace;
use api::request::{Client, ContextRequest, SurfaceRequest};

use super::{Seat, World, of_context};
use crate::ReplayError;

/// State of surfaces apart from their contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marks {
    drawn: Vec<bool>,
    shown: bool,
}

impl World {
    /// Makes a context current that shares the objects of another, with a surface or without, until [`World::step_back`].
    /// Returns whether it is a desktop GL context, which it is unless the driver cannot share those with OpenGL ES.
    pub fn step_aside(&mut self, number: u32, surface: u32) -> Result<bool, ReplayError> {
        let context = self.context(number).ok_or(ReplayError::NoContext { number })?;
        let (group, real, client) = (context.group, context.real, context.client);
        let (aside, kind) = match self.asides.get(&group) {
            Some(aside) => *aside,
            None => {
                let desktop = self.gl.new_context(&ContextRequest::default(), Some(real));
                let aside = match desktop {
                    Ok(aside) => (aside, Client::Desktop),
                    Err(_) => {
                        let like = ContextRequest { client, ..ContextRequest::default() };
                        (self.gl.new_context(&like, Some(real))?, client)
                    }
                };
                self.asides.insert(group, aside);
                aside
            }
        };
        let pbuffer = self.pbuffer(surface, client)?;
        self.gl.make_current(Some(aside), pbuffer, pbuffer)?;
        Ok(kind == Client::Desktop)
    }

    /// Makes current again what was current before [`World::step_aside`].
    pub fn step_back(&mut self) -> Result<(), ReplayError> {
        let seat = std::mem::replace(&mut self.active, Seat { context: u32::MAX, ..Seat::default() });
        self.activate(seat)
    }

    /// Returns the driver's name of an object of a context or its share group; `None` when there is none.
    pub fn name_in(&self, number: u32, space: Namespace, recorded: u32) -> Option<u32> {
        let context = self.context(number)?;
        let names = match space {
            _ if of_context(space) => &context.names,
            Namespace::Texture => &self.groups.get(context.textures)?.names,
            _ => &self.groups.get(context.group)?.names,
        };
        names.get(space as usize)?.get(recorded)
    }

    /// Returns the request for a surface.
    pub fn surface_request(&self, number: u32) -> Option<SurfaceRequest> {
        Some(self.surfaces.get(number as usize)?.as_ref()?.description.request)
    }

    /// Returns the state of surfaces.
    pub fn marks(&self) -> Marks {
        let drawn = self.surfaces.iter().map(|surface| surface.as_ref().is_some_and(|surface| surface.drawn));
        Marks { drawn: drawn.collect(), shown: self.shown }
    }

    /// Restores the state of surfaces.
    pub fn set_marks(&mut self, marks: &Marks) {
        for (surface, drawn) in self.surfaces.iter_mut().zip(&marks.drawn) {
            if let Some(surface) = surface {
                surface.drawn = *drawn;
            }
        }
        self.shown = marks.shown;
    }

    /// Records that a surface has defined contents, although nothing was drawn to it.
    pub fn filled(&mut self, number: u32) {
        if let Some(Some(surface)) = self.surfaces.get_mut(number as usize) {
            surface.drawn = true;
        }
    }
}
