//! A context beside those of the program, which shares their objects, for what must leave no trace in their state.

use api::Namespace;
use api::request::{Client, ContextRequest, SurfaceRequest};

use super::{Seat, World, of_context};
use crate::ReplayError;

/// What a world knows of surfaces besides what is in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marks {
    drawn: Vec<bool>,
    shown: bool,
}

impl World {
    /// Makes a context current that shares the objects of another, on a surface or on none, until
    /// [`World::step_back`]. It is one of desktop GL where the driver lets such share with OpenGL ES; whether it is.
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

    /// Makes current again what was so before [`World::step_aside`].
    pub fn step_back(&mut self) -> Result<(), ReplayError> {
        let seat = std::mem::replace(&mut self.active, Seat { context: u32::MAX, ..Seat::default() });
        self.activate(seat)
    }

    /// The driver's name of an object that can be reached from a context; nothing when there is none.
    pub fn name_in(&self, number: u32, space: Namespace, recorded: u32) -> Option<u32> {
        let context = self.context(number)?;
        let names = if of_context(space) { &context.names } else { &self.groups.get(context.group)?.names };
        names.get(space as usize)?.get(recorded)
    }

    /// What a surface was asked to be.
    pub fn surface_request(&self, number: u32) -> Option<SurfaceRequest> {
        Some(self.surfaces.get(number as usize)?.as_ref()?.description.request)
    }

    /// What is known of surfaces now.
    pub fn marks(&self) -> Marks {
        let drawn = self.surfaces.iter().map(|surface| surface.as_ref().is_some_and(|surface| surface.drawn));
        Marks { drawn: drawn.collect(), shown: self.shown }
    }

    /// Knows of surfaces what was known before.
    pub fn set_marks(&mut self, marks: &Marks) {
        for (surface, drawn) in self.surfaces.iter_mut().zip(&marks.drawn) {
            if let Some(surface) = surface {
                surface.drawn = *drawn;
            }
        }
        self.shown = marks.shown;
    }

    /// Notes that a surface has something in it, though nothing was drawn.
    pub fn filled(&mut self, number: u32) {
        if let Some(Some(surface)) = self.surfaces.get_mut(number as usize) {
            surface.drawn = true;
        }
    }
}
