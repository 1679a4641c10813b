//! Queries about a context.

use api::{CommandId, constant as c, id};
use state::{Client, View};

use super::{Oracle, Question};
use crate::player::Player;

/// Indices for queries of indexed state.
const INDICES: [u64; 6] = [0, 1, 2, 3, 7, 15];

impl Oracle {
    /// Returns all queries that are possible now.
    pub(super) fn questions(&mut self, player: &mut Player, view: &View<'_>) -> Vec<Question> {
        let mut list = Vec::new();
        self.plain(player, view, &mut list);
        if matches!(view.context.facts.client, Client::Compatibility | Client::Es1) {
            self.fixed(player, view, &mut list);
        }
        self.objects(player, view, &mut list);
        list
    }

    /// A query for each name that the driver knows: `names` is the argument that takes them.
    pub(super) fn each_name(
        &mut self,
        player: &mut Player,
        view: &View<'_>,
        (command, args, names): (CommandId, &[u64], usize),
        list: &mut Vec<Question>,
    ) {
        let question = Question::plain(command, args);
        for name in self.known_names(player, view.context.facts.number, &question, names) {
            let mut question = question.clone();
            question.args[names] = u64::from(name);
            list.push(question);
        }
    }

    fn plain(&mut self, player: &mut Player, view: &View<'_>, list: &mut Vec<Question>) {
        for command in [id::glGetIntegerv, id::glGetFloatv, id::glGetBooleanv, id::glGetInteger64v, id::glGetDoublev] {
            self.each_name(player, view, (command, &[0, 0], 0), list);
        }
        self.each_name(player, view, (id::glIsEnabled, &[0], 0), list);
        for command in [id::glGetIntegeri_v, id::glGetInteger64i_v, id::glGetFloati_v, id::glGetBooleani_v] {
            for index in INDICES {
                self.each_name(player, view, (command, &[0, index, 0], 0), list);
            }
        }
        for index in INDICES {
            self.each_name(player, view, (id::glIsEnabledi, &[0, index], 0), list);
        }
        self.each_name(player, view, (id::glGetPointerv, &[0, 0], 0), list);
    }

    fn fixed(&mut self, player: &mut Player, view: &View<'_>, list: &mut Vec<Question>) {
        for light in 0..8 {
            let light = u64::from(c::GL_LIGHT0) + light;
            self.each_name(player, view, (id::glGetLightfv, &[light, 0, 0], 1), list);
        }
        for face in [c::GL_FRONT, c::GL_BACK] {
            self.each_name(player, view, (id::glGetMaterialfv, &[u64::from(face), 0, 0], 1), list);
        }
        for target in [c::GL_TEXTURE_ENV, c::GL_TEXTURE_FILTER_CONTROL, c::GL_POINT_SPRITE] {
            for command in [id::glGetTexEnvfv, id::glGetTexEnviv] {
                self.each_name(player, view, (command, &[u64::from(target), 0, 0], 1), list);
            }
        }
        for coordinate in [c::GL_S, c::GL_T, c::GL_R, c::GL_Q] {
            self.each_name(player, view, (id::glGetTexGenfv, &[u64::from(coordinate), 0, 0], 1), list);
        }
        for plane in 0..6 {
            list.push(Question::plain(id::glGetClipPlane, &[u64::from(c::GL_CLIP_PLANE0) + plane, 0]));
        }
        for map in c::GL_PIXEL_MAP_I_TO_I..=c::GL_PIXEL_MAP_A_TO_A {
            list.push(Question::plain(id::glGetPixelMapfv, &[u64::from(map), 0]));
        }
        list.push(Question::plain(id::glGetPolygonStipple, &[0]));
        for map in (c::GL_MAP1_COLOR_4..=c::GL_MAP1_VERTEX_4).chain(c::GL_MAP2_COLOR_4..=c::GL_MAP2_VERTEX_4) {
            for query in [c::GL_ORDER, c::GL_DOMAIN, c::GL_COEFF] {
                list.push(Question::plain(id::glGetMapfv, &[u64::from(map), u64::from(query), 0]));
            }
        }
    }
}
